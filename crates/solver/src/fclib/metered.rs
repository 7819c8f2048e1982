//! Bytes that can be read only so often.

use std::sync::atomic::{AtomicU64, Ordering};

use hdf5_pure::{FormatError, Source};

/// Reads allowed in any file; our sample files need about 1000.
const FREE_READS: u64 = 20_000;
/// One more read allowed for so many bytes of file: room for many small vectors.
const BYTES_PER_READ: u64 = 4;
/// Bytes read in total: this many, plus some times the length of the file.
const FREE_BYTES: u64 = 1 << 30;
const PASSES: u64 = 16;

/// A file in memory that refuses to be read for ever.
///
/// The blocks of an HDF5 file point to each other as its bytes say. A tree of 60 levels in which both
/// children of a node are the same next node takes 2⁶⁰ visits to walk, and the reader limits depth only.
/// Every visit reads, so a limit on reads ends the walk.
pub(super) struct MeteredBytes {
    bytes: Vec<u8>,
    reads: AtomicU64,
    bytes_read: AtomicU64,
}

impl MeteredBytes {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        Self { bytes, reads: AtomicU64::new(0), bytes_read: AtomicU64::new(0) }
    }

    fn pay(&self, bytes: u64) -> Result<(), FormatError> {
        let size = self.len();
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        let total = self.bytes_read.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes);
        if reads >= FREE_READS + size / BYTES_PER_READ || total > FREE_BYTES.saturating_add(size.saturating_mul(PASSES))
        {
            return Err(FormatError::Source("its blocks are read over and over, as if they formed a cycle".into()));
        }
        Ok(())
    }
}

impl Source for MeteredBytes {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buf: &mut [u8]) -> Result<(), FormatError> {
        self.pay(buf.len() as u64)?;
        let range = usize::try_from(offset).ok().and_then(|start| Some(start..start.checked_add(buf.len())?));
        match range.and_then(|range| self.bytes.get(range)) {
            Some(found) => {
                buf.copy_from_slice(found);
                Ok(())
            }
            None => Err(FormatError::UnexpectedEof {
                expected: usize::try_from(offset).unwrap_or(usize::MAX).saturating_add(buf.len()),
                available: self.bytes.len(),
            }),
        }
    }
}

//! Typed access to the data sets of one HDF5 file.

use hdf5_pure::{DType, Dataset, Datatype, Error, File, FormatError, Layout, StringPadding, VlenStringReadOptions};

use super::FclibError;
use super::error::Blame;
use super::metered::MeteredBytes;

/// Chunks may be compressed: a data set may be this many times longer in memory than the whole file.
const LARGEST_COMPRESSION: u64 = 100;

/// An HDF5 file in memory, with the name to use in messages.
pub(super) struct Reader<'a> {
    pub(super) blame: Blame<'a>,
    file: File,
    size: u64,
}

impl<'a> Reader<'a> {
    pub(super) fn open(blame: Blame<'a>, bytes: Vec<u8>) -> Result<Self, FclibError> {
        let size = bytes.len();
        let file = File::from_source(MeteredBytes::new(bytes)).map_err(|error| match error {
            Error::Format(FormatError::SignatureNotFound) => FclibError::NotHdf5 { file: blame.file.into(), size },
            other => blame.damaged("/", other),
        })?;
        let (size, expected) = (size as u64, file.superblock().eof_address);
        if expected > size {
            return Err(FclibError::Truncated { file: blame.file.into(), found: size, expected });
        }
        Ok(Self { blame, file, size })
    }

    /// Names of the groups at the top of the file.
    pub(super) fn top_groups(&self) -> Result<Vec<String>, FclibError> {
        self.file.root().groups().map_err(|error| self.blame.damaged("/", error))
    }

    pub(super) fn has_group(&self, path: &str) -> Result<bool, FclibError> {
        match self.file.group(path) {
            Ok(_) => Ok(true),
            Err(Error::Format(FormatError::PathNotFound(_))) => Ok(false),
            Err(Error::NotAGroup(_)) => Err(self.blame.wrong_type(path, "a data set", "a group")),
            Err(error) => Err(self.blame.damaged(path, error)),
        }
    }

    /// One integer: a scalar or an array of length 1.
    pub(super) fn integer(&self, path: &str) -> Result<i64, FclibError> {
        match self.integers(path)?[..] {
            [value] => Ok(value),
            ref values => Err(self.blame.wrong_size(path, length(values.len()), length(1))),
        }
    }

    pub(super) fn integers(&self, path: &str) -> Result<Vec<i64>, FclibError> {
        let dataset = self.required(path, "expected integers")?;
        let kind = self.kind(&dataset, path)?;
        match kind {
            DType::I8 | DType::I16 | DType::I32 | DType::I64 | DType::U8 | DType::U16 | DType::U32 => {
                self.check_size(&dataset, path)?;
                dataset.read_i64().map_err(|error| self.blame.damaged(path, error))
            }
            DType::U64 => {
                self.check_size(&dataset, path)?;
                let values = dataset.read_u64().map_err(|error| self.blame.damaged(path, error))?;
                let too_large = |value| self.blame.bad_value(path, value, "integers of at most 63 bits");
                values.into_iter().map(|value| i64::try_from(value).map_err(|_| too_large(value))).collect()
            }
            other => Err(self.blame.wrong_type(path, describe(&other), "integers")),
        }
    }

    /// Finite real numbers.
    pub(super) fn reals(&self, path: &str) -> Result<Vec<f64>, FclibError> {
        self.optional_reals(path)?.ok_or_else(|| self.blame.missing(path, "expected real numbers"))
    }

    /// Finite real numbers, if the data set exists.
    pub(super) fn optional_reals(&self, path: &str) -> Result<Option<Vec<f64>>, FclibError> {
        let Some(dataset) = self.optional(path)? else { return Ok(None) };
        let kind = self.kind(&dataset, path)?;
        if !matches!(kind, DType::F32 | DType::F64) {
            return Err(self.blame.wrong_type(path, describe(&kind), "real numbers (float32 or float64)"));
        }
        self.check_size(&dataset, path)?;
        let values = dataset.read_f64().map_err(|error| self.blame.damaged(path, error))?;
        match values.iter().position(|value| !value.is_finite()) {
            None => Ok(Some(values)),
            Some(at) => Err(self.blame.bad_value(format!("{path}[{at}]"), values[at], "a finite number")),
        }
    }

    /// One string of fixed or variable length, if the data set exists.
    pub(super) fn optional_text(&self, path: &str) -> Result<Option<String>, FclibError> {
        let Some(dataset) = self.optional(path)? else { return Ok(None) };
        let datatype = dataset.datatype().map_err(|error| self.blame.damaged(path, error))?;
        match (datatype, self.kind(&dataset, path)?) {
            (Datatype::String { padding, .. }, _) => {
                self.check_single(&dataset, path)?;
                let bytes = dataset.read_raw().map_err(|error| self.blame.damaged(path, error))?;
                Ok(Some(trimmed(&bytes, &padding)))
            }
            (_, DType::VariableLengthString) => {
                self.check_single(&dataset, path)?;
                let limit = usize::try_from(self.size).unwrap_or(usize::MAX);
                let options = VlenStringReadOptions::new().with_max_elements(1).with_max_payload_bytes(limit);
                let texts = dataset.read_vlen_strings(options).map_err(|error| self.blame.damaged(path, error))?;
                Ok(texts.into_iter().next())
            }
            (_, other) => Err(self.blame.wrong_type(path, describe(&other), "a string")),
        }
    }

    fn required(&self, path: &str, needed: &str) -> Result<Dataset, FclibError> {
        self.optional(path)?.ok_or_else(|| self.blame.missing(path, needed))
    }

    fn optional(&self, path: &str) -> Result<Option<Dataset>, FclibError> {
        match self.file.dataset(path) {
            Ok(dataset) => Ok(Some(dataset)),
            Err(Error::Format(FormatError::PathNotFound(_))) => Ok(None),
            Err(Error::NotADataset(_)) => Err(self.blame.wrong_type(path, "a group", "a data set")),
            Err(Error::NotAGroup(parent)) => {
                Err(self.blame.wrong_type(format!("/{}", parent.trim_start_matches('/')), "a data set", "a group"))
            }
            Err(error) => Err(self.blame.damaged(path, error)),
        }
    }

    fn kind(&self, dataset: &Dataset, path: &str) -> Result<DType, FclibError> {
        dataset.dtype().map_err(|error| self.blame.damaged(path, error))
    }

    fn check_single(&self, dataset: &Dataset, path: &str) -> Result<(), FclibError> {
        match self.check_size(dataset, path)? {
            1 => Ok(()),
            count => Err(self.blame.wrong_size(path, format!("{count} strings"), "one string")),
        }
    }

    /// Refuses anything but a list, and a list so long that the file cannot hold it: the reader would
    /// allocate what the file claims. Returns the number of entries.
    fn check_size(&self, dataset: &Dataset, path: &str) -> Result<u64, FclibError> {
        let damaged = |error| self.blame.damaged(path, error);
        let shape = dataset.shape().map_err(damaged)?;
        if shape.iter().filter(|&&extent| extent != 1).count() > 1 {
            return Err(self.blame.wrong_size(path, format!("the shape {shape:?}"), "one dimension"));
        }
        let count = shape.iter().product::<u64>(); // at most one factor is not 1
        let element = dataset.element_size().map_err(damaged)?;
        let (largest, limit) = match dataset.layout().map_err(damaged)? {
            Layout::Chunked { chunk_shape, .. } => {
                let chunk = chunk_shape.iter().fold(1, |size: u64, &extent| size.saturating_mul(extent));
                (count.max(chunk), self.size.saturating_mul(LARGEST_COMPRESSION))
            }
            Layout::Virtual => return Err(self.blame.wrong_type(path, "links to other files", "a data set")),
            _ => (count, self.size),
        };
        let bytes = largest.saturating_mul(element);
        if bytes > limit {
            return Err(FclibError::TooLarge { file: self.blame.file.into(), path: path.into(), bytes, limit });
        }
        Ok(count)
    }
}

/// How lengths are written in messages.
pub(super) fn length(entries: usize) -> String {
    if entries == 1 { "1 entry".into() } else { format!("{entries} entries") }
}

fn describe(kind: &DType) -> String {
    match kind {
        DType::F32 | DType::F64 => "real numbers".into(),
        DType::I8 | DType::I16 | DType::I32 | DType::I64 => "integers".into(),
        DType::U8 | DType::U16 | DType::U32 | DType::U64 => "integers".into(),
        DType::String | DType::VariableLengthString => "a string".into(),
        // The full description of a compound type can be as long as the file.
        other => other.to_string().chars().take(60).collect(),
    }
}

/// Text is for people: a character that is not UTF-8 (older files have Latin-1) is replaced, not refused.
fn trimmed(bytes: &[u8], padding: &StringPadding) -> String {
    let end = match padding {
        StringPadding::SpacePad => bytes.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1),
        _ => bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len()),
    };
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_removed_and_foreign_characters_are_replaced() {
        assert_eq!(trimmed(b"two rods  ", &StringPadding::SpacePad), "two rods");
        assert_eq!(trimmed(b"two \0\0", &StringPadding::NullPad), "two ");
        assert_eq!(trimmed(b"two\0rods", &StringPadding::NullTerminate), "two");
        assert_eq!(trimmed(b"", &StringPadding::NullTerminate), "");
        assert_eq!(trimmed(b"\xe9tage", &StringPadding::NullTerminate), "\u{fffd}tage");
    }
}

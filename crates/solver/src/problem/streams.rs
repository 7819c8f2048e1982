//! Where the numbers of J lie in memory: colour by colour.
//!
//! A sweep by colours reads the blocks of one colour, then those of the next. They lie in memory in that order from the start, so
//! that nothing is copied before the first sweep. Blocks keep their numbers and rows. Within a colour blocks ascend; the blocks of
//! a range are therefore one piece of every colour, and ranges can be filled in by different threads: each gets its piece of each
//! stream.

use std::ops::Range;

/// Colours with a stream of their own.
pub(crate) const COLOURS: usize = 64;
/// The stream of all other blocks, in their own order.
pub(crate) const REST: usize = COLOURS;
/// Number of streams.
const STREAMS: usize = COLOURS + 1;
/// Blocks one task fills in: some 50 µs.
const CHUNK: usize = 256;

/// Streams of blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Streams {
    /// The stream of every block.
    of: Vec<u8>,
    /// Where each chunk of blocks begins in each stream, and the ends.
    chunk_start: Vec<[usize; STREAMS]>,
}

impl Streams {
    /// Divides blocks of these sizes: `start` becomes where the values of each begin. Returns how many there are.
    pub(super) fn update(
        &mut self,
        count: usize,
        stream_of: impl Fn(usize) -> usize,
        size: impl Fn(usize) -> usize,
        start: &mut Vec<usize>,
    ) -> usize {
        let Self { of, chunk_start } = self;
        of.clear();
        let mut next = [0; STREAMS];
        of.extend((0..count).map(|k| {
            let stream = stream_of(k).min(REST);
            next[stream] += size(k);
            stream as u8
        }));
        let mut end = 0;
        for next in &mut next {
            end += std::mem::replace(next, end);
        }
        start.clear();
        chunk_start.clear();
        for (k, stream) in of.iter().enumerate() {
            if k % CHUNK == 0 {
                chunk_start.push(next);
            }
            start.push(next[*stream as usize]);
            next[*stream as usize] += size(k);
        }
        chunk_start.push(next);
        end
    }

    /// Blocks are appended: nothing is known of them.
    pub(super) fn forget(&mut self) {
        self.of.clear();
        self.chunk_start.clear();
    }
    /// Whether all of so many blocks have a stream.
    pub(super) fn are_of(&self, count: usize) -> bool {
        self.of.len() == count && !self.chunk_start.is_empty()
    }
    /// Whether the values of a block lie where a sweep by colours reads them.
    pub(super) fn is_by_colour(&self, k: usize) -> bool {
        self.of.get(k).is_some_and(|stream| usize::from(*stream) != REST)
    }
    /// Number of chunks.
    pub(super) fn chunks(&self) -> usize {
        self.chunk_start.len() - 1
    }
    /// The blocks of a range of chunks.
    pub(super) fn blocks_of(&self, chunks: &Range<usize>) -> Range<usize> {
        (chunks.start * CHUNK).min(self.of.len())..(chunks.end * CHUNK).min(self.of.len())
    }
    /// All values, by streams.
    pub(super) fn whole<'a>(&self, values: &'a mut [f64]) -> Pieces<'a> {
        let mut rest = values;
        let (first, last) = (self.chunk_start[0], self.chunk_start[self.chunks()]);
        Pieces(std::array::from_fn(|stream| {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(last[stream] - first[stream]);
            rest = others;
            own
        }))
    }
    /// Divides the pieces of the chunks from `first` on at another.
    pub(super) fn split<'a>(&self, pieces: Pieces<'a>, first: usize, middle: usize) -> (Pieces<'a>, Pieces<'a>) {
        let (first, middle) = (&self.chunk_start[first], &self.chunk_start[middle]);
        let mut right = [const { None }; STREAMS];
        let mut left = pieces.0;
        for (stream, own) in left.iter_mut().enumerate() {
            let (a, b) = std::mem::take(own).split_at_mut(middle[stream] - first[stream]);
            (*own, right[stream]) = (a, Some(b));
        }
        (Pieces(left), Pieces(right.map(Option::unwrap_or_default)))
    }
    /// Takes the values of the next block of a chunk, `size` of them.
    #[inline]
    pub(super) fn take<'a>(&self, pieces: &mut Pieces<'a>, k: usize, size: usize) -> &'a mut [f64] {
        let piece = &mut pieces.0[usize::from(self.of[k])];
        let (own, rest) = std::mem::take(piece).split_at_mut(size);
        *piece = rest;
        own
    }
}

/// One piece of every stream, of the blocks of some chunks that are not filled in yet.
pub(super) struct Pieces<'a>([&'a mut [f64]; STREAMS]);

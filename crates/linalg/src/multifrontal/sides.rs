//! Sparse right sides.

/// Sparse right sides one after the other, each a list of (row, value), in memory that is kept for the next ones.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    /// Where every side ends.
    end: Vec<usize>,
    entries: Vec<(usize, f64)>,
}

impl Sides {
    /// No sides.
    pub fn clear(&mut self) {
        self.end.clear();
        self.entries.clear();
    }
    /// Appends a side.
    pub fn push(&mut self, entries: impl IntoIterator<Item = (usize, f64)>) {
        self.entries.extend(entries);
        self.end.push(self.entries.len());
    }
    /// Number of sides.
    #[must_use]
    pub fn len(&self) -> usize {
        self.end.len()
    }
    /// Whether there is no side.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.end.is_empty()
    }
    /// The entries of one side.
    #[must_use]
    pub fn side(&self, side: usize) -> &[(usize, f64)] {
        let first = if side == 0 { 0 } else { self.end[side - 1] };
        &self.entries[first..self.end[side]]
    }
    /// The entries of all sides.
    #[must_use]
    pub fn entries(&self) -> &[(usize, f64)] {
        &self.entries
    }
}

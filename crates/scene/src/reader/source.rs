//! A text and the places in it.

/// Bytes of the text, as the TOML parser counts them.
pub(crate) type Span = std::ops::Range<usize>;

/// A text with the starts of its lines.
pub(crate) struct Source<'a> {
    pub(crate) name: &'a str,
    pub(crate) text: &'a str,
    lines: Vec<usize>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(name: &'a str, text: &'a str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { name, text, lines: std::iter::once(0).chain(breaks).collect() }
    }

    /// Line and column of a byte, both from 1; columns count characters.
    pub(crate) fn position(&self, byte: usize) -> (usize, usize) {
        let byte = byte.min(self.text.len());
        let line = self.lines.partition_point(|&start| start <= byte).max(1);
        let start = self.lines[line - 1];
        let column = self.text[start..].char_indices().take_while(|(at, _)| start + at < byte).count() + 1;
        (line, column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_columns_count_from_one_and_in_characters() {
        let source = Source::new("a", "x = 1\nµ = 2 # é\n\nz");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(6), (2, 1));
        assert_eq!(source.position(9), (2, 3));
        assert_eq!(source.position(source.text.len() - 1), (4, 1));
        assert_eq!(source.position(10_000), (4, 2));
        assert_eq!(Source::new("empty", "").position(3), (1, 1));
    }
}

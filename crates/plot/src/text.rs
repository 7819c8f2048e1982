//! Text that cannot break the page it stands in.

/// Text as the content of an element, or of an attribute in quotes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Control characters are allowed in file names, not in XML.
            c if c.is_control() && c != '\n' && c != '\t' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_a_page_would_act_on_is_left() {
        assert_eq!(
            escape(r#"<a href="x" b='y'>&amp;</a>"#),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;"
        );
        assert_eq!(escape("a\u{0}b\u{1b}[1m\nµ"), "a\u{fffd}b\u{fffd}[1m\nµ");
    }
}

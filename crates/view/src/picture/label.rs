//! Text over a picture: the time, and the bar of colours with numbers.

use super::theme::{self, Theme};
use signorini_plot::escape;
use std::fmt::Write;

/// Steps of the bar.
const STEPS: usize = 48;

/// A bar of colours.
pub(super) struct Bar {
    pub(super) title: &'static str,
    /// Value at its upper end; the lower is 0.
    pub(super) most: f64,
}

/// The labels of a picture as SVG.
pub(super) fn svg(size: [u32; 2], title: &str, time: f64, bar: Option<&Bar>, theme: Theme) -> String {
    let [width, height] = size.map(f64::from);
    let unit = (height / 40.0).clamp(9.0, 28.0);
    let mut svg = String::new();
    let colour = theme.text();
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\"><g fill=\"{colour}\" \
         font-family=\"sans-serif\" font-size=\"{unit:.1}\"><text x=\"{0:.1}\" y=\"{1:.1}\">{2}</text>\
         <text x=\"{3:.1}\" y=\"{1:.1}\" text-anchor=\"end\">t = {4} s</text>",
        unit,
        height - unit,
        escape(title),
        width - unit,
        seconds(time),
    );
    if let Some(bar) = bar {
        let (wide, tall) = (0.9 * unit, 0.42 * height);
        let (left, top) = (width - 5.2 * unit, 2.6 * unit);
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            width - unit,
            1.6 * unit,
            bar.title
        );
        for step in 0..STEPS {
            let share = 1.0 - (step as f32 + 0.5) / STEPS as f32;
            let each = tall / STEPS as f64;
            let _ = write!(
                svg,
                "<rect x=\"{left:.1}\" y=\"{:.2}\" width=\"{wide:.1}\" height=\"{:.2}\" fill=\"{}\"/>",
                top + step as f64 * each,
                // A little more, so that no gaps show.
                each + 0.6,
                theme::hex(theme::scale(share)),
            );
        }
        for tick in 0..=4 {
            let share = f64::from(tick) / 4.0;
            let y = top + tall * (1.0 - share);
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left + wide + 0.4 * unit,
                y + 0.35 * unit,
                number(share * bar.most)
            );
        }
    }
    svg + "</g></svg>"
}

/// Three digits.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let power = value.abs().log10().floor();
    if (-3.0..4.0).contains(&power) {
        let text = format!("{value:.*}", (2.0 - power).max(0.0) as usize);
        let trimmed = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        return trimmed.to_owned();
    }
    format!("{value:.1e}")
}

/// A time of a run: milliseconds as far as they count.
fn seconds(time: f64) -> String {
    if time.abs() < 0.1 && time != 0.0 { format!("{time:.4}") } else { format!("{time:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.25, "0.25"),
            (1234.0, "1234"),
            (2.5e6, "2.5e6"),
            (0.00123, "0.00123"),
            (1e-9, "1.0e-9"),
        ] {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn titles_are_escaped() {
        let text = svg([100, 50], "a < b & c", 1.0, None, Theme::Light);
        assert!(text.contains("a &lt; b &amp; c"), "{text}");
        assert!(crate::svg_png::raster(&text, 1.0).is_ok());
    }
}

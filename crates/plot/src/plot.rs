//! The picture: frame, grid, rules, curves, legend.

use crate::axis::{Axis, Mapping};
use crate::style::{classes, stylesheet};
use crate::text::escape;
use std::fmt::Write;

/// A line through points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// What the legend calls it.
    pub name: String,
    /// What a browser says besides the name when the mouse is on it.
    pub note: String,
    /// Its colour and dashes, by number.
    pub style: usize,
    /// The points; the line is interrupted where one is no number.
    pub points: Vec<[f64; 2]>,
    /// Points drawn as dots.
    pub dots: Vec<[f64; 2]>,
}

impl Curve {
    /// A curve without dots.
    #[must_use]
    pub fn new(name: &str, style: usize, points: Vec<[f64; 2]>) -> Self {
        Self { name: name.into(), style, points, ..Self::default() }
    }
}

/// A level worth marking.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// What it is.
    pub name: String,
    /// Where on the vertical axis.
    pub at: f64,
}

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// What is seen.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The curves.
    pub curves: Vec<Curve>,
    /// Levels to mark.
    pub rules: Vec<Rule>,
    /// Whether the curves are named below the plot.
    pub legend: bool,
    /// Width and height without the legend.
    pub size: [f64; 2],
}

impl Default for Plot {
    fn default() -> Self {
        Self {
            title: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            curves: Vec::new(),
            rules: Vec::new(),
            legend: false,
            size: [460.0, 300.0],
        }
    }
}

/// Margins: left, top, right, bottom.
const MARGIN: [f64; 4] = [62.0, 28.0, 24.0, 44.0];
/// Height of a line of the legend, width of a character (an average), and of a sample of a line.
const LINE: f64 = 18.0;
const CHARACTER: f64 = 6.7;
const SAMPLE: f64 = 34.0;
/// Points closer than this to the one before are not written: they could not be seen.
const RESOLUTION: f64 = 0.7;

impl Plot {
    /// The plot as an element of a page that has the [`stylesheet`].
    #[must_use]
    pub fn svg(&self) -> String {
        self.element("", "")
    }

    /// The plot as a file of its own.
    #[must_use]
    pub fn document(&self) -> String {
        let style = format!("<style>\n{}</style>\n", stylesheet());
        self.element(r#" xmlns="http://www.w3.org/2000/svg""#, &style)
    }

    fn element(&self, namespace: &str, style: &str) -> String {
        let [width, height] = self.size;
        let points = || self.curves.iter().flat_map(|curve| curve.points.iter().chain(&curve.dots));
        let levels = self.rules.iter().map(|rule| rule.at);
        let x = self.x.fit(points().map(|point| point[0]), [MARGIN[0], width - MARGIN[2]]);
        let y = self.y.fit(points().map(|point| point[1]).chain(levels), [height - MARGIN[3], MARGIN[1]]);
        let (legend, legend_height) = self.legend();
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            r#"<svg{namespace} class="plot" viewBox="0 0 {width} {}" role="img" aria-label="{}">"#,
            height + legend_height,
            escape(&self.title)
        );
        let _ = writeln!(out, r#"{style}<rect class="back" width="100%" height="100%"/>"#);
        self.frame(&mut out, &x, &y);
        for rule in &self.rules {
            let Some(at) = y.place(rule.at) else { continue };
            let (left, right) = (MARGIN[0], width - MARGIN[2]);
            let _ = writeln!(
                out,
                r#"<g><title>{}</title><path class="rule" d="M{left} {at:.1}H{right}"/></g>"#,
                escape(&rule.name)
            );
        }
        self.curves.iter().for_each(|curve| write_curve(&mut out, curve, &x, &y));
        out.push_str(&legend);
        out.push_str("</svg>\n");
        out
    }

    fn frame(&self, out: &mut String, x: &Mapping, y: &Mapping) {
        let [width, height] = self.size;
        let [left, top, right, bottom] = [MARGIN[0], MARGIN[1], width - MARGIN[2], height - MARGIN[3]];
        let across = ((right - left) / 62.0) as usize;
        let up = ((bottom - top) / 34.0) as usize;
        let mut grid = String::new();
        let mut names = String::new();
        for (at, name) in x.ticks(across) {
            let _ = write!(grid, "M{at:.1} {top}V{bottom}");
            let _ = write!(names, r#"<text x="{at:.1}" y="{}" text-anchor="middle">{name}</text>"#, bottom + 16.0);
        }
        for (at, name) in y.ticks(up) {
            let _ = write!(grid, "M{left} {at:.1}H{right}");
            let _ = write!(names, r#"<text x="{}" y="{:.1}" text-anchor="end">{name}</text>"#, left - 6.0, at + 4.0);
        }
        let _ =
            writeln!(out, r#"<path class="grid" d="{grid}"/><path class="frame" d="M{left} {top}V{bottom}H{right}"/>"#);
        let _ = writeln!(out, "{names}");
        let middle = 0.5 * (left + right);
        if !self.title.is_empty() {
            let title = escape(&self.title);
            let _ = writeln!(out, r#"<text class="title" x="{middle}" y="17" text-anchor="middle">{title}</text>"#);
        }
        let (below, beside) = (escape(&self.x.label), escape(&self.y.label));
        let _ = writeln!(out, r#"<text x="{middle}" y="{}" text-anchor="middle">{below}</text>"#, height - 8.0);
        let _ = writeln!(
            out,
            r#"<text transform="translate(14 {}) rotate(-90)" text-anchor="middle">{beside}</text>"#,
            0.5 * (top + bottom)
        );
    }

    /// Names of the curves in as many columns as fit, and the height they need.
    fn legend(&self) -> (String, f64) {
        if !self.legend || self.curves.is_empty() {
            return (String::new(), 0.0);
        }
        let longest = self.curves.iter().map(|curve| curve.name.chars().count()).max().unwrap_or(0);
        let column = SAMPLE + 26.0 + CHARACTER * longest as f64;
        let columns = (((self.size[0] - MARGIN[0]) / column) as usize).clamp(1, self.curves.len());
        let mut out = String::new();
        for (k, curve) in self.curves.iter().enumerate() {
            let left = MARGIN[0] + column * (k % columns) as f64;
            let at = self.size[1] + LINE * ((k / columns) as f64 + 0.5);
            let _ = writeln!(
                out,
                r#"<g class="{}"><path d="M{left} {at}h{SAMPLE}"/><text x="{}" y="{}">{}</text></g>"#,
                classes(curve.style),
                left + SAMPLE + 7.0,
                at + 4.0,
                escape(&curve.name)
            );
        }
        (out, LINE * self.curves.len().div_ceil(columns) as f64 + 8.0)
    }
}

fn write_curve(out: &mut String, curve: &Curve, x: &Mapping, y: &Mapping) {
    let mut path = String::new();
    let mut last: Option<[f64; 2]> = None;
    for (k, point) in curve.points.iter().enumerate() {
        let (Some(px), Some(py)) = (x.place(point[0]), y.place(point[1])) else {
            last = None;
            continue;
        };
        let end = k + 1 == curve.points.len();
        match last {
            Some([lx, ly]) if !end && (px - lx).abs().max((py - ly).abs()) < RESOLUTION => continue,
            Some(_) => path.push('L'),
            None => path.push('M'),
        }
        let _ = write!(path, "{px:.1} {py:.1}");
        last = Some([px, py]);
    }
    let (name, note) = (escape(&curve.name), escape(&curve.note));
    let colon = if note.is_empty() { "" } else { ": " };
    let _ = write!(out, r#"<g class="{}"><title>{name}{colon}{note}</title><path d="{path}"/>"#, classes(curve.style));
    for dot in &curve.dots {
        if let (Some(cx), Some(cy)) = (x.place(dot[0]), y.place(dot[1])) {
            let _ = write!(out, r#"<circle cx="{cx:.1}" cy="{cy:.1}" r="3.5"/>"#);
        }
    }
    out.push_str("</g>\n");
}

/// A short line in the style of a curve, for a legend in the text.
#[must_use]
pub fn sample(style: usize) -> String {
    format!(
        r#"<svg class="plot" viewBox="0 0 34 10" width="34" height="10" aria-hidden="true"><g class="{}"><path d="M1 5H33"/></g></svg>"#,
        classes(style)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(points: Vec<[f64; 2]>) -> Plot {
        let curves = vec![Curve { dots: points.clone(), note: "1 < 2".into(), ..Curve::new("a & b", 3, points) }];
        let (x, y) = (Axis::linear("x"), Axis::linear("y <m/s>"));
        Plot { title: "<t>".into(), x, y, curves, legend: true, ..Plot::default() }
    }

    #[test]
    fn corners_of_the_data_are_corners_of_the_frame() {
        let svg = plot(vec![[0.0, 0.0], [10.0, 5.0]]).svg();
        assert!(svg.contains(r#"<path d="M62.0 256.0L436.0 28.0"/>"#), "{svg}");
        assert!(svg.contains(r#"<circle cx="436.0" cy="28.0""#), "{svg}");
    }

    #[test]
    fn all_text_is_escaped() {
        let svg = plot(vec![[0.0, 1.0]]).document();
        for text in ["&lt;t&gt;", "a &amp; b: 1 &lt; 2", "y &lt;m/s&gt;"] {
            assert!(svg.contains(text), "{text}");
        }
        assert!(!svg.contains("<t>") && !svg.contains("a & b"));
    }

    #[test]
    fn a_line_is_interrupted_where_there_is_no_number_and_thinned_where_nothing_would_be_seen() {
        let svg = plot(vec![[0.0, 0.0], [5.0, f64::NAN], [10.0, 1.0]]).svg();
        assert!(svg.contains(r#"d="M62.0 256.0M436.0 28.0""#), "{svg}");
        let dense = Plot {
            curves: vec![Curve::new("", 0, (0..=100_000).map(|k| [f64::from(k), 1.0]).collect())],
            ..Plot::default()
        };
        let svg = dense.svg();
        assert!(svg.len() < 20_000 && svg.contains("L436.0"), "{}", svg.len());
    }

    #[test]
    fn an_empty_plot_is_a_frame() {
        let svg = Plot::default().svg();
        assert!(svg.contains("frame") && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}

//! Colours and dashes, as a style sheet for light and dark.

use std::fmt::Write;

/// Colours on white and on black. After Okabe and Ito, who chose them so that colour-blind readers tell them apart; darkened
/// or lightened until each stands out from its background.
const COLOURS: [(&str, &str); 8] = [
    ("#0072b2", "#56a8e8"),
    ("#d55e00", "#ff8a4d"),
    ("#007a5a", "#2fc79b"),
    ("#b0468a", "#e08fc0"),
    ("#a87600", "#f0c040"),
    ("#3a9bd9", "#a4daf9"),
    ("#222222", "#eeeeee"),
    ("#7a4b2a", "#c89b7b"),
];
/// Dash patterns. Five of them and eight colours have no common divisor: forty curves all differ.
const DASHES: [&str; 5] = ["none", "8 3", "2 2.5", "11 3 2 3", "5 2 1.5 2 1.5 2"];

/// The classes of curve number `style`.
pub(crate) fn classes(style: usize) -> String {
    format!("curve c{} d{}", style % COLOURS.len(), style % DASHES.len())
}

/// The style sheet the plots of a page need, once.
#[must_use]
pub fn stylesheet() -> String {
    let mut out = String::from(
        ".plot{font:12px system-ui,sans-serif}\
         .plot text{stroke:none}.plot .title{font-weight:600}\
         .plot .grid,.plot .frame,.plot .rule{fill:none}.plot .rule{stroke-dasharray:1 3;stroke-width:1.5}\
         .plot .curve path{fill:none;stroke-width:2;stroke-linejoin:round}\
         .plot .curve:hover path{stroke-width:4}\n",
    );
    for (k, dash) in DASHES.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(out, ".plot .d{k} path{{stroke-dasharray:{dash}}}");
    }
    out.push('\n');
    theme(&mut out, ["#ffffff", "#333333", "#e2e2e2", "#8a8a8a"], |(light, _)| light);
    out.push_str("@media (prefers-color-scheme:dark){");
    theme(&mut out, ["#16181c", "#d6d6d6", "#33363c", "#7c7f85"], |(_, dark)| dark);
    out.push_str("}\n");
    out
}

fn theme(
    out: &mut String,
    [back, text, grid, frame]: [&str; 4],
    pick: impl Fn((&'static str, &'static str)) -> &'static str,
) {
    let _ = writeln!(
        out,
        ".plot .back{{fill:{back}}}.plot text{{fill:{text}}}.plot .grid{{stroke:{grid}}}\
         .plot .frame,.plot .rule{{stroke:{frame}}}"
    );
    for (k, &colours) in COLOURS.iter().enumerate() {
        let colour = pick(colours);
        let _ = write!(out, ".plot .c{k} path{{stroke:{colour}}}.plot .c{k} circle{{fill:{colour}}}");
    }
    out.push('\n');
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn forty_curves_look_different() {
        let looks: BTreeSet<String> = (0..40).map(classes).collect();
        assert_eq!(looks.len(), 40);
    }

    /// Relative luminance and contrast as WCAG 2 defines them; 3 is what it asks of graphics.
    #[test]
    fn every_colour_stands_out_from_its_background() {
        let channel = |x: f64| if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) };
        let luminance = |colour: &str| {
            let part = |at: usize| channel(f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0);
            0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5)
        };
        let contrast = |a: &str, b: &str| {
            let (a, b) = (luminance(a), luminance(b));
            (a.max(b) + 0.05) / (a.min(b) + 0.05)
        };
        for (light, dark) in COLOURS {
            assert!(contrast(light, "#ffffff") > 3.0, "{light} {}", contrast(light, "#ffffff"));
            assert!(contrast(dark, "#16181c") > 3.0, "{dark}");
        }
    }
}

//! SVG text as pixels, with a font of its own: the same picture on every machine.

use crate::picture::image;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree, fontdb};
use std::sync::{Arc, LazyLock};

/// Most pixels across or down.
const MOST: f32 = 16_384.0;

/// Why an SVG text gives no pixels.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SvgError {
    /// It is no SVG.
    #[error("the SVG text cannot be read: {0}")]
    Text(#[from] resvg::usvg::Error),
    /// Too small or too large.
    #[error("the picture would have {0} × {1} pixels, expected 1 to {MOST} each way")]
    Size(f32, f32),
    /// It could not be written as PNG.
    #[error("the PNG cannot be written: {0}")]
    Png(#[from] std::io::Error),
}

/// The font, read once. Ubuntu Light (Ubuntu font licence), and Hack for what it lacks.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(epaint_default_fonts::UBUNTU_LIGHT.to_vec());
    fonts.load_font_data(epaint_default_fonts::HACK_REGULAR.to_vec());
    let family = fonts.faces().next().and_then(|face| face.families.first()).map(|(name, _)| name.clone());
    if let Some(family) = family {
        fonts.set_sans_serif_family(family.clone());
        fonts.set_serif_family(family);
    }
    fonts.set_monospace_family("Hack");
    Arc::new(fonts)
});

/// A PNG file of an SVG text, `scale` pixels a unit, on white where the SVG is see-through. Rules for dark screens in its style
/// sheet do not apply.
///
/// # Errors
/// A text that is no SVG, or a size out of range.
///
/// ```
/// let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"><rect width="4" height="2" fill="red"/></svg>"#;
/// let png = signorini_view::png_of_svg(svg, 2.0)?;
/// assert_eq!(png[1..4], *b"PNG");
/// # Ok::<(), signorini_view::SvgError>(())
/// ```
pub fn png_of_svg(svg: &str, scale: f32) -> Result<Vec<u8>, SvgError> {
    let mut pixels = raster(svg, scale)?;
    let size = [pixels.width(), pixels.height()];
    let mut rgb = Vec::with_capacity(3 * (size[0] * size[1]) as usize);
    for pixel in pixels.data_mut().chunks_exact(4) {
        // Premultiplied: over white.
        rgb.extend(pixel[..3].iter().map(|x| x.saturating_add(255 - pixel[3])));
    }
    let mut png = Vec::new();
    image::encode(&mut png, size, png::ColorType::Rgb, &rgb)?;
    Ok(png)
}

/// The pixels of an SVG text: red, green, blue times opacity, and opacity.
pub(crate) fn raster(svg: &str, scale: f32) -> Result<Pixmap, SvgError> {
    let options = Options { fontdb: FONTS.clone(), ..Options::default() };
    let tree = Tree::from_str(&without_media(svg), &options)?;
    let (width, height) = ((tree.size().width() * scale).round(), (tree.size().height() * scale).round());
    let is_fitting = |x: f32| (1.0..=MOST).contains(&x);
    let pixmap = match is_fitting(width) && is_fitting(height) {
        true => Pixmap::new(width as u32, height as u32),
        false => None,
    };
    let mut pixmap = pixmap.ok_or(SvgError::Size(width, height))?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(pixmap)
}

/// The text without `@media` rules, which readers that know no screens may take for rules that always hold.
fn without_media(svg: &str) -> String {
    let mut text = String::with_capacity(svg.len());
    let mut rest = svg;
    while let Some(start) = rest.find("@media") {
        text.push_str(&rest[..start]);
        rest = &rest[start..];
        let mut depth = 0;
        let end = rest.char_indices().find_map(|(at, letter)| {
            depth += match letter {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            (letter == '}' && depth == 0).then_some(at + 1)
        });
        rest = &rest[end.unwrap_or(rest.len())..];
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decoded(svg: &str, scale: f32) -> ([u32; 2], Vec<u8>) {
        let bytes = png_of_svg(svg, scale).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        ([reader.info().width, reader.info().height], pixels)
    }

    #[test]
    fn shapes_are_where_they_should_be_and_the_rest_is_white() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="6"><rect x="5" width="5" height="6" fill="rgb(0,170,0)"/></svg>"#;
        let (size, pixels) = decoded(svg, 3.0);
        assert_eq!(size, [30, 18]);
        for (at, pixel) in pixels.chunks_exact(3).enumerate() {
            assert_eq!(pixel, if at % 30 < 15 { [255, 255, 255] } else { [0, 170, 0] });
        }
    }

    #[test]
    fn text_is_drawn_without_fonts_of_the_system() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="60" height="20"><text x="2" y="15" font-family="none-such">Speed µ 10⁻³ m²</text></svg>"#;
        let (_, pixels) = decoded(svg, 2.0);
        assert!(pixels.iter().filter(|x| **x < 100).count() > 300);
    }

    #[test]
    fn rules_for_dark_screens_do_not_apply() {
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="2" height="2"><style>.a{fill:#fff}@media (prefers-color-scheme:dark){.a{fill:#000}.b{fill:#111}}.c{fill:red}</style><rect class="a" width="2" height="1"/><rect class="c" y="1" width="2" height="1"/></svg>"#;
        let (_, pixels) = decoded(svg, 1.0);
        assert_eq!(pixels, [[255; 6], [255, 0, 0, 255, 0, 0]].concat());
        assert_eq!(without_media("a @media x {b{}} c @media"), "a  c ");
    }

    #[test]
    fn what_is_no_svg_and_sizes_out_of_range_are_refused() {
        assert!(matches!(png_of_svg("no svg", 1.0), Err(SvgError::Text(_))));
        let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="10" height="6"/>"#;
        for scale in [0.0, f32::NAN, 1e6, -1.0] {
            assert!(matches!(png_of_svg(svg, scale), Err(SvgError::Size(..))), "{scale}");
        }
    }

    #[test]
    fn the_curve_of_a_plot_is_where_its_points_are() {
        use signorini_plot::{Axis, Curve, Plot};
        let plot = Plot {
            x: Axis::linear("x").within([0.0, 1.0]),
            y: Axis::linear("y").within([0.0, 1.0]),
            curves: vec![Curve::new("a", 0, vec![[0.0, 0.5], [1.0, 0.5]])],
            ..Plot::default()
        };
        let (size, pixels) = decoded(&plot.document(), 2.0);
        // The curve is level, of colour #0072b2: one band of rows, near the middle of the plot.
        let is_curve = |pixel: &[u8]| pixel == [0x00, 0x72, 0xb2];
        let rows: Vec<u32> = (0..size[1])
            .filter(|y| {
                let row = &pixels[3 * (y * size[0]) as usize..3 * ((y + 1) * size[0]) as usize];
                row.chunks_exact(3).filter(|pixel| is_curve(pixel)).count() > size[0] as usize / 2
            })
            .collect();
        assert!((2..=5).contains(&rows.len()), "{rows:?}");
        let middle = f64::from(rows[0] + rows[rows.len() - 1]) / 2.0 / f64::from(size[1]);
        assert!((0.35..0.6).contains(&middle), "{middle}");
    }
}

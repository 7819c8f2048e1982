//! Colours of pictures.

use glam::Vec3;

/// Light or dark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// On white.
    #[default]
    Light,
    /// On a dark ground.
    Dark,
}

impl Theme {
    /// All, as users name them.
    pub const ALL: [(&str, Self); 2] = [("light", Self::Light), ("dark", Self::Dark)];

    /// Ground at the top and the bottom of the picture, linear.
    pub(super) fn ground(self) -> [Vec3; 2] {
        match self {
            Self::Light => [linear(0xffffff), linear(0xf1f3f6)],
            Self::Dark => [linear(0x16181c), linear(0x22262d)],
        }
    }
    /// The floor where it is lit, linear.
    pub(super) fn floor(self) -> Vec3 {
        match self {
            Self::Light => linear(0xe9ebef),
            Self::Dark => linear(0x33383f),
        }
    }
    /// Lines on the floor, linear.
    pub(super) fn lines(self) -> Vec3 {
        match self {
            Self::Light => linear(0xd3d7de),
            Self::Dark => linear(0x454b54),
        }
    }
    /// Fixed bodies, linear.
    pub(super) fn fixed(self) -> Vec3 {
        match self {
            Self::Light => linear(0xb4bac4),
            Self::Dark => linear(0x8d949f),
        }
    }
    /// Walls of containers, linear.
    pub(super) fn wall(self) -> Vec3 {
        match self {
            Self::Light => linear(0x8fa3bd),
            Self::Dark => linear(0xa9bfdc),
        }
    }
    /// Text, as SVG spells it.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Light => "#30343b",
            Self::Dark => "#dfe3e8",
        }
    }
}

/// Colours of bodies: told apart by colour-blind readers, middle lightness, so that light and shade show.
const BODIES: [u32; 8] = [0x3f83c4, 0xe9803f, 0x2ca58d, 0xc96aa3, 0xdcab2f, 0x7a74c9, 0x77b1dd, 0xab7a58];
/// From least to most: lightness grows all the way, so that it reads without colours too.
const SCALE: [u32; 6] = [0x2b1b6e, 0x2b5cab, 0x1f93a8, 0x4fbd7f, 0xb5d84a, 0xfdee61];

/// Linear colour of body number `index` of family number `family`: families differ in hue, bodies a little in lightness.
pub(super) fn body(family: usize, index: usize) -> Vec3 {
    // Any fixed sequence without a visible period serves.
    let step = (index.wrapping_mul(2_654_435_761) >> 7) % 5;
    linear(BODIES[family % BODIES.len()]) * (0.80 + 0.11 * step as f32)
}

/// Linear colour of a share between 0 and 1 of a scale; grey for no number.
pub(super) fn scale(share: f32) -> Vec3 {
    if !share.is_finite() {
        return linear(0x808080);
    }
    let at = share.clamp(0.0, 1.0) * (SCALE.len() - 1) as f32;
    let (k, part) = ((at as usize).min(SCALE.len() - 2), at - (at as usize).min(SCALE.len() - 2) as f32);
    // Between coded values, where equal steps look equal.
    let [a, b] = [SCALE[k], SCALE[k + 1]].map(coded);
    (a + (b - a) * part).map(decode)
}

fn coded(rgb: u32) -> Vec3 {
    Vec3::new((rgb >> 16 & 255) as f32, (rgb >> 8 & 255) as f32, (rgb & 255) as f32) / 255.0
}

/// A colour from its sRGB code.
pub(super) fn linear(rgb: u32) -> Vec3 {
    coded(rgb).map(decode)
}

/// sRGB (IEC 61966-2-1) to linear.
fn decode(x: f32) -> f32 {
    if x <= 0.04045 { x / 12.92 } else { ((x + 0.055) / 1.055).powf(2.4) }
}

/// Linear to the code of sRGB.
pub(super) fn encode(x: f32) -> u8 {
    let x = x.clamp(0.0, 1.0);
    let coded = if x <= 0.003_130_8 { 12.92 * x } else { 1.055 * x.powf(1.0 / 2.4) - 0.055 };
    (255.0 * coded + 0.5) as u8
}

/// A colour as SVG spells it.
pub(super) fn hex(colour: Vec3) -> String {
    let [r, g, b] = colour.to_array().map(encode);
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_read_back() {
        for code in 0..=255 {
            assert_eq!(u32::from(encode(decode(code as f32 / 255.0))), code);
        }
    }

    #[test]
    fn the_scale_ends_at_its_ends_and_grows_lighter_all_the_way() {
        assert_eq!((hex(scale(0.0)), hex(scale(1.0))), ("#2b1b6e".into(), "#fdee61".into()));
        assert_eq!((scale(-3.0), scale(7.0)), (scale(0.0), scale(1.0)));
        let luminance = |k: usize| scale(k as f32 / 100.0).dot(Vec3::new(0.2126, 0.7152, 0.0722));
        assert!((0..100).all(|k| luminance(k) < luminance(k + 1)));
        assert!(scale(f32::NAN).is_finite());
    }
}

//! Pixels and PNG files.

use std::io::{self, Write};

/// A picture: red, green, blue of every pixel, 8 bits each in sRGB, rows from the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Three bytes a pixel.
    pub pixels: Vec<u8>,
}

impl Image {
    /// The colour of a pixel.
    #[must_use]
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 3] {
        let at = 3 * (y as usize * self.size[0] as usize + x as usize);
        [self.pixels[at], self.pixels[at + 1], self.pixels[at + 2]]
    }

    /// Writes a PNG file.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn write_png(&self, writer: impl Write) -> io::Result<()> {
        encode(writer, self.size, png::ColorType::Rgb, &self.pixels)
    }

    /// Lays a picture with opacity over this one: red, green, blue times opacity, and opacity.
    pub(crate) fn cover(&mut self, premultiplied: &[u8]) {
        for (under, over) in self.pixels.chunks_exact_mut(3).zip(premultiplied.chunks_exact(4)) {
            let through = 255 - u32::from(over[3]);
            for k in 0..3 {
                under[k] = (u32::from(over[k]) + (u32::from(under[k]) * through + 127) / 255).min(255) as u8;
            }
        }
    }
}

pub(crate) fn encode(writer: impl Write, size: [u32; 2], colour: png::ColorType, data: &[u8]) -> io::Result<()> {
    let mut encoder = png::Encoder::new(writer, size[0], size[1]);
    encoder.set_color(colour);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()?;
    Ok(())
}

//! GIF files: one palette for the whole film, and of every picture only what changed.

use super::image::Image;
use color_quant::NeuQuant;
use std::io::{self, Write};

/// Colours of the palette; one more stands for "as before".
const COLOURS: usize = 255;
/// Pixels the palette is learned from, about.
const LEARNED: usize = 400_000;
/// How finely palettes are learned: 1 is best and slowest.
const SAMPLING: i32 = 3;
/// Colours closer than this (largest difference of a channel) are the same from frame to frame: noise is not stored.
const SAME: u8 = 2;

/// Writes a film that repeats for ever.
pub struct GifWriter<W: Write> {
    encoder: gif::Encoder<W>,
    size: [u32; 2],
    palette: Vec<[u8; 3]>,
    /// Index of the palette for colours of 5 bits a channel.
    nearest: Vec<u8>,
    shown: Vec<u8>,
    exact: Vec<u8>,
}

impl<W: Write> GifWriter<W> {
    /// A film whose palette is learned from sample pictures.
    ///
    /// # Errors
    /// Those of the writer; pictures larger than a GIF can be.
    pub fn new(writer: W, size: [u32; 2], samples: &[Image]) -> io::Result<Self> {
        let [width, height] = size.map(u16::try_from);
        let (Ok(width), Ok(height)) = (width, height) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "a GIF has at most 65535 pixels each way"));
        };
        let total: usize = samples.iter().map(|image| image.pixels.len() / 3).sum();
        let step = (total / LEARNED).max(1);
        let mut learned = Vec::new();
        for image in samples {
            for pixel in image.pixels.chunks_exact(3).step_by(step) {
                learned.extend([pixel[0], pixel[1], pixel[2], 255]);
            }
        }
        // A network of 255 needs some pixels to learn from.
        learned.resize(learned.len().max(4 * 4096), 255);
        let network = NeuQuant::new(SAMPLING, COLOURS, &learned);
        let palette: Vec<[u8; 3]> = network.color_map_rgb().as_chunks::<3>().0.to_vec();
        let closest = |code: usize| {
            let channel = |shift: usize| ((code >> shift & 63) * 255 / 63) as i32;
            let wanted = [channel(12), channel(6), channel(0)];
            // The eye sees green best.
            let distance = |colour: &[u8; 3]| {
                let d = [0, 1, 2].map(|k| i32::from(colour[k]) - wanted[k]);
                3 * d[0] * d[0] + 6 * d[1] * d[1] + d[2] * d[2]
            };
            let best = palette.iter().enumerate().min_by_key(|(_, colour)| distance(colour));
            best.map_or(0, |(index, _)| index as u8)
        };
        let nearest = (0..1 << 18).map(closest).collect();
        let mut colours: Vec<u8> = palette.iter().flatten().copied().collect();
        colours.extend([0, 0, 0]);
        let mut encoder = gif::Encoder::new(writer, width, height, &colours).map_err(other)?;
        encoder.set_repeat(gif::Repeat::Infinite).map_err(other)?;
        Ok(Self { encoder, size, palette, nearest, shown: Vec::new(), exact: Vec::new() })
    }

    /// Adds a picture, shown for a number of hundredths of a second.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn add(&mut self, image: &Image, hundredths: u16) -> io::Result<()> {
        let [width, height] = self.size.map(|x| x as usize);
        let clear = self.palette.len() as u8;
        let index = |pixel: &[u8]| {
            let code = |x: u8| (usize::from(x) * 63 + 127) / 255;
            self.nearest[code(pixel[0]) << 12 | code(pixel[1]) << 6 | code(pixel[2])]
        };
        let (mut low, mut high) = ([0, 0], [width, height]);
        let mut indices: Vec<u8> = image.pixels.chunks_exact(3).map(index).collect();
        if self.shown.len() == indices.len() {
            (low, high) = ([width, height], [0, 0]);
            let old = self.exact.chunks_exact(3).zip(image.pixels.chunks_exact(3));
            for (at, (old, new)) in old.enumerate() {
                let is_same = old.iter().zip(new).all(|(a, b)| a.abs_diff(*b) <= SAME);
                if is_same || self.shown[at] == indices[at] {
                    indices[at] = clear;
                } else {
                    self.shown[at] = indices[at];
                    let place = [at % width, at / width];
                    low = [low[0].min(place[0]), low[1].min(place[1])];
                    high = [high[0].max(place[0] + 1), high[1].max(place[1] + 1)];
                }
            }
            // A picture like the one before still has its time: one pixel of it.
            if low[0] >= high[0] {
                (low, high) = ([0, 0], [1, 1]);
            }
            for (at, (old, new)) in self.exact.chunks_exact_mut(3).zip(image.pixels.chunks_exact(3)).enumerate() {
                if indices[at] != clear {
                    old.copy_from_slice(new);
                }
            }
        } else {
            self.shown.clone_from(&indices);
            self.exact.clone_from(&image.pixels);
        }
        let mut part = Vec::with_capacity((high[0] - low[0]) * (high[1] - low[1]));
        for row in low[1]..high[1] {
            part.extend_from_slice(&indices[row * width + low[0]..row * width + high[0]]);
        }
        let frame = gif::Frame {
            delay: hundredths,
            dispose: gif::DisposalMethod::Keep,
            transparent: Some(clear),
            left: low[0] as u16,
            top: low[1] as u16,
            width: (high[0] - low[0]) as u16,
            height: (high[1] - low[1]) as u16,
            buffer: part.into(),
            ..gif::Frame::default()
        };
        self.encoder.write_frame(&frame).map_err(other)
    }

    /// Ends the film and gives the writer back.
    ///
    /// # Errors
    /// Those of the writer.
    pub fn finish(self) -> io::Result<W> {
        self.encoder.into_inner().map_err(other)
    }
}

fn other(error: gif::EncodingError) -> io::Error {
    match error {
        gif::EncodingError::Io(error) => error,
        error => io::Error::other(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(at: u32) -> Image {
        let mut image = Image { size: [40, 20], pixels: vec![250; 40 * 20 * 3] };
        for y in 5..12 {
            for x in at..at + 6 {
                let start = 3 * (y * 40 + x) as usize;
                image.pixels[start..start + 3].copy_from_slice(&[200, 30, 40]);
            }
        }
        image
    }

    #[test]
    fn a_film_decodes_to_its_pictures_with_their_times() {
        let pictures: Vec<Image> = [3, 3, 9, 20].map(picture).to_vec();
        let mut writer = GifWriter::new(Vec::new(), [40, 20], &pictures).unwrap();
        for (k, image) in pictures.iter().enumerate() {
            writer.add(image, 4 + k as u16).unwrap();
        }
        let bytes = writer.finish().unwrap();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice()).unwrap();
        let mut canvas = vec![0; 40 * 20 * 4];
        let mut delays = Vec::new();
        while let Some(frame) = decoder.read_next_frame().unwrap() {
            for (at, pixel) in frame.buffer.chunks_exact(4).enumerate() {
                if pixel[3] == 255 {
                    let (x, y) = (at as u16 % frame.width + frame.left, at as u16 / frame.width + frame.top);
                    let place = 4 * (usize::from(y) * 40 + usize::from(x));
                    canvas[place..place + 4].copy_from_slice(pixel);
                }
            }
            let expected = &pictures[delays.len()].pixels;
            delays.push(frame.delay);
            for (found, wanted) in canvas.chunks_exact(4).zip(expected.chunks_exact(3)) {
                assert!((0..3).all(|k| found[k].abs_diff(wanted[k]) < 12), "{found:?} {wanted:?}");
            }
        }
        assert_eq!(delays, [4, 5, 6, 7]);
    }
}

//! Reads the data of a page, by `viewer/FORMAT.md` alone.

use serde_json::Value;
use std::io::Read;

pub(crate) struct Page {
    pub(crate) html: String,
    pub(crate) header: Value,
    body: Vec<u8>,
}

/// Base64 with the standard alphabet, without line breaks.
fn base64(text: &str) -> Vec<u8> {
    assert_eq!(text.len() % 4, 0);
    let digit = |letter: u8| match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        other => panic!("{other} is no digit of base64"),
    };
    let digits: Vec<u8> = text.trim_end_matches('=').bytes().map(digit).collect();
    let mut bytes = Vec::new();
    for four in digits.chunks(4) {
        let bits = four.iter().fold(0_u32, |bits, digit| bits << 6 | u32::from(*digit)) << (6 * (4 - four.len()));
        bytes.extend(&bits.to_be_bytes()[1..four.len()]);
    }
    bytes
}

impl Page {
    pub(crate) fn read(html: &str) -> Self {
        let (_, rest) = html.split_once("id=\"signorini-data\"").unwrap();
        let (_, rest) = rest.split_once('>').unwrap();
        let (data, _) = rest.split_once("</script>").unwrap();
        let packed = base64(data.trim());
        // The first byte of a zlib stream: deflate with a window of 32 kB.
        assert_eq!(packed[0], 0x78);
        let mut bytes = Vec::new();
        flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
        let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        assert_eq!((4 + length) % 8, 0);
        let header: Value = serde_json::from_slice(&bytes[4..4 + length]).unwrap();
        assert_eq!(header["format"], 1);
        Self { html: html.to_owned(), header, body: bytes[4 + length..].to_vec() }
    }

    pub(crate) fn at(&self, pointer: &str) -> &Value {
        self.header.pointer(pointer).unwrap_or_else(|| panic!("no {pointer}"))
    }

    fn array<const W: usize>(&self, pointer: &str) -> Vec<[u8; W]> {
        let array = self.at(pointer);
        let (at, count) = (array["at"].as_u64().unwrap() as usize, array["count"].as_u64().unwrap() as usize);
        assert_eq!(at % 8, 0);
        self.body[at..at + W * count].as_chunks::<W>().0.to_vec()
    }
    pub(crate) fn f64s(&self, pointer: &str) -> Vec<f64> {
        self.array(pointer).into_iter().map(f64::from_le_bytes).collect()
    }
    pub(crate) fn f32s(&self, pointer: &str) -> Vec<f32> {
        self.array(pointer).into_iter().map(f32::from_le_bytes).collect()
    }
    pub(crate) fn u32s(&self, pointer: &str) -> Vec<u32> {
        self.array(pointer).into_iter().map(u32::from_le_bytes).collect()
    }
    pub(crate) fn frames(&self) -> usize {
        self.at("/frames/count").as_u64().unwrap() as usize
    }

    /// 16-bit numbers of frames, with the differences added up.
    fn summed(&self, pointer: &str) -> Vec<u16> {
        let mut numbers: Vec<u16> = self.array(pointer).into_iter().map(u16::from_le_bytes).collect();
        let width = numbers.len() / self.frames();
        for k in width..numbers.len() {
            numbers[k] = numbers[k].wrapping_add(numbers[k - width]);
        }
        numbers
    }
    /// Unsigned quantised numbers with `components` ranges; and the size of a unit of each.
    pub(crate) fn quantised(&self, pointer: &str, low: &str, high: &str, components: usize) -> (Vec<f64>, Vec<f64>) {
        let number = |pointer: &str, k: usize| match self.at(pointer) {
            Value::Array(all) => all[k].as_f64().unwrap(),
            one => one.as_f64().unwrap(),
        };
        let unit: Vec<f64> = (0..components).map(|k| (number(high, k) - number(low, k)) / 65535.0).collect();
        let value = |(k, q): (usize, u16)| number(low, k % components) + unit[k % components] * f64::from(q);
        (self.summed(pointer).into_iter().enumerate().map(value).collect(), unit)
    }
    pub(crate) fn signed(&self, pointer: &str, scale: f64) -> Vec<f64> {
        self.summed(pointer).into_iter().map(|q| scale * f64::from(q.cast_signed()) / 32767.0).collect()
    }
}

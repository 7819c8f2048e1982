//! The body of the data: little-endian arrays, each at a multiple of 8 bytes.

use serde::Serialize;

/// Where an array is, as the header says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Array {
    at: usize,
    count: usize,
}

/// Arrays one after the other.
#[derive(Debug, Default)]
pub(super) struct Body {
    bytes: Vec<u8>,
}

impl Body {
    /// An array of zeros of `width` bytes each, to be filled.
    pub(super) fn reserve(&mut self, count: usize, width: usize) -> Array {
        let at = self.bytes.len().next_multiple_of(8);
        self.bytes.resize(at + count * width, 0);
        Array { at, count }
    }

    /// Number `index` of an array of 16-bit numbers.
    pub(super) fn put_u16(&mut self, array: Array, index: usize, value: u16) {
        let at = array.at + 2 * index;
        self.bytes[at..at + 2].copy_from_slice(&value.to_le_bytes());
    }

    /// Number `index` of an array of 32-bit reals.
    pub(super) fn put_f32(&mut self, array: Array, index: usize, value: f32) {
        let at = array.at + 4 * index;
        self.bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    }

    pub(super) fn f64s(&mut self, values: &[f64]) -> Array {
        let array = self.reserve(0, 8);
        values.iter().for_each(|value| self.bytes.extend(value.to_le_bytes()));
        Array { count: values.len(), ..array }
    }

    pub(super) fn f32s(&mut self, values: impl IntoIterator<Item = f32>) -> Array {
        let array = self.reserve(0, 4);
        values.into_iter().for_each(|value| self.bytes.extend(value.to_le_bytes()));
        Array { count: (self.bytes.len() - array.at) / 4, ..array }
    }

    pub(super) fn u32s(&mut self, values: impl IntoIterator<Item = u32>) -> Array {
        let array = self.reserve(0, 4);
        values.into_iter().for_each(|value| self.bytes.extend(value.to_le_bytes()));
        Array { count: (self.bytes.len() - array.at) / 4, ..array }
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

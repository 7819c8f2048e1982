//! Checksums of HDF5 metadata, for files that are wrong behind a right checksum.

use crate::raw;

/// Makes the checksums of the superblock and of the object headers right again, so that damage gets past them.
pub(crate) fn seal(bytes: &mut [u8]) {
    const SUPERBLOCK: usize = 44;
    if bytes.len() > SUPERBLOCK + 4 {
        seal_block(bytes, 0, SUPERBLOCK);
    }
    for at in 0..bytes.len().saturating_sub(32) {
        if &bytes[at..at + 4] == b"OHDR" {
            let flags = bytes[at + 5];
            let prefix = 6 + if flags & 0x20 != 0 { 16 } else { 0 } + if flags & 0x10 != 0 { 4 } else { 0 };
            let width = 1 << (flags & 3);
            let Some(stated) = bytes.get(at + prefix..at + prefix + width) else { continue };
            let body = stated.iter().rev().fold(0usize, |size, &byte| size << 8 | usize::from(byte));
            let length = body.saturating_add(prefix + width);
            if length < bytes.len() && at + length + 4 <= bytes.len() {
                seal_block(bytes, at, length);
            }
        }
    }
}

pub(crate) fn seal_block(bytes: &mut [u8], at: usize, length: usize) {
    let sum = lookup3(&bytes[at..at + length]);
    bytes[at + length..at + length + 4].copy_from_slice(&sum.to_le_bytes());
}

/// The checksum of HDF5 metadata: `hashlittle` of Bob Jenkins' lookup3.c (public domain), initial value 0.
fn lookup3(key: &[u8]) -> u32 {
    let start = 0xdead_beef_u32.wrapping_add(key.len() as u32);
    let mut s = [start; 3];
    let mix = |s: &mut [u32; 3], target: usize, from: usize, turn: u32, then: usize| {
        s[target] = s[target].wrapping_sub(s[from]) ^ s[from].rotate_left(turn);
        s[from] = s[from].wrapping_add(s[then]);
    };
    let add = |s: &mut [u32; 3], block: &[u8]| {
        for (k, &byte) in block.iter().enumerate() {
            s[k / 4] = s[k / 4].wrapping_add(u32::from(byte) << (8 * (k % 4)));
        }
    };
    let mut rest = key;
    while rest.len() > 12 {
        add(&mut s, &rest[..12]);
        for (target, from, turn, then) in
            [(0, 2, 4, 1), (1, 0, 6, 2), (2, 1, 8, 0), (0, 2, 16, 1), (1, 0, 19, 2), (2, 1, 4, 0)]
        {
            mix(&mut s, target, from, turn, then);
        }
        rest = &rest[12..];
    }
    if !rest.is_empty() {
        add(&mut s, rest);
        for (target, from, turn) in [(2, 1, 14), (0, 2, 11), (1, 0, 25), (2, 1, 16), (0, 2, 4), (1, 0, 14), (2, 1, 24)]
        {
            s[target] = (s[target] ^ s[from]).wrapping_sub(s[from].rotate_left(turn));
        }
    }
    s[2]
}

#[test]
fn sealing_an_intact_file_changes_nothing() {
    let bytes = raw::bytes(&raw::local());
    let mut sealed = bytes.clone();
    seal(&mut sealed);
    assert_eq!(sealed, bytes);
}

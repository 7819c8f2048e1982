//! Damaged and hostile files: any bytes give a problem or an error, soon.

use std::time::{Duration, Instant};

use hdf5_pure::FileBuilder;
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use signorini_solver::fclib;

use crate::raw::{self, Data};
use crate::{random::any_file, samples};

/// xorshift64*: the same changes in every run.
struct Xorshift(u64);

impl Xorshift {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }
    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 16) as usize % limit.max(1)
    }
}

/// One to four changes of the kinds that disks, transfers and attackers make.
fn damage(random: &mut Xorshift, bytes: &mut Vec<u8>, other: &[u8]) {
    const EXTREMES: [u64; 8] = [0, 1, u64::MAX, u64::MAX - 1, 1 << 31, 1 << 40, i64::MAX as u64, 0xffff];
    for _ in 0..=random.below(3) {
        let length = bytes.len();
        if length == 0 {
            return;
        }
        let at = random.below(length);
        match random.below(8) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => bytes[random.below(length.min(128))] = random.next() as u8,
            4 => {
                let end = (at + random.below(64)).min(length);
                let from = random.below(other.len());
                let piece = &other[from..(from + end - at).min(other.len())];
                bytes[at..at + piece.len()].copy_from_slice(piece);
            }
            5 => {
                let value = EXTREMES[random.below(EXTREMES.len())].to_le_bytes();
                let width = [1, 2, 4, 8][random.below(4)].min(length - at);
                bytes[at..at + width].copy_from_slice(&value[..width]);
            }
            6 => {
                // An address of the file itself, where addresses are likely to stand.
                let (at, width) = (at / 8 * 8, 8.min(length - at / 8 * 8));
                let address = (random.below(length) as u64).to_le_bytes();
                bytes[at..at + width].copy_from_slice(&address[..width]);
            }
            _ => {
                let end = (at + random.below(32)).min(length);
                bytes.drain(at..end);
            }
        }
    }
}

/// Makes the checksums of the superblock and of the object headers right again, so that damage gets past them.
fn seal(bytes: &mut [u8]) {
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

fn seal_block(bytes: &mut [u8], at: usize, length: usize) {
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

/// Changes each of `originals` in turn until `count` files were tried; says how many were still readable.
fn try_damaged(originals: &[Vec<u8>], count: usize, seed: u64) -> usize {
    let (mut random, mut readable, mut slowest) = (Xorshift(seed), 0, Duration::ZERO);
    for round in 0..count {
        let mut bytes = originals[round % originals.len()].clone();
        damage(&mut random, &mut bytes, &originals[(round + 1) % originals.len()]);
        if round % 4 != 0 {
            seal(&mut bytes);
        }
        let start = Instant::now();
        match fclib::read_bytes("damaged", bytes) {
            Ok(_) => readable += 1,
            Err(error) => assert!(!error.to_string().contains("gave up"), "round {round} (seed {seed}) panicked"),
        }
        slowest = slowest.max(start.elapsed());
    }
    assert!(slowest < Duration::from_secs(2), "one file took {slowest:?}");
    readable
}

#[test]
fn damaged_files_give_a_problem_or_an_error() {
    let mut runner = TestRunner::deterministic();
    let originals: Vec<_> =
        (0..16).map(|_| fclib::to_bytes(&any_file().new_tree(&mut runner).unwrap().current()).unwrap()).collect();
    let readable = try_damaged(&originals, 6000, 0x5eed);
    // Else the changes would be too weak, or all caught by the same first check.
    assert!((50..5900).contains(&readable), "{readable} of 6000 readable");
}

/// Sample files come from another writer: old headers without checksums, symbol tables, local heaps.
#[test]
fn damaged_sample_files_give_a_problem_or_an_error() {
    let Some(folder) = samples::folder("damaged sample files") else { return };
    let small = ["FC3D_Example1", "GFC3D_Example0", "RFC3D_cube_1", "Confeti-ex13-1contact-Fc3D-SBM"];
    let originals: Vec<_> =
        small.iter().map(|name| std::fs::read(folder.join(format!("fc/{name}.hdf5"))).unwrap()).collect();
    let readable = try_damaged(&originals, 3000, 0xbad5eed);
    assert!((50..2900).contains(&readable), "{readable} of 3000 readable");
}

#[test]
fn a_size_the_file_cannot_hold_is_refused_before_memory_is_asked_for() {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut vectors = group.create_group("vectors");
    // Deflated zeros: any size fits in a few kilobytes.
    vectors.create_dataset("q").with_f64_data(&vec![0.0; 1 << 20]).with_chunks(&[1 << 20]).with_deflate(9);
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    let bytes = file.finish().unwrap();
    let limit = 100 * bytes.len();
    assert_eq!(
        fclib::read_bytes("a.hdf5", bytes).unwrap_err().to_string(),
        format!(
            "a.hdf5: /fclib_local/vectors/q claims {} bytes, expected at most {limit} in a file of this length",
            8 << 20
        )
    );
}

#[test]
fn chunked_and_compressed_data_are_read() {
    let mut contents = raw::local();
    contents.insert("fclib_local/info/title".into(), Data::Text("packed"));
    let plain = fclib::read_bytes("plain", raw::bytes(&contents)).unwrap();
    // The same problem with q in compressed chunks.
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut info = group.create_group("info");
    info.create_dataset("title").with_vlen_strings(&["packed"]);
    group.add_group(info.finish());
    let mut vectors = group.create_group("vectors");
    let q = [-1.0, 0.5, 0.0, -2.0, 0.0, 0.25];
    vectors.create_dataset("q").with_f64_data(&q).with_chunks(&[4]).with_shuffle().with_deflate(6);
    vectors.create_dataset("mu").with_f64_data(&[0.3, 0.4]);
    group.add_group(vectors.finish());
    let mut w = group.create_group("W");
    for (name, values) in [
        ("m", vec![6]),
        ("n", vec![6]),
        ("nz", vec![-1]),
        ("nzmax", vec![4]),
        ("p", vec![0, 2, 4, 4, 4, 4, 4]),
        ("i", vec![0, 1, 0, 1]),
    ] {
        w.create_dataset(name).with_i32_data(&values);
    }
    w.create_dataset("x").with_f64_data(&[1.0, 2.0, 3.0, 4.0]);
    group.add_group(w.finish());
    file.add_group(group.finish());
    assert_eq!(fclib::read_bytes("packed", file.finish().unwrap()).unwrap(), plain);
}

/// A file of the oldest format whose root group is a ladder: both children of a tree node are the next node.
/// It is shallower than the reader's limit of depth, and takes 2⁶⁰ visits to walk.
fn ladder() -> Vec<u8> {
    fn put(bytes: &mut [u8], at: usize, value: usize, width: usize) {
        bytes[at..at + width].copy_from_slice(&(value as u64).to_le_bytes()[..width]);
    }
    const NONE: usize = usize::MAX;
    const LEVELS: usize = 60;
    const NODE: usize = 64;
    let (header, heap, names, tree) = (96, 160, 192, 256);
    let size = tree + (LEVELS + 1) * NODE;
    let mut file = vec![0; size];
    file[..8].copy_from_slice(b"\x89HDF\r\n\x1a\n");
    (file[13], file[14]) = (8, 8); // width of addresses and lengths
    put(&mut file, 16, 4, 2); // entries in a leaf
    put(&mut file, 18, 16, 2); // entries in a node
    put(&mut file, 32, NONE, 8);
    put(&mut file, 40, size, 8); // end of file
    put(&mut file, 48, NONE, 8);
    put(&mut file, 64, header, 8); // root group

    file[header] = 1; // version; one message of 16 bytes
    put(&mut file, header + 2, 1, 2);
    put(&mut file, header + 4, 1, 4);
    put(&mut file, header + 8, 24, 4);
    put(&mut file, header + 16, 0x11, 2); // symbol table
    put(&mut file, header + 18, 16, 2);
    put(&mut file, header + 24, tree, 8);
    put(&mut file, header + 32, heap, 8);

    for level in 0..=LEVELS {
        let node = tree + level * NODE;
        file[node..node + 4].copy_from_slice(b"TREE");
        put(&mut file, node + 8, NONE, 8);
        put(&mut file, node + 16, NONE, 8);
        if level < LEVELS {
            file[node + 5] = (LEVELS - level) as u8;
            put(&mut file, node + 6, 2, 2);
            put(&mut file, node + 32, node + NODE, 8); // key, child, key, child, key
            put(&mut file, node + 48, node + NODE, 8);
        }
    }
    file[heap..heap + 4].copy_from_slice(b"HEAP");
    put(&mut file, heap + 8, 64, 8);
    put(&mut file, heap + 16, NONE, 8);
    put(&mut file, heap + 24, names, 8);
    file
}

#[test]
fn a_tree_that_takes_for_ever_to_walk_is_given_up() {
    let start = Instant::now();
    let error = fclib::read_bytes("ladder.hdf5", ladder()).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    assert!(error.starts_with("ladder.hdf5: the HDF5 structure is damaged at /: "), "{error}");
    assert!(error.ends_with("its blocks are read over and over, as if they formed a cycle"), "{error}");
}

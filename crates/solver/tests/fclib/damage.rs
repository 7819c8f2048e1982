//! Damaged files: any bytes give a problem or an error, soon.

use std::time::{Duration, Instant};

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use signorini_solver::fclib;

use crate::checksum::seal;
use crate::random::any_file;

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
    let Some(folder) = signorini_testkit::sample_problems("damaged sample files") else { return };
    let small = ["FC3D_Example1", "GFC3D_Example0", "RFC3D_cube_1", "Confeti-ex13-1contact-Fc3D-SBM"];
    let originals: Vec<_> =
        small.iter().map(|name| std::fs::read(folder.join(format!("fc/{name}.hdf5"))).unwrap()).collect();
    let readable = try_damaged(&originals, 3000, 0xbad5eed);
    assert!((50..2900).contains(&readable), "{readable} of 3000 readable");
}

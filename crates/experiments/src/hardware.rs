//! What the machine can do, beside what the machines of the papers could: the only bridge between their seconds and ours.
//!
//! Seconds of different machines do not compare. Where a row shows them nevertheless, the published seconds are scaled by the
//! ratio of the rates below, and the verdict is [`crate::Verdict::Informative`] unless the gap is far beyond what a rate says.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, Par};
use std::time::Instant;

/// A machine of a paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PublishedMachine {
    /// As the paper names it.
    pub name: &'static str,
    /// Most floating-point operations of one core in a second, in 10⁹: an estimate from clock and instruction set.
    pub peak_gflops: f64,
    /// Where the number comes from.
    pub estimate: &'static str,
}

/// The machine of the QP solver paper, whose code ran on one processor.
///
/// The paper prints 3.06 MHz; a Pentium 4 of that number ran at 3.06 GHz. SSE2 ends at most 2 operations on doubles a cycle.
/// Real codes reached a part of it, so that scaling by it flatters the old machine.
pub const PENTIUM_4: PublishedMachine = PublishedMachine {
    name: "Pentium 4, 3.06 GHz (printed as MHz), 512 KB L2 cache, one processor used",
    peak_gflops: 3.06 * 2.0,
    estimate: "3.06 GHz × 2 operations a cycle (SSE2): its peak, an estimate",
};

/// Order of the matrices that are multiplied: they fit into the second-level cache of any machine of today.
const ORDER: usize = 256;
/// Least time measured \[s\].
const SECONDS: f64 = 0.1;

/// Rate of one core of this machine in this run \[10⁹ operations a second\]: products of dense matrices, the kernel the
/// factorisations live on. Takes a tenth of a second.
#[must_use]
pub fn core_rate_gflops() -> f64 {
    let entry = |i: usize, j: usize| 1.0 / (1 + i + j) as f64;
    let (a, b) = (Mat::from_fn(ORDER, ORDER, entry), Mat::from_fn(ORDER, ORDER, entry));
    let mut c = Mat::zeros(ORDER, ORDER);
    let mut multiply = || matmul(c.as_mut(), Accum::Replace, a.as_ref(), b.as_ref(), 1.0, Par::Seq);
    multiply();
    let (started, mut products) = (Instant::now(), 0_u32);
    loop {
        multiply();
        products += 1;
        let seconds = started.elapsed().as_secs_f64();
        if seconds > SECONDS {
            // A product of matrices of order n takes 2n³ operations.
            return f64::from(products) * 2.0 * (ORDER as f64).powi(3) / seconds * 1e-9;
        }
    }
}

/// How many times as fast one core of this machine is as a published one, by [`core_rate_gflops`] and its peak.
#[must_use]
pub fn times_as_fast_as(machine: &PublishedMachine) -> f64 {
    core_rate_gflops() / machine.peak_gflops
}

/// Name of the processor, if the system tells.
#[must_use]
pub fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let name = text.lines().find(|line| line.starts_with("model name"))?.split_once(':')?.1.trim();
    (!name.is_empty()).then(|| name.to_owned())
}

/// Cores this process may use; 1 if the system does not tell.
#[must_use]
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_a_machine_between_a_phone_and_a_rack() {
        let rate = core_rate_gflops();
        assert!((0.05..1000.0).contains(&rate), "{rate} Gflop/s");
    }

    #[test]
    fn the_published_peak_is_two_operations_a_cycle() {
        assert!((PENTIUM_4.peak_gflops - 6.12).abs() < 1e-12);
    }
}

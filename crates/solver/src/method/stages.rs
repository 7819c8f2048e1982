//! Blocks that do not act on each other, visited by all threads.

use signorini_linalg::Threads;

/// What visits to blocks came to; sums of it are taken in a fixed order.
pub(super) trait Tally: Copy + Default + Send {
    /// Both together.
    fn plus(self, other: Self) -> Self;
}

impl Tally for () {
    fn plus(self, (): Self) -> Self {}
}

/// Blocks one task visits, some 20 µs of work: fewer are not worth a thread. Fixed, so that sums do not depend on the number of
/// threads.
const TASK: usize = 512;

/// Visits the blocks of one stage, halved until a task is small.
pub(super) fn stage<T: Tally>(blocks: &[u32], threads: Threads, visit: &(impl Fn(usize) -> T + Sync)) -> T {
    if blocks.len() <= TASK {
        return blocks.iter().fold(T::default(), |sum, &block| sum.plus(visit(block as usize)));
    }
    let (left, right) = blocks.split_at(blocks.len() / 2);
    let (a, b) = match threads {
        Threads::Pool => rayon::join(|| stage(left, threads, visit), || stage(right, threads, visit)),
        Threads::One => (stage(left, threads, visit), stage(right, threads, visit)),
    };
    a.plus(b)
}

//! A global allocator that counts, for tests of what must not allocate.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting what each thread asks for. A test makes it its global allocator:
///
/// ```
/// use signorini_testkit::counting::{Counting, allocations};
/// #[global_allocator]
/// static ALLOCATOR: Counting = Counting;
/// let (count, list) = allocations(|| vec![1, 2, 3]);
/// assert_eq!((count, list.len()), (1, 3));
/// ```
pub struct Counting;

// Safety: every call is passed on to the system's allocator unchanged; the counter is a plain number of the thread and allocates
// nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_one();
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_one();
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn count_one() {
    // A thread that is ending has no counter any more: what it still asks for is nobody's.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

/// How often this thread asked for memory while it did some work, and what the work gave.
pub fn allocations<T>(work: impl FnOnce() -> T) -> (usize, T) {
    let before = COUNT.with(Cell::get);
    let result = work();
    (COUNT.with(Cell::get) - before, result)
}

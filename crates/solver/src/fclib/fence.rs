//! A fence around code that parses untrusted bytes.

use super::FclibError;
use super::error::Blame;

/// The HDF5 reader recurses, and an overflow of the stack would end the process. A tree of links can state
/// 65535 levels, which takes between 16 and 32 MiB (optimised build). Only touched pages cost memory.
const STACK_BYTES: usize = 128 << 20;

/// Runs `task` on a thread of its own; a panic in it becomes an error.
///
/// The panic message still reaches standard error: only a process-wide hook could silence it, and that
/// would silence the panics of other threads too. No input is known that makes the HDF5 reader panic.
pub(super) fn run<T: Send>(
    blame: Blame<'_>,
    task: impl FnOnce() -> Result<T, FclibError> + Send,
) -> Result<T, FclibError> {
    std::thread::scope(|scope| {
        std::thread::Builder::new()
            .name("fclib-reader".into())
            .stack_size(STACK_BYTES)
            .spawn_scoped(scope, task)
            .map_err(|source| blame.io("start a thread to read it", source))?
            .join()
            .unwrap_or_else(|_| Err(blame.damaged("/", "the HDF5 reader gave up")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_behind_the_fence_is_an_error() {
        let outcome: Result<(), _> = run(Blame { file: "a.hdf5" }, || panic!("(expected in this test)"));
        assert_eq!(
            outcome.unwrap_err().to_string(),
            "a.hdf5: the HDF5 structure is damaged at /: the HDF5 reader gave up"
        );
    }
}

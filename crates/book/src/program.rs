//! Runs the command-line program beside this one.

use crate::repository::Repository;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// What a command wrote and how it ended.
pub(crate) struct Outcome {
    /// Results, then messages.
    pub(crate) text: String,
    pub(crate) results: String,
    pub(crate) code: i32,
}

/// A folder to run commands in, in which `examples` and `crates` are those of the repository; removed at the end.
pub(crate) struct Workshop {
    folder: PathBuf,
}

impl Workshop {
    pub(crate) fn new(repository: &Repository) -> Result<Self> {
        use std::sync::atomic::{AtomicU32, Ordering};
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("signorini-book-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let this = Self { folder };
        let from = repository.root().join("examples/scenes");
        let to = this.folder.join("examples/scenes");
        std::fs::create_dir_all(&to)?;
        for entry in std::fs::read_dir(&from).with_context(|| format!("cannot list {}", from.display()))? {
            let entry = entry?;
            if entry.file_type()?.is_file() {
                std::fs::copy(entry.path(), to.join(entry.file_name()))?;
            }
        }
        Ok(this)
    }

    /// Runs `signorini` with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Result<Outcome> {
        let program = program()?;
        let output = Command::new(&program)
            .args(arguments)
            .current_dir(&self.folder)
            .env("NO_COLOR", "1")
            .env("COLUMNS", "100")
            .output()
            .with_context(|| format!("cannot run {}", program.display()))?;
        let results = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = results.clone() + &String::from_utf8_lossy(&output.stderr);
        Ok(Outcome { text, results, code: output.status.code().unwrap_or(-1) })
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        // What cannot be removed is left to the system, which clears its folder for temporary files.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// The program `signorini` in the folder of this one.
fn program() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    // Tests are one folder deeper.
    for folder in own.ancestors().skip(1).take(2) {
        let program = folder.join(format!("signorini{}", std::env::consts::EXE_SUFFIX));
        if program.is_file() {
            return Ok(program);
        }
    }
    bail!("no program `signorini` beside {}: build it first (`cargo build --workspace --bins`)", own.display())
}

//! Running the program, and problems to run it on.

use serde_json::Value;
use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info, LocalProblem};
use signorini_solver::problem::to_fclib;
use signorini_solver::{Cone, ConeProblem};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own for one test, removed at its end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("cli-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Runs the program in this folder.
    pub(crate) fn run(&self, args: &[&str]) -> Run {
        Run(self.command(args).output().unwrap())
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_signorini"));
        command.args(args).current_dir(&self.0).stdin(Stdio::null()).env_remove("COLUMNS");
        command
    }

    /// Writes a problem file.
    pub(crate) fn problem(&self, name: &str, problem: FclibProblem) -> &Self {
        self.file(name, &FclibFile::new(problem, Info::default()))
    }

    pub(crate) fn file(&self, name: &str, file: &FclibFile) -> &Self {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fclib::write(&path, file).unwrap();
        self
    }

    pub(crate) fn bytes(&self, name: &str, bytes: &[u8]) -> &Self {
        fs::write(self.0.join(name), bytes).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a run left behind.
pub(crate) struct Run(pub(crate) Output);

impl Run {
    pub(crate) fn code(&self) -> Option<i32> {
        self.0.status.code()
    }
    pub(crate) fn stdout(&self) -> String {
        String::from_utf8(self.0.stdout.clone()).unwrap()
    }
    pub(crate) fn stderr(&self) -> String {
        String::from_utf8(self.0.stderr.clone()).unwrap()
    }
    /// Every line of stdout, each of which must be a JSON object.
    pub(crate) fn objects(&self) -> Vec<Value> {
        self.stdout().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Asserts the exit code and returns the run; the message has all there is to see.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code(), Some(code), "stdout:\n{}\nstderr:\n{}", self.stdout(), self.stderr());
        self
    }
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stderr().contains(text), "no {text:?} in stderr:\n{}", self.stderr());
        self
    }
    #[track_caller]
    pub(crate) fn shows(self, text: &str) -> Self {
        assert!(self.stdout().contains(text), "no {text:?} in stdout:\n{}", self.stdout());
        self
    }
}

/// The friction coefficient of every test problem, and a number that stands in no other place of a file.
pub(crate) const MU: f64 = 0.31415926;
pub(crate) const FALL: f64 = 0.271828182;

/// A row of `count` unit masses that fall on a rough floor with a sideways speed that differs from mass to mass.
pub(crate) fn falling(count: usize) -> FclibProblem {
    let mut builder = ConeProblem::builder();
    let mut linear = Vec::new();
    for body in 0..count {
        builder.diagonal_body(&[1.0, 1.0, 1.0]);
        linear.extend([FALL, -0.1 * (1.0 + body as f64), 0.05]);
        let first = 3 * body;
        let rows: [&[(usize, f64)]; 3] = [&[(first, 1.0)], &[(first + 1, 1.0)], &[(first + 2, 1.0)]];
        builder.rows(Cone::Friction { mu: MU }, &rows, &[0.0; 3]);
    }
    to_fclib(&builder.linear(&linear).build().unwrap()).unwrap()
}

/// A mass on a rail that rests on the floor: one bilateral row (y = 0) besides the contact, redundantly given twice.
pub(crate) fn on_a_rail() -> FclibProblem {
    let mut builder = ConeProblem::builder();
    builder.diagonal_body(&[2.0, 3.0, 4.0]).linear(&[FALL, -0.7, 0.5]);
    builder.rows(Cone::Friction { mu: MU }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3]);
    builder.row(Cone::Free, &[(1, 1.0), (2, 0.5)], 0.0).row(Cone::Free, &[(1, 1.0), (2, 0.5)], 0.0);
    to_fclib(&builder.build().unwrap()).unwrap()
}

/// The same kind of problem in contact space: u = W r + V l + q, 0 = Vᵀr + R l + s.
pub(crate) fn local_with_a_bilateral_row() -> FclibProblem {
    FclibProblem::Local(LocalProblem {
        v: Some(CscMatrix::from_triplets(3, 1, [(1, 0, 0.5), (2, 0, -0.25)]).unwrap()),
        r: Some(CscMatrix::diagonal(&[1.0])),
        s: Some(vec![0.3]),
        ..local()
    })
}

/// Two bodies in free flight.
pub(crate) fn without_contacts() -> FclibProblem {
    let problem = ConeProblem::builder().diagonal_body(&[1.0; 3]).diagonal_body(&[2.0; 3]).linear(&[1.0; 6]).build();
    to_fclib(&problem.unwrap()).unwrap()
}

/// A local problem with one contact.
pub(crate) fn local() -> LocalProblem {
    LocalProblem {
        dimension: 3,
        w: CscMatrix::diagonal(&[1.0, 2.0, 2.0]),
        v: None,
        r: None,
        q: vec![-FALL, 0.5, 0.0],
        s: None,
        mu: vec![MU],
        mu_r: None,
    }
}

/// A local problem with rolling friction.
pub(crate) fn rolling() -> FclibProblem {
    FclibProblem::Local(LocalProblem {
        dimension: 5,
        w: CscMatrix::diagonal(&[1.0; 5]),
        q: vec![-1.0, 0.5, 0.0, 0.0, 0.3],
        mu: vec![0.3],
        mu_r: Some(vec![0.1]),
        ..local()
    })
}

/// The bytes of a file in which every `old` is replaced by `new`: what `fclib::write` would refuse.
pub(crate) fn forged(problem: FclibProblem, old: f64, new: f64) -> Vec<u8> {
    let mut bytes = fclib::to_bytes(&FclibFile::new(problem, Info::default())).unwrap();
    let (old, new) = (old.to_le_bytes(), new.to_le_bytes());
    let places: Vec<usize> = (0..bytes.len() - 7).filter(|&at| bytes[at..at + 8] == old).collect();
    assert!(!places.is_empty());
    places.into_iter().for_each(|at| bytes[at..at + 8].copy_from_slice(&new));
    bytes
}

/// Eight balls fall on a floor beside a swinging arm.
pub(crate) const SMALL_SCENE: &str = r#"signorini = 1
title = "Balls and a pendulum"

[parameters]
layers = 2
radius = 0.08

[run]
until = 0.3

[stepper]
step = 0.01

[solver]

[materials.stone]
friction = 0.3

[bodies.floor]
fixed = true
shape = { type = "half-space" }

[bodies.arm]
shape = { type = "cuboid", size = [0.4, 0.05, 0.05] }
density = 1000
position = [1.2, 0, 1]

[joints.hinge]
type = "revolute"
bodies = ["floor", "arm"]
point = [1, 0, 1]
axis = [0, 1, 0]

[[populate]]
name = "ball"
pattern = "grid"
count = [2, 2, "=layers"]
spacing = 0.195
origin = [0, 0, 0.2]
jitter = 0.01
shape = { type = "sphere", radius = "=radius" }
density = 1000
"#;

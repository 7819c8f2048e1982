//! From bytes to a problem.

use std::fs;
use std::io;
use std::path::Path;

use super::dataset::Reader;
use super::error::Blame;
use super::matrix::{self, Extent};
use super::problem::{FclibFile, FclibProblem, GlobalProblem, Info, LocalProblem, StoredSolution};
use super::{FclibError, fence, validate};

const GROUPS: [&str; 4] = ["fclib_local", "fclib_global", "fclib_local_rolling", "fclib_global_rolling"];

/// Reads a file.
///
/// # Errors
/// The file cannot be read, is no HDF5 file, is damaged, or does not hold one consistent contact problem.
pub fn read(path: &Path) -> Result<FclibFile, FclibError> {
    let name = path.display().to_string();
    let blame = Blame { file: &name };
    let bytes = read_regular(path).map_err(|source| blame.io("read it", source))?;
    read_bytes(&name, bytes)
}

/// Reads a file that is in memory; `name` is what messages call it.
///
/// # Errors
/// As [`read`]. Any bytes give either a problem or an error.
pub fn read_bytes(name: &str, bytes: Vec<u8>) -> Result<FclibFile, FclibError> {
    let blame = Blame { file: name };
    fence::run(blame, || read_file(&Reader::open(blame, bytes)?))
}

/// A folder has no bytes, a pipe or a device may have no end.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if metadata.is_dir() {
        return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder, expected a file"));
    }
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
    }
    fs::read(path)
}

fn read_file(reader: &Reader<'_>) -> Result<FclibFile, FclibError> {
    let name = problem_group(reader)?;
    let (group, rolling) = (format!("/{name}"), name.ends_with("_rolling"));
    let problem = if name.starts_with("fclib_local") {
        FclibProblem::Local(read_local(reader, &group, rolling)?)
    } else {
        FclibProblem::Global(read_global(reader, &group, rolling)?)
    };
    let text = |name: &str| Ok(reader.optional_text(&format!("{group}/info/{name}"))?.unwrap_or_default());
    let file = FclibFile {
        info: Info { title: text("title")?, description: text("description")?, math_info: text("math_info")? },
        solution: read_solution(reader, "/solution", &problem)?,
        solution_ccp: read_solution(reader, "/solution_ccp", &problem)?,
        guesses: read_guesses(reader, &problem)?,
        problem,
    };
    validate::check(reader.blame, &file)?;
    Ok(file)
}

/// The one group that holds the problem.
fn problem_group(reader: &Reader<'_>) -> Result<&'static str, FclibError> {
    let groups = reader.top_groups()?;
    let known: Vec<&'static str> = GROUPS.into_iter().filter(|name| groups.iter().any(|group| group == name)).collect();
    let file = || reader.blame.file.to_string();
    match known[..] {
        [name] => Ok(name),
        [] => Err(FclibError::NoProblem { file: file(), found: listed(&groups) }),
        _ => Err(FclibError::SeveralProblems { file: file(), found: listed(&known) }),
    }
}

/// Names for a message, not more than a reader wants to see.
fn listed<T: AsRef<str>>(groups: &[T]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<&str> = groups.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match groups.len() {
        0 => "no groups at all".into(),
        1 => format!("the group {}", names[0]),
        count if count > SHOWN => format!("the groups {} and {} more", names.join(", "), count - SHOWN),
        _ => format!("the groups {}", names.join(", ")),
    }
}

/// Vectors come first: their lengths, which the length of the file bounds, say how large the matrices are.
fn read_local(reader: &Reader<'_>, group: &str, rolling: bool) -> Result<LocalProblem, FclibError> {
    let dimension = read_dimension(reader, group)?;
    let path = |name: &str| format!("{group}/{name}");
    let (path_q, path_s) = (path("vectors/q"), path("vectors/s"));
    let (q, s) = (reader.reals(&path_q)?, reader.optional_reals(&path_s)?);
    let unknowns = Extent { size: q.len(), of: &path_q };
    let bilaterals = Extent { size: s.as_ref().map_or(0, Vec::len), of: &path_s };
    let optional = |name: &str, rows, cols| optional_matrix(reader, &path(name), s.is_some(), rows, cols);
    Ok(LocalProblem {
        dimension,
        w: matrix::read(reader, &path("W"), unknowns, unknowns)?,
        v: optional("V", unknowns, bilaterals)?,
        r: optional("R", bilaterals, bilaterals)?,
        mu: reader.reals(&path("vectors/mu"))?,
        mu_r: read_rolling(reader, group, rolling)?,
        q,
        s,
    })
}

fn read_global(reader: &Reader<'_>, group: &str, rolling: bool) -> Result<GlobalProblem, FclibError> {
    let dimension = read_dimension(reader, group)?;
    let path = |name: &str| format!("{group}/{name}");
    let (path_f, path_w, path_b) = (path("vectors/f"), path("vectors/w"), path("vectors/b"));
    let (f, w, b) = (reader.reals(&path_f)?, reader.reals(&path_w)?, reader.optional_reals(&path_b)?);
    let velocities = Extent { size: f.len(), of: &path_f };
    let unknowns = Extent { size: w.len(), of: &path_w };
    let bilaterals = Extent { size: b.as_ref().map_or(0, Vec::len), of: &path_b };
    Ok(GlobalProblem {
        dimension,
        m: matrix::read(reader, &path("M"), velocities, velocities)?,
        h: matrix::read(reader, &path("H"), velocities, unknowns)?,
        g: optional_matrix(reader, &path("G"), b.is_some(), velocities, bilaterals)?,
        mu: reader.reals(&path("vectors/mu"))?,
        mu_r: read_rolling(reader, group, rolling)?,
        f,
        w,
        b,
    })
}

/// A matrix of the bilateral constraints. Without the vector that belongs to it its size is unknown.
fn optional_matrix(
    reader: &Reader<'_>,
    path: &str,
    has_vector: bool,
    rows: Extent<'_>,
    cols: Extent<'_>,
) -> Result<Option<signorini_linalg::CscMatrix>, FclibError> {
    if !reader.has_group(path)? {
        return Ok(None);
    }
    if !has_vector {
        return Err(reader.blame.missing(cols.of, format!("needed because {path} is given")));
    }
    matrix::read(reader, path, rows, cols).map(Some)
}

fn read_dimension(reader: &Reader<'_>, group: &str) -> Result<usize, FclibError> {
    let path = format!("{group}/spacedim");
    let found = reader.integer(&path)?;
    usize::try_from(found).map_err(|_| reader.blame.bad_value(path, found, "2, 3 or 5"))
}

fn read_rolling(reader: &Reader<'_>, group: &str, rolling: bool) -> Result<Option<Vec<f64>>, FclibError> {
    rolling.then(|| reader.reals(&format!("{group}/vectors/mu_r"))).transpose()
}

fn read_guesses(reader: &Reader<'_>, problem: &FclibProblem) -> Result<Vec<StoredSolution>, FclibError> {
    if !reader.has_group("/guesses")? {
        return Ok(Vec::new());
    }
    let path = "/guesses/number_of_guesses";
    let count = reader.integer(path)?;
    if count < 0 {
        return Err(reader.blame.bad_value(path, count, "a number ≥ 0"));
    }
    // A false number ends at the first guess that is not there.
    (1..=count)
        .map(|at| {
            let group = format!("/guesses/{at}");
            let needed = || format!("needed because {path} is {count}");
            read_solution(reader, &group, problem)?.ok_or_else(|| reader.blame.missing(group, needed()))
        })
        .collect()
}

/// What the problem has no use for (velocities of a local problem) is not read.
fn read_solution(
    reader: &Reader<'_>,
    group: &str,
    problem: &FclibProblem,
) -> Result<Option<StoredSolution>, FclibError> {
    if !reader.has_group(group)? {
        return Ok(None);
    }
    let path = |name: &str| format!("{group}/{name}");
    let when = |wanted: bool, name: &str| if wanted { reader.optional_reals(&path(name)) } else { Ok(None) };
    let contact = |name: &str| match problem.unknowns() {
        // The C library stores no vectors of length zero here.
        0 => Ok(reader.optional_reals(&path(name))?.unwrap_or_default()),
        _ => reader.reals(&path(name)),
    };
    Ok(Some(StoredSolution {
        v: when(problem.velocities().is_some(), "v")?,
        u: contact("u")?,
        r: contact("r")?,
        l: when(problem.bilaterals().is_some(), "l")?,
    }))
}

//! From a problem to bytes.

use std::path::Path;

use hdf5_pure::{CharacterSet, Datatype, FileBuilder, GroupBuilder, LibVer, StringPadding};

use super::error::Blame;
use super::problem::{FclibFile, FclibProblem, Info, StoredSolution};
use super::{FclibError, matrix, save, validate};

/// Writes a file: matrices in compressed columns, 32-bit indices, 64-bit reals, HDF5 1.8 format.
///
/// The data go to a temporary file in the same folder, which then takes the place of `path`: whatever
/// happens, `path` holds the old file or the new one.
///
/// # Errors
/// The data break a rule (sizes, signs, finite numbers), or the file cannot be written.
pub fn write(path: &Path, file: &FclibFile) -> Result<(), FclibError> {
    let name = path.display().to_string();
    let blame = Blame { file: &name };
    let bytes = encode(blame, file)?;
    save::replace(path, &bytes).map_err(|source| blame.io("write it", source))
}

/// The bytes [`write()`] would store.
///
/// # Errors
/// The data break a rule (sizes, signs, finite numbers).
pub fn to_bytes(file: &FclibFile) -> Result<Vec<u8>, FclibError> {
    encode(Blame { file: "FCLIB data" }, file)
}

fn encode(blame: Blame<'_>, file: &FclibFile) -> Result<Vec<u8>, FclibError> {
    validate::check(blame, file)?;
    let mut root = FileBuilder::new();
    root.with_libver_bounds(LibVer::Earliest, LibVer::V18);

    let path = file.problem.group();
    let mut group = root.create_group(path.trim_start_matches('/'));
    add_problem(blame, &mut group, path, &file.problem)?;
    add_info(blame, &mut group, path, &file.info)?;
    root.add_group(group.finish());

    for (name, solution) in [("solution", &file.solution), ("solution_ccp", &file.solution_ccp)] {
        if let Some(solution) = solution {
            let mut group = root.create_group(name);
            add_solution(&mut group, solution);
            root.add_group(group.finish());
        }
    }
    if !file.guesses.is_empty() {
        let mut group = root.create_group("guesses");
        let count = file.guesses.len();
        let count = i32::try_from(count)
            .map_err(|_| blame.bad_value("/guesses/number_of_guesses", count, "a number of 32 bits"))?;
        group.create_dataset("number_of_guesses").with_i32_data(&[count]);
        for (at, guess) in file.guesses.iter().enumerate() {
            let mut one = group.create_group(&(at + 1).to_string());
            add_solution(&mut one, guess);
            group.add_group(one.finish());
        }
        root.add_group(group.finish());
    }
    root.finish().map_err(|error| blame.damaged("/", error))
}

fn add_problem(
    blame: Blame<'_>,
    group: &mut GroupBuilder,
    path: &str,
    problem: &FclibProblem,
) -> Result<(), FclibError> {
    // 2, 3 or 5: checked before.
    let dimension = problem.dimension() as i32;
    group.create_dataset("spacedim").with_i32_data(&[dimension]);
    let (matrices, vectors) = match problem {
        FclibProblem::Local(p) => (
            vec![("W", Some(&p.w)), ("V", p.v.as_ref()), ("R", p.r.as_ref())],
            vec![("q", Some(&p.q)), ("s", p.s.as_ref()), ("mu", Some(&p.mu)), ("mu_r", p.mu_r.as_ref())],
        ),
        FclibProblem::Global(p) => (
            vec![("M", Some(&p.m)), ("H", Some(&p.h)), ("G", p.g.as_ref())],
            vec![
                ("f", Some(&p.f)),
                ("w", Some(&p.w)),
                ("b", p.b.as_ref()),
                ("mu", Some(&p.mu)),
                ("mu_r", p.mu_r.as_ref()),
            ],
        ),
    };
    for (name, matrix) in matrices {
        if let Some(matrix) = matrix {
            matrix::write(blame, group, &format!("{path}/{name}"), matrix)?;
        }
    }
    let mut inner = group.create_group("vectors");
    for (name, values) in vectors {
        if let Some(values) = values {
            inner.create_dataset(name).with_f64_data(values);
        }
    }
    group.add_group(inner.finish());
    Ok(())
}

fn add_solution(group: &mut GroupBuilder, solution: &StoredSolution) {
    let vectors =
        [("v", solution.v.as_ref()), ("u", Some(&solution.u)), ("r", Some(&solution.r)), ("l", solution.l.as_ref())];
    for (name, values) in vectors {
        if let Some(values) = values {
            group.create_dataset(name).with_f64_data(values);
        }
    }
}

/// Scalar strings of fixed length with a final NUL: the C library copies them into a buffer of that length.
fn add_info(blame: Blame<'_>, group: &mut GroupBuilder, path: &str, info: &Info) -> Result<(), FclibError> {
    let mut inner = group.create_group("info");
    for (name, text) in [("title", &info.title), ("description", &info.description), ("math_info", &info.math_info)] {
        let mut bytes = text.clone().into_bytes();
        bytes.push(0);
        let size = u32::try_from(bytes.len())
            .map_err(|_| blame.wrong_size(format!("{path}/info/{name}"), format!("{} bytes", bytes.len()), "4 GB"))?;
        let charset = if text.is_ascii() { CharacterSet::Ascii } else { CharacterSet::Utf8 };
        let datatype = Datatype::String { size, padding: StringPadding::NullTerminate, charset };
        inner.create_dataset(name).with_raw_data(datatype, bytes, 1).with_shape(&[]);
    }
    group.add_group(inner.finish());
    Ok(())
}

//! Sparse matrices of a file: three storages in, one out.

use hdf5_pure::GroupBuilder;
use signorini_linalg::CscMatrix;

use super::FclibError;
use super::dataset::{Reader, length};
use super::error::Blame;

/// The number of rows or columns a matrix must have, and why.
#[derive(Clone, Copy)]
pub(super) struct Extent<'a> {
    pub(super) size: usize,
    /// The data set whose length it is.
    pub(super) of: &'a str,
}

/// Reads a matrix of known size: nothing is allocated for a size the vectors of the file do not have.
pub(super) fn read(
    reader: &Reader<'_>,
    group: &str,
    rows: Extent<'_>,
    cols: Extent<'_>,
) -> Result<CscMatrix, FclibError> {
    let blame = reader.blame;
    if !reader.has_group(group)? {
        return Err(blame.missing(group, "expected a matrix"));
    }
    let at = |name: &str| format!("{group}/{name}");
    for (name, extent) in [("m", rows), ("n", cols)] {
        let found = reader.integer(&at(name))?;
        if usize::try_from(found) != Ok(extent.size) {
            let expected = format!("{}, the length of {}", extent.size, extent.of);
            return Err(blame.bad_value(at(name), found, expected));
        }
    }
    let (nz, nzmax) = (reader.integer(&at("nz"))?, reader.integer(&at("nzmax"))?);
    let (p, i, x) = (reader.integers(&at("p"))?, reader.integers(&at("i"))?, reader.reals(&at("x"))?);
    let (rows, cols) = (rows.size, cols.size);
    let stored = i.len().min(x.len());

    let (entries, matrix) = match nz {
        -1 => {
            let p = pointers(blame, &at("p"), &p, cols, stored)?;
            let entries = p[cols];
            let i = indices(blame, &at("i"), &i[..entries], rows, "row")?;
            (entries, CscMatrix::from_compressed_columns(rows, cols, &p, &i, &x[..entries]))
        }
        -2 => {
            let p = pointers(blame, &at("p"), &p, rows, stored)?;
            let entries = p[rows];
            let i = indices(blame, &at("i"), &i[..entries], cols, "column")?;
            (entries, CscMatrix::from_compressed_rows(rows, cols, &p, &i, &x[..entries]))
        }
        // Triplets: p holds columns and i holds rows (see the module documentation).
        count if count >= 0 => {
            let entries = usize::try_from(count).unwrap_or(usize::MAX);
            for (name, found) in [("p", p.len()), ("i", i.len()), ("x", x.len())] {
                if found < entries {
                    let expected = format!("at least {}, the value of {}", length(entries), at("nz"));
                    return Err(blame.wrong_size(at(name), length(found), expected));
                }
            }
            let col = indices(blame, &at("p"), &p[..entries], cols, "column")?;
            let row = indices(blame, &at("i"), &i[..entries], rows, "row")?;
            let triplets = (0..entries).map(|e| (row[e], col[e], x[e]));
            (entries, CscMatrix::from_triplets(rows, cols, triplets))
        }
        other => {
            let expected = "-1 (compressed columns), -2 (compressed rows) or the number of triplets";
            return Err(blame.bad_value(at("nz"), other, expected));
        }
    };
    if usize::try_from(nzmax).map_or(true, |nzmax| nzmax < entries) {
        return Err(blame.bad_value(at("nzmax"), nzmax, format!("at least {entries}, the number of entries")));
    }
    let matrix = matrix.map_err(|error| blame.damaged(group, error))?;
    check_finite(blame, group, &matrix)?; // duplicates can add up to infinity
    Ok(matrix)
}

/// Column or row pointers: one more than columns, from 0 upwards, none beyond the stored entries.
fn pointers(blame: Blame<'_>, path: &str, p: &[i64], count: usize, stored: usize) -> Result<Vec<usize>, FclibError> {
    if p.len() != count + 1 {
        return Err(blame.wrong_size(path, length(p.len()), length(count + 1)));
    }
    let mut previous = 0;
    p.iter()
        .enumerate()
        .map(|(at, &found)| {
            let value = usize::try_from(found).ok().filter(|value| (previous..=stored).contains(value));
            match value {
                Some(value) if at > 0 || value == 0 => {
                    previous = value;
                    Ok(value)
                }
                _ => {
                    let expected = match at {
                        0 => "0".into(),
                        _ => format!("a pointer in {previous}..={stored}, never less than the one before"),
                    };
                    Err(blame.bad_value(format!("{path}[{at}]"), found, expected))
                }
            }
        })
        .collect()
}

fn indices(
    blame: Blame<'_>,
    path: &str,
    found: &[i64],
    limit: usize,
    axis: &'static str,
) -> Result<Vec<usize>, FclibError> {
    let check = |(at, &value)| match usize::try_from(value) {
        Ok(index) if index < limit => Ok(index),
        _ => Err(blame.bad_value(format!("{path}[{at}]"), value, format!("a {axis} index in 0..{limit}"))),
    };
    found.iter().enumerate().map(check).collect()
}

pub(super) fn check_finite(blame: Blame<'_>, group: &str, matrix: &CscMatrix) -> Result<(), FclibError> {
    match matrix.triplets().find(|(_, _, value)| !value.is_finite()) {
        None => Ok(()),
        Some((row, col, value)) => {
            Err(blame.bad_value(format!("the entry of {group} at row {row}, column {col}"), value, "a finite number"))
        }
    }
}

/// Stores a matrix as compressed columns.
pub(super) fn write(
    blame: Blame<'_>,
    parent: &mut GroupBuilder,
    path: &str,
    matrix: &CscMatrix,
) -> Result<(), FclibError> {
    let narrow = |name: &str, value: usize| {
        i32::try_from(value).map_err(|_| blame.bad_value(format!("{path}/{name}"), value, "a number of 32 bits"))
    };
    let narrow_all = |name: &str, values: &[usize]| -> Result<Vec<i32>, FclibError> {
        values.iter().map(|&value| narrow(name, value)).collect()
    };
    let mut group = parent.create_group(path.rsplit('/').next().unwrap_or(path));
    for (name, value) in [
        ("m", narrow("m", matrix.nrows())?),
        ("n", narrow("n", matrix.ncols())?),
        ("nz", -1),
        ("nzmax", narrow("nzmax", matrix.nnz())?),
    ] {
        group.create_dataset(name).with_i32_data(&[value]);
    }
    group.create_dataset("p").with_i32_data(&narrow_all("p", matrix.col_ptr())?);
    group.create_dataset("i").with_i32_data(&narrow_all("i", matrix.row_idx())?);
    group.create_dataset("x").with_f64_data(matrix.values());
    parent.add_group(group.finish());
    Ok(())
}

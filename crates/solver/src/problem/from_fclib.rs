//! Between FCLIB problems and ours.
//!
//! | FCLIB | here |
//! |---|---|
//! | global: M v = H r + G l + f | H = M, c = −f, J = (H G)ᵀ |
//! | u = Hᵀv + w, 0 = Gᵀv + b | offset (−w, −b) |
//! | local: u = W r + V l + q, 0 = Vᵀr + R l + s | condensed, N = [W V; Vᵀ R], offset (−q, −s) |

use super::body_partition::merged_runs;
use super::builder::symmetric_part;
use super::{BlockDiagonal, Compliance, ConeProblem, Inertia, Names, ProblemError, RowBlocks};
use crate::cone::Cone;
use crate::fclib::{FclibProblem, GlobalProblem, LocalProblem, StoredSolution};
use signorini_linalg::CscMatrix;

/// Largest block of a mass matrix kept dense (small finite-element bodies); larger ones are factorised sparsely.
const LARGEST_DENSE_BLOCK: usize = 64;

/// Makes our problem of an FCLIB problem (the relaxed law: friction cones as they are).
///
/// # Errors
/// Numbers that make no problem.
pub fn from_fclib(problem: &FclibProblem) -> Result<ConeProblem, ProblemError> {
    match problem {
        FclibProblem::Local(local) => from_local(local),
        FclibProblem::Global(global) => from_global(global),
    }
}

/// The cones of the contacts, rolling ones if `mu_r` is given.
fn contact_cones(mu: &[f64], mu_r: Option<&[f64]>) -> Vec<Cone> {
    match mu_r {
        Some(mu_r) => mu.iter().zip(mu_r).map(|(&mu, &mu_r)| Cone::Rolling { mu, mu_r }).collect(),
        None => mu.iter().map(|&mu| Cone::Friction { mu }).collect(),
    }
}

fn from_local(local: &LocalProblem) -> Result<ConeProblem, ProblemError> {
    let contacts = contact_cones(&local.mu, local.mu_r.as_deref());
    let mut cones: Vec<(Cone, usize)> = contacts.into_iter().map(|cone| (cone, local.dimension)).collect();
    let mut q = local.q.clone();
    let matrix = match (&local.v, &local.r, &local.s) {
        (Some(v), Some(r), Some(s)) => {
            let m = local.w.nrows();
            for (what, found, expected) in [
                ("rows of V", v.nrows(), m),
                ("columns of V", v.ncols(), s.len()),
                ("rows of R", r.nrows(), s.len()),
                ("columns of R", r.ncols(), s.len()),
            ] {
                if found != expected {
                    return Err(ProblemError::Size { what: what.into(), found, expected: expected.to_string() });
                }
            }
            q.extend_from_slice(s);
            cones.extend(s.iter().map(|_| (Cone::Free, 1)));
            let triplets = local
                .w
                .triplets()
                .chain(v.triplets().flat_map(|(row, column, x)| [(row, m + column, x), (m + column, row, x)]))
                .chain(r.triplets().map(|(row, column, x)| (m + row, m + column, x)));
            let size = m + s.len();
            CscMatrix::from_triplets(size, size, triplets).unwrap_or_else(|error| {
                unreachable!("entries of matrices, finite, in their places within {size} rows: {error}")
            })
        }
        _ => local.w.clone(),
    };
    ConeProblem::condensed(matrix, q, &cones)
}

fn from_global(global: &GlobalProblem) -> Result<ConeProblem, ProblemError> {
    let mut remarks = Vec::new();
    let mass = symmetric_part("M", global.m.clone(), &mut remarks)?;
    let mut rows = RowBlocks::new();
    let d = global.dimension;
    for contact in 0..global.mu.len() {
        push_columns(&global.h, contact * d..(contact + 1) * d, &mut rows);
    }
    let mut cones = contact_cones(&global.mu, global.mu_r.as_deref());
    let mut offset: Vec<f64> = global.w.iter().map(|w| -w).collect();
    if let (Some(g), Some(b)) = (&global.g, &global.b) {
        (0..b.len()).for_each(|row| push_columns(g, row..row + 1, &mut rows));
        cones.extend(b.iter().map(|_| Cone::Free));
        offset.extend(b.iter().map(|b| -b));
    }
    let inertia = block_diagonal(&mass, &rows).map_or_else(|| Inertia::sparse(mass.clone()), Inertia::BlockDiagonal);
    let linear: Vec<f64> = global.f.iter().map(|f| -f).collect();
    let mut problem =
        ConeProblem::from_parts(inertia, linear, rows, cones, offset, Compliance::Zero, Names::default(), remarks)?;
    if !problem.remarks.is_empty() {
        problem.keep_free_motion_of(&global.m, &mass)?;
    }
    Ok(problem)
}

/// Columns of H become the rows of one block.
fn push_columns(h: &CscMatrix, columns: std::ops::Range<usize>, rows: &mut RowBlocks) {
    let lines: Vec<Vec<(usize, f64)>> = columns
        .map(|column| {
            let (dofs, values) = h.col(column);
            dofs.iter().zip(values).filter(|(_, value)| **value != 0.0).map(|(&dof, &value)| (dof, value)).collect()
        })
        .collect();
    let views: Vec<&[(usize, f64)]> = lines.iter().map(Vec::as_slice).collect();
    rows.push(&views);
}

/// The mass matrix as dense blocks, if it is made of small ones.
fn block_diagonal(mass: &CscMatrix, rows: &RowBlocks) -> Option<BlockDiagonal> {
    let start = merged_runs(mass, rows);
    let mut blocks = BlockDiagonal::new();
    for body in start.windows(2) {
        let (first, n) = (body[0], body[1] - body[0]);
        if n > LARGEST_DENSE_BLOCK {
            return None;
        }
        let mut block = vec![0.0; n * n];
        for column in first..first + n {
            let (entries, values) = mass.col(column);
            for (&row, &value) in entries.iter().zip(values).filter(|(_, value)| **value != 0.0) {
                if row < first || row >= first + n {
                    return None;
                }
                block[(row - first) * n + column - first] = value;
            }
        }
        blocks.push(n, &block);
    }
    Some(blocks)
}

/// Makes an FCLIB problem of ours. Frictionless rows become contacts with μ = 0 and empty tangents; beside rolling
/// contacts, others become contacts with μ_r = 0 and empty rolling rows.
///
/// # Errors
/// Compliance besides a condensed matrix, and plane contacts mixed with contacts in space, have no FCLIB form.
pub fn to_fclib(problem: &ConeProblem) -> Result<FclibProblem, ProblemError> {
    let layout = Layout::new(problem)?;
    let (contacts, bilaterals) = (layout.mu.len() * layout.dimension, layout.bilaterals);
    let place = |row: usize| layout.place[row];
    let split = |values: &[f64]| {
        let (mut contact, mut bilateral) = (vec![0.0; contacts], vec![0.0; bilaterals]);
        for (row, value) in values.iter().enumerate() {
            match place(row) {
                Place::Contact(at) => contact[at] = *value,
                Place::Bilateral(at) => bilateral[at] = *value,
            }
        }
        (contact, bilateral)
    };
    let negative: Vec<f64> = problem.offset().iter().map(|b| -b).collect();
    let (constant, bilateral_constant) = split(&negative);
    let any = bilaterals > 0;
    let matrix = |rows, columns, entries: Vec<(usize, usize, f64)>| {
        CscMatrix::from_triplets(rows, columns, entries).unwrap_or_else(|error| {
            unreachable!("entries of a checked problem, in the places the layout gave its rows: {error}")
        })
    };
    let dimension = layout.dimension;
    match problem.compliance() {
        Compliance::Diagonal(_) => Err(ProblemError::Unsupported { what: "compliance in FCLIB files".into() }),
        Compliance::Matrix(n) => {
            let (mut w, mut v, mut r) = (Vec::new(), Vec::new(), Vec::new());
            for (row, column, value) in n.triplets() {
                match (place(row), place(column)) {
                    (Place::Contact(i), Place::Contact(j)) => w.push((i, j, value)),
                    (Place::Contact(i), Place::Bilateral(j)) => v.push((i, j, value)),
                    (Place::Bilateral(i), Place::Bilateral(j)) => r.push((i, j, value)),
                    (Place::Bilateral(_), Place::Contact(_)) => {}
                }
            }
            Ok(FclibProblem::Local(LocalProblem {
                dimension,
                w: matrix(contacts, contacts, w),
                v: any.then(|| matrix(contacts, bilaterals, v)),
                r: any.then(|| matrix(bilaterals, bilaterals, r)),
                q: constant,
                s: any.then_some(bilateral_constant),
                mu: layout.mu,
                mu_r: layout.mu_r,
            }))
        }
        Compliance::Zero => {
            let n = problem.velocities();
            let (mut h, mut g) = (Vec::new(), Vec::new());
            for k in 0..problem.blocks() {
                let block = problem.rows().block(k);
                for (r, row) in problem.rows().rows_of(k).enumerate() {
                    for (&column, &value) in block.columns.iter().zip(block.row(r)) {
                        match place(row) {
                            Place::Contact(at) => h.push((column, at, value)),
                            Place::Bilateral(at) => g.push((column, at, value)),
                        }
                    }
                }
            }
            Ok(FclibProblem::Global(GlobalProblem {
                dimension,
                m: matrix(n, n, problem.inertia().triplets().into_iter().filter(|e| e.2 != 0.0).collect()),
                h: matrix(n, contacts, h),
                g: any.then(|| matrix(n, bilaterals, g)),
                f: problem.linear().iter().map(|c| -c).collect(),
                w: constant,
                b: any.then_some(bilateral_constant),
                mu: layout.mu,
                mu_r: layout.mu_r,
            }))
        }
    }
}

/// An answer (v, g) with y = Jv − b + Eg, in the rows of [`to_fclib`].
///
/// # Errors
/// As [`to_fclib`].
pub fn solution_to_fclib(
    problem: &ConeProblem,
    velocity: &[f64],
    impulse: &[f64],
    relative_velocity: &[f64],
) -> Result<StoredSolution, ProblemError> {
    let layout = Layout::new(problem)?;
    let contacts = layout.mu.len() * layout.dimension;
    let mut stored = StoredSolution {
        v: (!problem.is_condensed()).then(|| velocity.to_vec()),
        u: vec![0.0; contacts],
        r: vec![0.0; contacts],
        l: (layout.bilaterals > 0).then(|| vec![0.0; layout.bilaterals]),
    };
    for (row, place) in layout.place.iter().enumerate() {
        match *place {
            Place::Contact(at) => {
                stored.u[at] = relative_velocity[row];
                stored.r[at] = impulse[row];
            }
            Place::Bilateral(at) => {
                if let Some(l) = &mut stored.l {
                    l[at] = impulse[row];
                }
            }
        }
    }
    Ok(stored)
}

/// Where each of our rows stands in an FCLIB file.
struct Layout {
    dimension: usize,
    mu: Vec<f64>,
    /// Given if any contact resists rolling.
    mu_r: Option<Vec<f64>>,
    bilaterals: usize,
    place: Vec<Place>,
}

#[derive(Clone, Copy)]
enum Place {
    Contact(usize),
    Bilateral(usize),
}

impl Layout {
    fn new(problem: &ConeProblem) -> Result<Self, ProblemError> {
        let contact_rows = || {
            let contacts = problem.each_block();
            contacts.filter(|(_, cone)| !matches!(cone, Cone::Free | Cone::NonNegative)).map(|(rows, _)| rows.len())
        };
        let dimension = contact_rows().max().unwrap_or(3);
        // Spatial contacts fit among rolling ones.
        if contact_rows().any(|rows| rows != dimension && (rows, dimension) != (3, 5)) {
            return Err(ProblemError::Unsupported { what: "plane and spatial contacts in one FCLIB file".into() });
        }
        let mut this = Self { dimension, mu: Vec::new(), mu_r: None, bilaterals: 0, place: Vec::new() };
        let mut rolling = Vec::new();
        for (rows, cone) in problem.each_block() {
            match cone {
                Cone::Friction { mu } | Cone::Rolling { mu, .. } => {
                    let first = this.mu.len() * dimension;
                    this.place.extend((0..rows.len()).map(|r| Place::Contact(first + r)));
                    this.mu.push(mu);
                    rolling.push(if let Cone::Rolling { mu_r, .. } = cone { mu_r } else { 0.0 });
                }
                Cone::NonNegative => {
                    for _ in rows {
                        this.place.push(Place::Contact(this.mu.len() * dimension));
                        this.mu.push(0.0);
                        rolling.push(0.0);
                    }
                }
                Cone::Free => {
                    for _ in rows {
                        this.place.push(Place::Bilateral(this.bilaterals));
                        this.bilaterals += 1;
                    }
                }
            }
        }
        this.mu_r = (dimension == 5).then_some(rolling);
        Ok(this)
    }
}

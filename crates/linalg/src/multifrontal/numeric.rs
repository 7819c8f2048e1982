//! The numeric phase and solves.

use super::front::{Front, scratch};
use super::symbolic::{MultifrontalStructure, Node, Region};
use crate::{FactorError, Threads};
use faer::dyn_stack::MemBuffer;
use rayon::prelude::*;
use std::sync::Arc;

/// A Cholesky factor made of dense fronts, with the memory to make it again.
///
/// ```
/// use signorini_linalg::{Graph, Multifrontal, MultifrontalStructure, Threads};
/// // Three unit masses in a row, joined by two springs: elements on rows (0,1) and (1,2), masses on each row.
/// let rows: [&[usize]; 5] = [&[0], &[1], &[2], &[0, 1], &[1, 2]];
/// let graph = Graph::from_cliques(3, vec![1; 3], rows)?;
/// let structure = MultifrontalStructure::analyse(&graph, &[0, 1, 2], rows)?;
/// let mut factor = Multifrontal::new(structure.into(), Threads::One);
/// factor.factorise(&|element, out| match element {
///     0..3 => out[0] = 1.0,
///     _ => out.copy_from_slice(&[1.0, -1.0, -1.0, 1.0]),
/// })?;
/// let mut x = [1.0, 0.0, 0.0];
/// factor.solve_in_place(&mut x);
/// assert!((x[0] - 0.625).abs() < 1e-15 && (x[2] - 0.125).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Multifrontal {
    structure: Arc<MultifrontalStructure>,
    threads: Threads,
    regions: Vec<RegionStorage>,
    permuted: Vec<f64>,
    local: Vec<f64>,
}

pub(super) struct RegionStorage {
    pub(super) factor: Vec<f64>,
    work: Vec<f64>,
    element: Vec<f64>,
    scratch: MemBuffer,
}

/// Room for the factor and the work of every region.
pub(super) fn reserve(structure: &MultifrontalStructure) -> Vec<RegionStorage> {
    let room = |region: &Region| {
        let largest = region.nodes.iter().map(|&s| structure.nodes[s].pivots).max().unwrap_or(0);
        RegionStorage {
            factor: vec![0.0; region.factor],
            work: vec![0.0; region.work],
            element: vec![0.0; structure.largest_element.pow(2)],
            scratch: scratch(largest),
        }
    };
    structure.regions.iter().map(room).collect()
}

/// Fills the fronts with the matrix: `assemble(node, front, room for an element)` adds what is eliminated there.
pub(super) trait Assemble: Fn(usize, &mut Front<'_>, &mut [f64]) + Sync {}
impl<F: Fn(usize, &mut Front<'_>, &mut [f64]) + Sync> Assemble for F {}

/// Factorises into `regions`, by the threads asked for where that pays.
pub(super) fn factorise(
    structure: &MultifrontalStructure,
    regions: &mut [RegionStorage],
    threads: Threads,
    assemble: &impl Assemble,
) -> Result<(), FactorError> {
    match threads {
        Threads::One => eliminate(structure, regions, false, assemble),
        // One entry into the pool: every split below then starts on one of its threads, without a handover.
        Threads::Pool if structure.flops() > THREADS_FROM => {
            rayon::scope(|_| eliminate(structure, regions, true, assemble))
        }
        Threads::Pool => eliminate(structure, regions, false, assemble),
    }
}

fn eliminate(
    structure: &MultifrontalStructure,
    regions: &mut [RegionStorage],
    threads: bool,
    assemble: &impl Assemble,
) -> Result<(), FactorError> {
    let Some((top, subtrees)) = regions.split_last_mut() else { return Ok(()) };
    let run = |(region, storage): (usize, &mut RegionStorage)| {
        eliminate_region(structure, region, storage, &[], assemble, false)
    };
    if threads {
        // Every subtree is finished even if one fails, so the error reported does not depend on timing.
        let outcomes: Vec<_> = subtrees.par_iter_mut().enumerate().map(run).collect();
        outcomes.into_iter().collect::<Result<(), _>>()?;
    } else {
        subtrees.iter_mut().enumerate().try_for_each(run)?;
    }
    eliminate_region(structure, subtrees.len(), top, subtrees, assemble, threads)
}

/// Operations below which waking a second thread costs more than it gains (measured with the example
/// `factorisation_speed`: 512 bodies on a grid gain a fifth, 1000 a third, 4000 two fifths).
const THREADS_FROM: f64 = 5e7;

impl Multifrontal {
    /// Reserves the memory of a factor.
    #[must_use]
    pub fn new(structure: Arc<MultifrontalStructure>, threads: Threads) -> Self {
        let regions = reserve(&structure);
        let (permuted, local) = (vec![0.0; structure.dimension], vec![0.0; structure.largest_front]);
        Self { structure, threads, regions, permuted, local }
    }

    /// The symbolic phase.
    #[must_use]
    pub fn structure(&self) -> &Arc<MultifrontalStructure> {
        &self.structure
    }

    /// Factorises the sum of the elements; `fill(e, out)` writes the lower triangle of element e, column-major.
    ///
    /// # Errors
    /// [`FactorError::Pivot`] if the matrix is not positive definite to working accuracy.
    pub fn factorise(&mut self, fill: &(impl Fn(usize, &mut [f64]) + Sync)) -> Result<(), FactorError> {
        let Self { structure, threads, regions, .. } = self;
        let structure = &**structure;
        factorise(structure, regions, *threads, &|s, front: &mut Front<'_>, element: &mut [f64]| {
            for &(number, first, count) in &structure.nodes[s].elements {
                let local = &structure.element_rows[first as usize..(first + count) as usize];
                let element = &mut element[..local.len().pow(2)];
                fill(number as usize, element);
                front.add_element(local, element);
            }
        })
    }

    /// Replaces `rhs` by A⁻¹ rhs.
    pub fn solve_in_place(&mut self, rhs: &mut [f64]) {
        let Self { structure, regions, permuted, local, .. } = self;
        for (&place, value) in structure.place.iter().zip(rhs.iter()) {
            permuted[place] = *value;
        }
        for node in &structure.nodes {
            forward(node, panel(node, regions), permuted, local);
        }
        for node in structure.nodes.iter().rev() {
            backward(node, panel(node, regions), permuted, local);
        }
        for (&place, value) in structure.place.iter().zip(rhs.iter_mut()) {
            *value = permuted[place];
        }
    }
}

fn panel<'a>(node: &Node, regions: &'a [RegionStorage]) -> &'a [f64] {
    let rows = node.pivots + node.border.len();
    &regions[node.region].factor[node.panel..node.panel + rows * node.pivots]
}

fn eliminate_region(
    structure: &MultifrontalStructure,
    region: usize,
    storage: &mut RegionStorage,
    others: &[RegionStorage],
    assemble: &impl Assemble,
    threads: bool,
) -> Result<(), FactorError> {
    let RegionStorage { factor, work, element, scratch } = storage;
    for &s in &structure.regions[region].nodes {
        let node = &structure.nodes[s];
        let border = node.border.len();
        let panel = &mut factor[node.panel..node.panel + (node.pivots + border) * node.pivots];
        let (before, rest) = work.split_at_mut(if border == 0 { 0 } else { node.update });
        let (update, after) = rest.split_at_mut(border * border);
        let mut front = Front { pivots: node.pivots, border, panel, update };
        front.clear();
        assemble(s, &mut front, element);
        for &child in &node.children {
            let child = &structure.nodes[child];
            let size = child.border.len().pow(2);
            let update = if child.region != region {
                &others[child.region].work[child.update..child.update + size]
            } else if size == 0 {
                &[]
            } else if child.update < before.len() {
                &before[child.update..child.update + size]
            } else {
                let start = child.update - before.len() - border * border;
                &after[start..start + size]
            };
            front.add_update(child.border.len(), &child.in_parent, update);
        }
        front.eliminate(threads, scratch).map_err(|error| match error {
            FactorError::Pivot { pivot } => FactorError::Pivot { pivot: node.first + pivot },
            other => other,
        })?;
    }
    Ok(())
}

/// x ← L⁻¹x for one node: pivots by substitution, border rows updated.
fn forward(node: &Node, panel: &[f64], x: &mut [f64], local: &mut [f64]) {
    let rows = node.pivots + node.border.len();
    let local = &mut local[..rows];
    local[..node.pivots].copy_from_slice(&x[node.first..node.first + node.pivots]);
    local[node.pivots..].fill(0.0);
    for (j, column) in panel.chunks_exact(rows).enumerate() {
        let value = local[j] / column[j];
        local[j] = value;
        for (x, l) in local[j + 1..].iter_mut().zip(&column[j + 1..]) {
            *x -= l * value;
        }
    }
    x[node.first..node.first + node.pivots].copy_from_slice(&local[..node.pivots]);
    for (&row, value) in node.border.iter().zip(&local[node.pivots..]) {
        x[row as usize] += value;
    }
}

/// x ← L⁻ᵀx for one node.
fn backward(node: &Node, panel: &[f64], x: &mut [f64], local: &mut [f64]) {
    let rows = node.pivots + node.border.len();
    let local = &mut local[..rows];
    local[..node.pivots].copy_from_slice(&x[node.first..node.first + node.pivots]);
    for (&row, value) in node.border.iter().zip(&mut local[node.pivots..]) {
        *value = x[row as usize];
    }
    for (j, column) in panel.chunks_exact(rows).enumerate().rev() {
        local[j] = (local[j] - dot(&column[j + 1..], &local[j + 1..])) / column[j];
    }
    x[node.first..node.first + node.pivots].copy_from_slice(&local[..node.pivots]);
}

/// Dot product in eight partial sums, which the compiler keeps in vector registers.
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let tail: f64 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    sums.iter().sum::<f64>() + tail
}

//! Forces of all elements and their matrix, added up in a fixed order whatever the threads.
//!
//! Elements are taken in chunks. Of a chunk, first every element writes force and matrix to a place of its own, then every part of
//! the nodes takes what belongs to its columns, element by element: two parallel loops without a race, no sum depends on threads.

use super::element::Tangent;
use super::elements::{MOST_NODES, Response};
use super::field::{Failure, Field, gather};
use crate::Vec3;
use rayon::prelude::*;
use signorini_linalg::CscMatrix;
use std::ops::Range;

/// Elements of a chunk: what they write stays in the cache.
const CHUNK: usize = 2048;
/// Parts the nodes are cut into.
const PARTS: usize = 16;
/// A node that has no columns.
const NO_COLUMN: usize = usize::MAX;

/// Forces, resistances and entries of one element or part, with its number.
type Numbered<'a> = (usize, ((&'a mut [Vec3], &'a mut [Vec3]), &'a mut [f64]));

/// One place of a chunk's results that belongs to a node or a block.
#[derive(Clone, Copy)]
struct Share {
    /// The node; the first entry of the block in the values of its part.
    target: u32,
    /// The element within the chunk.
    element: u32,
    /// Local nodes: row and column.
    local: [u8; 2],
}

struct Chunk {
    body: usize,
    elements: Range<usize>,
    /// By part: shares of forces, sorted by node.
    forces: Vec<Vec<Share>>,
    /// By part: shares of blocks, sorted by block.
    blocks: Vec<Vec<Share>>,
}

/// The pattern of the nodes' matrix and where every element's entries go.
pub(crate) struct Assembly {
    chunks: Vec<Chunk>,
    /// First node of every part, and the end.
    part_start: Vec<usize>,
    /// First value of every part in the matrix, and the end.
    value_start: Vec<usize>,
    /// Length of the columns of every node; 0 where it has none.
    column_length: Vec<u32>,
    parallel: bool,
    /// Results of a chunk.
    force: Vec<Vec3>,
    resistance: Vec<Vec3>,
    matrix: Vec<f64>,
}

/// What is asked of the elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) tangent: Tangent,
    /// Factors of K and R.
    pub(crate) scales: [f64; 2],
    /// How far ahead of the start of the step all nodes are, d \[m\]: K d is then added to R v.
    pub(crate) ahead: Option<&'a [Vec3]>,
}

/// What [`Assembly::run`] adds to.
pub(crate) struct Sums<'a> {
    /// Forces on nodes \[N\].
    pub(crate) force: &'a mut [Vec3],
    /// R v of nodes \[N\].
    pub(crate) resistance: &'a mut [Vec3],
    /// Values of the matrix that [`Assembly::new`] was given.
    pub(crate) values: &'a mut [f64],
}

/// Pairs of nodes that share an element, both ways, each node with itself; sorted, without those that have no columns.
pub(crate) fn neighbours(field: &Field, column: impl Fn(usize) -> Option<usize>) -> Vec<Vec<u32>> {
    let mut of = vec![Vec::new(); field.nodes()];
    let has = |node: u32| column(node as usize).is_some();
    for elements in field.elements() {
        for element in 0..elements.count() {
            let nodes = elements.nodes(element);
            for &a in nodes.iter().filter(|node| has(**node)) {
                of[a as usize].extend(nodes.iter().copied().filter(|node| has(*node)));
            }
            // Lists stay short while they grow.
            for &a in nodes {
                let list: &mut Vec<u32> = &mut of[a as usize];
                if list.len() > 256 {
                    list.sort_unstable();
                    list.dedup();
                }
            }
        }
    }
    for list in &mut of {
        list.sort_unstable();
        list.dedup();
    }
    of
}

impl Assembly {
    /// For a matrix whose columns of node n start at `column(n)`: a multiple of three columns of equal length, in which the rows of
    /// nodes come together and in the order of nodes.
    pub(crate) fn new(
        field: &Field,
        pattern: &CscMatrix,
        column: impl Fn(usize) -> Option<usize>,
        parallel: bool,
    ) -> Self {
        let nodes = field.nodes();
        let columns: Vec<usize> = (0..nodes).map(|node| column(node).unwrap_or(NO_COLUMN)).collect();
        let part_start: Vec<usize> = (0..=PARTS).map(|part| part * nodes / PARTS).collect();
        let end_of_matrix = pattern.nnz();
        // The first value of the first node from here on that has columns.
        let first_value = |node: usize| {
            let found = columns[node..].iter().find(|column| **column != NO_COLUMN);
            found.map_or(end_of_matrix, |&column| pattern.col_ptr()[column])
        };
        let value_start: Vec<usize> = part_start.iter().map(|&node| first_value(node)).collect();
        let column_length = columns
            .iter()
            .map(|&column| match column {
                NO_COLUMN => 0,
                column => (pattern.col_ptr()[column + 1] - pattern.col_ptr()[column]) as u32,
            })
            .collect();
        let part_of = |node: usize| part_start.partition_point(|&first| first <= node) - 1;
        let mut chunks = Vec::new();
        for (body, elements) in field.elements().iter().enumerate() {
            for first in (0..elements.count()).step_by(CHUNK) {
                let range = first..(first + CHUNK).min(elements.count());
                let (mut forces, mut blocks) = (vec![Vec::new(); PARTS], vec![Vec::new(); PARTS]);
                for (k, element) in range.clone().enumerate() {
                    let own = elements.nodes(element);
                    for (j, &b) in own.iter().enumerate() {
                        let part = part_of(b as usize);
                        let share = |target: usize, i: usize| Share {
                            target: target as u32,
                            element: k as u32,
                            local: [i as u8, j as u8],
                        };
                        forces[part].push(share(b as usize, 0));
                        if columns[b as usize] == NO_COLUMN {
                            continue;
                        }
                        for (i, &a) in own.iter().enumerate().filter(|(_, a)| columns[**a as usize] != NO_COLUMN) {
                            if let Some(at) = pattern.position(columns[a as usize], columns[b as usize]) {
                                blocks[part].push((share(at - value_start[part], i), b));
                            }
                        }
                    }
                }
                forces.iter_mut().for_each(|list: &mut Vec<Share>| list.sort_by_key(|share| share.target));
                let blocks = blocks.into_iter().map(|mut list| {
                    list.sort_by_key(|(share, _)| share.target);
                    list.into_iter().map(|(share, _): (Share, u32)| share).collect()
                });
                chunks.push(Chunk { body, elements: range, forces, blocks: blocks.collect() });
            }
        }
        let (force, resistance, matrix) = (Vec::new(), Vec::new(), Vec::new());
        Self { chunks, part_start, value_start, column_length, parallel, force, resistance, matrix }
    }

    /// Adds the forces of all elements, damping included.
    pub(crate) fn forces(
        &mut self,
        field: &Field,
        nodes: &[Vec3],
        velocities: &[Vec3],
        sum: &mut [Vec3],
    ) -> Result<(), Failure> {
        let Self { chunks, part_start, parallel, force, .. } = self;
        for chunk in &*chunks {
            let elements = &field.elements()[chunk.body];
            let width = elements.width();
            force.resize(width * CHUNK, Vec3::ZERO);
            let first = chunk.elements.start;
            let respond = |(k, force): (usize, &mut [Vec3])| {
                let own = elements.nodes(first + k);
                let (mut x, mut v) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
                let (x, v) = (gather(own, nodes, &mut x), gather(own, velocities, &mut v));
                let failed = |error| Failure { body: chunk.body, element: first + k, error };
                elements.force(first + k, x, v, force).map_err(failed)
            };
            let forces = &mut force[..width * chunk.elements.len()];
            let failure = if *parallel {
                let all = forces.par_chunks_exact_mut(width).enumerate().with_min_len(64);
                all.filter_map(|item| respond(item).err()).min_by_key(|failure| failure.element)
            } else {
                forces.chunks_exact_mut(width).enumerate().find_map(|item| respond(item).err())
            };
            if let Some(failure) = failure {
                return Err(failure);
            }
            let force = &*force;
            let take = |(part, forces): (usize, &mut [Vec3])| {
                for share in &chunk.forces[part] {
                    let from = share.element as usize * width + share.local[1] as usize;
                    forces[share.target as usize - part_start[part]] += force[from];
                }
            };
            let parts = cut(&mut *sum, part_start);
            if *parallel {
                parts.into_par_iter().enumerate().for_each(take);
            } else {
                parts.into_iter().enumerate().for_each(take);
            }
        }
        Ok(())
    }

    /// Adds forces, R v and s₀K + s₁R of all elements. The lower triangle decides: entries (i, j) and (j, i) are the same number.
    pub(crate) fn run(
        &mut self,
        field: &Field,
        nodes: &[Vec3],
        velocities: &[Vec3],
        ask: Ask<'_>,
        sums: Sums<'_>,
    ) -> Result<(), Failure> {
        let Self { chunks, part_start, value_start, column_length, parallel, force, resistance, matrix } = self;
        let Sums { force: force_sum, resistance: resistance_sum, values } = sums;
        for chunk in &*chunks {
            let elements = &field.elements()[chunk.body];
            let width = elements.width();
            let size = 9 * width * width;
            force.resize(width * CHUNK, Vec3::ZERO);
            resistance.resize(width * CHUNK, Vec3::ZERO);
            matrix.resize(size * CHUNK, 0.0);
            let first = chunk.elements.start;
            let respond = |(k, ((force, resistance), matrix)): Numbered<'_>| {
                let own = elements.nodes(first + k);
                let (mut x, mut v) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
                let (x, v) = (gather(own, nodes, &mut x), gather(own, velocities, &mut v));
                let mut room = [Vec3::ZERO; MOST_NODES];
                let ahead = ask.ahead.map(|all| gather(own, all, &mut room));
                let response = Response { force, resistance, matrix, ahead };
                elements.respond(first + k, x, v, ask.tangent, ask.scales, response).map_err(|error| Failure {
                    body: chunk.body,
                    element: first + k,
                    error,
                })
            };
            let count = chunk.elements.len();
            let (forces, resistances) = (&mut force[..width * count], &mut resistance[..width * count]);
            let matrices = &mut matrix[..size * count];
            let failure = if *parallel {
                let all = forces.par_chunks_exact_mut(width).zip(resistances.par_chunks_exact_mut(width));
                let all = all.zip(matrices.par_chunks_exact_mut(size)).enumerate().with_min_len(64);
                // The first failure in the order of elements, not of threads.
                all.filter_map(|item| respond(item).err()).min_by_key(|failure| failure.element)
            } else {
                let all = forces.chunks_exact_mut(width).zip(resistances.chunks_exact_mut(width));
                all.zip(matrices.chunks_exact_mut(size)).enumerate().find_map(|item| respond(item).err())
            };
            if let Some(failure) = failure {
                return Err(failure);
            }
            let (force, resistance, matrix) = (&*force, &*resistance, &*matrix);
            let column_length = &*column_length;
            let take = |(part, ((forces, resistances), values)): Numbered<'_>| {
                for share in &chunk.forces[part] {
                    let from = share.element as usize * width + share.local[1] as usize;
                    let at = share.target as usize - part_start[part];
                    forces[at] += force[from];
                    resistances[at] += resistance[from];
                }
                for share in &chunk.blocks[part] {
                    let [i, j] = share.local.map(usize::from);
                    let node = elements.nodes(first + share.element as usize)[j] as usize;
                    let (start, length) = (share.target as usize, column_length[node] as usize);
                    let matrix = &matrix[share.element as usize * size..][..size];
                    for column in 0..3 {
                        let values = &mut values[start + column * length..][..3];
                        for (row, value) in values.iter_mut().enumerate() {
                            let (r, c) = (3 * i + row, 3 * j + column);
                            // Both triangles from the lower one.
                            *value += matrix[r.max(c) * 3 * width + r.min(c)];
                        }
                    }
                }
            };
            let forces = cut(&mut *force_sum, part_start);
            let resistances = cut(&mut *resistance_sum, part_start);
            let parts: Vec<_> = forces.into_iter().zip(resistances).zip(cut(&mut *values, value_start)).collect();
            if *parallel {
                parts.into_par_iter().enumerate().for_each(take);
            } else {
                parts.into_iter().enumerate().for_each(take);
            }
        }
        Ok(())
    }
}

/// A slice cut at ascending places.
fn cut<'a, T>(mut slice: &'a mut [T], starts: &[usize]) -> Vec<&'a mut [T]> {
    let mut parts = Vec::with_capacity(starts.len() - 1);
    let mut at = 0;
    for bounds in starts.windows(2) {
        let (_, rest) = std::mem::take(&mut slice).split_at_mut(bounds[0] - at);
        let (part, rest) = rest.split_at_mut(bounds[1] - bounds[0]);
        parts.push(part);
        (slice, at) = (rest, bounds[1]);
    }
    parts
}

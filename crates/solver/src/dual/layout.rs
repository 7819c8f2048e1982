//! Order of rows and velocities in the dual problem: what belongs together lies together.

use super::colouring::{Colouring, Greedy};
use crate::cone::Cone;
use crate::delassus::body_of_velocities;
use crate::parallel::Halves;
use crate::problem::{Compliance, ConeProblem};
use rayon::prelude::*;
use signorini_linalg::Threads;
use std::ops::Range;

/// Where everything of a problem went.
#[derive(Default)]
pub(super) struct Layout {
    /// First row of every block, and the number of rows.
    pub(super) row_start: Vec<usize>,
    pub(super) cones: Vec<Cone>,
    /// Problem row of each row.
    pub(super) row_origin: Vec<usize>,
    /// Problem block of each block.
    pub(super) block_origin: Vec<usize>,
    /// Bodies in their new order.
    pub(super) bodies: Vec<Body>,
    /// First velocity of every body, and the number of velocities.
    pub(super) body_start: Vec<usize>,
    /// Body of every velocity, in the new order of both.
    pub(super) body_of: Vec<u32>,
    /// New velocity of each problem velocity, `None` where no row touches the body.
    pub(super) column: Vec<Option<usize>>,
    /// New velocity of each problem row that is soft.
    pub(super) soft_column: Vec<Option<usize>>,
    /// Blocks by colour, where they are arranged so.
    pub(super) colouring: Colouring,
    work: Work,
}

/// Room for making a layout, kept for the next one.
#[derive(Default)]
struct Work {
    atoms: Vec<Atom>,
    problem_body_of: Vec<u32>,
    soft_vertex: Vec<Option<usize>>,
    row_of_soft: Vec<usize>,
    vertices: Vec<Body>,
    touched: Cliques,
    graph: BreadthFirst,
    rank: Vec<u32>,
    keys: Vec<(u32, u32, u32)>,
    sequence: Vec<u32>,
    greedy: Greedy,
}

/// Something that moves.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Body {
    /// A body of the problem.
    Given(usize),
    /// A soft row of the problem, by its compliance.
    Soft(f64),
}

/// In which order blocks lie in memory: that in which a method visits them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Arrangement {
    /// Blocks that touch the same bodies are neighbours.
    Neighbours,
    /// Colour by colour, as [`super::Colouring`] finds them: no two blocks of a colour touch the same body.
    Colours,
}

impl Layout {
    /// Becomes the layout of a problem, in the memory it has. It depends on the problem alone, not on what was laid out before:
    /// a run that was stopped and goes on finds the same order, and with it the same bits.
    pub(super) fn update(&mut self, problem: &ConeProblem, arrangement: Arrangement, threads: Threads) {
        let Work {
            atoms,
            problem_body_of,
            soft_vertex,
            row_of_soft,
            vertices,
            touched,
            graph,
            rank,
            keys,
            sequence,
            greedy,
        } = &mut self.work;
        list_atoms(problem, atoms);
        let soft = |row: usize| match problem.compliance() {
            Compliance::Diagonal(e) if e[row] > 0.0 => Some(e[row]),
            _ => None,
        };
        // Vertices: bodies, then soft rows.
        body_of_velocities(problem.body_start(), problem_body_of);
        soft_vertex.clear();
        soft_vertex.resize(problem.row_count(), None);
        vertices.clear();
        vertices.extend((0..problem.bodies()).map(Body::Given));
        for row in 0..problem.row_count() {
            if let Some(e) = soft(row) {
                soft_vertex[row] = Some(vertices.len());
                vertices.push(Body::Soft(e));
            }
        }
        touched.clear();
        for atom in &*atoms {
            for (first, at) in problem.rows().block(atom.block).runs() {
                // A run may reach into the next body.
                let last = problem_body_of[first + at.len() - 1];
                (problem_body_of[first]..=last).for_each(|body| touched.push(body));
            }
            atom.rows.clone().filter_map(|row| soft_vertex[row]).for_each(|vertex| touched.push(vertex as u32));
            touched.close();
        }
        graph.update(vertices.len(), touched);
        rank.clear();
        rank.resize(vertices.len(), u32::MAX);
        graph.order.iter().enumerate().for_each(|(at, &vertex)| rank[vertex as usize] = at as u32);
        // Blocks by their first body, then by their last: the bodies of one part are neighbours.
        let (touched, rank) = (&*touched, &*rank);
        keys.clear();
        keys.resize(atoms.len(), (0, 0, 0));
        Halves::new(SORTED, threads).each(keys, &|at, key| {
            let ranks = touched.of(at).iter().map(|&vertex| rank[vertex as usize]);
            *key = (ranks.clone().min().unwrap_or(0), ranks.max().unwrap_or(0), at as u32);
        });
        if threads == Threads::Pool && keys.len() > SORTED {
            keys.par_sort_unstable();
        } else {
            keys.sort_unstable();
        }
        sequence.clear();
        sequence.extend(keys.iter().map(|&(_, _, at)| at));
        if arrangement == Arrangement::Colours {
            let bodies_of = |at: usize| touched.of(sequence[at] as usize).iter().map(|vertex| *vertex as usize);
            greedy.colour(sequence.len(), vertices.len(), bodies_of, &mut self.colouring);
            // A colouring of that order is this one again: each block has met one of every colour before its own.
            self.colouring.order.iter_mut().for_each(|at| *at = sequence[*at as usize]);
            std::mem::swap(&mut self.colouring.order, sequence);
            self.colouring.order.clear();
            self.colouring.order.extend(0..sequence.len() as u32);
        }
        row_of_soft.clear();
        row_of_soft.resize(vertices.len(), 0);
        soft_vertex.iter().enumerate().for_each(|(row, vertex)| {
            if let Some(vertex) = vertex {
                row_of_soft[*vertex] = row;
            }
        });
        self.column.clear();
        self.column.resize(problem.velocities(), None);
        self.soft_column.clear();
        self.soft_column.resize(problem.row_count(), None);
        self.bodies.clear();
        self.body_start.clear();
        self.body_start.push(0);
        let mut first = 0;
        for &vertex in &graph.order {
            let vertex = vertex as usize;
            first += match vertices[vertex] {
                Body::Given(body) => {
                    let columns = problem.body_start()[body]..problem.body_start()[body + 1];
                    columns.clone().enumerate().for_each(|(i, column)| self.column[column] = Some(first + i));
                    columns.len()
                }
                Body::Soft(_) => {
                    self.soft_column[row_of_soft[vertex]] = Some(first);
                    1
                }
            };
            self.body_start.push(first);
            self.bodies.push(vertices[vertex].clone());
        }
        self.row_start.clear();
        self.row_start.push(0);
        self.row_origin.clear();
        self.cones.clear();
        self.block_origin.clear();
        for &at in &*sequence {
            let atom = &atoms[at as usize];
            self.row_origin.extend(atom.rows.clone());
            self.row_start.push(self.row_origin.len());
            self.cones.push(atom.cone);
            self.block_origin.push(atom.block);
        }
        if problem.is_condensed() {
            // J = I: the velocities are the rows.
            self.body_start.clear();
            self.body_start.extend(0..=self.row_origin.len());
        }
        body_of_velocities(&self.body_start, &mut self.body_of);
    }

    /// Takes over the numbers of a problem with the pattern that was laid out: friction coefficients and compliances.
    pub(super) fn renew(&mut self, problem: &ConeProblem) {
        for (cone, &block) in self.cones.iter_mut().zip(&self.block_origin) {
            *cone = problem.cones()[block];
        }
        if let Compliance::Diagonal(e) = problem.compliance() {
            for (row, column) in self.soft_column.iter().enumerate() {
                if let Some(column) = column {
                    self.bodies[self.body_of[*column] as usize] = Body::Soft(e[row]);
                }
            }
        }
    }

    pub(super) fn blocks(&self) -> usize {
        self.cones.len()
    }
    pub(super) fn rows_of(&self, block: usize) -> Range<usize> {
        self.row_start[block]..self.row_start[block + 1]
    }
    pub(super) fn columns(&self) -> usize {
        self.body_start[self.body_start.len() - 1]
    }
}

/// Rows that K does not separate further.
struct Atom {
    block: usize,
    rows: Range<usize>,
    cone: Cone,
}

fn list_atoms(problem: &ConeProblem, atoms: &mut Vec<Atom>) {
    atoms.clear();
    for (block, (rows, cone)) in problem.each_block().enumerate() {
        match cone {
            Cone::Free | Cone::NonNegative => {
                atoms.extend(rows.map(|row| Atom { block, rows: row..row + 1, cone }));
            }
            _ => atoms.push(Atom { block, rows, cone }),
        }
    }
}

/// Sets of vertices, one after the other.
#[derive(Default)]
struct Cliques {
    start: Vec<usize>,
    members: Vec<u32>,
}

impl Cliques {
    fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.members.clear();
    }
    /// Adds a vertex to the last set, unless it was the one before.
    fn push(&mut self, vertex: u32) {
        let first = self.start[self.start.len() - 1];
        if self.members[first..].last() != Some(&vertex) {
            self.members.push(vertex);
        }
    }
    fn close(&mut self) {
        self.start.push(self.members.len());
    }
    fn of(&self, clique: usize) -> &[u32] {
        &self.members[self.start[clique]..self.start[clique + 1]]
    }
    fn len(&self) -> usize {
        self.start.len() - 1
    }
}

/// Blocks one task sorts: fewer are not worth a thread.
const SORTED: usize = 4096;

/// Vertices that occur in a clique, each component from one of its vertices outwards.
#[derive(Default)]
struct BreadthFirst {
    order: Vec<u32>,
    start: Vec<usize>,
    member: Vec<u32>,
    seen: Vec<bool>,
}

impl BreadthFirst {
    fn update(&mut self, vertices: usize, cliques: &Cliques) {
        let Self { order, start, member, seen } = self;
        // Counted two places ahead: after the cliques are filled in, entry v is where vertex v begins.
        start.clear();
        start.resize(vertices + 2, 0);
        cliques.members.iter().for_each(|&vertex| start[vertex as usize + 2] += 1);
        for vertex in 0..vertices {
            start[vertex + 2] += start[vertex + 1];
        }
        member.clear();
        member.resize(cliques.members.len(), 0);
        for clique in 0..cliques.len() {
            for &vertex in cliques.of(clique) {
                member[start[vertex as usize + 1]] = clique as u32;
                start[vertex as usize + 1] += 1;
            }
        }
        order.clear();
        seen.clear();
        seen.resize(vertices, false);
        for root in 0..vertices {
            if seen[root] || start[root] == start[root + 1] {
                continue;
            }
            let mut next = order.len();
            seen[root] = true;
            order.push(root as u32);
            while next < order.len() {
                let vertex = order[next] as usize;
                next += 1;
                for &clique in &member[start[vertex]..start[vertex + 1]] {
                    for &neighbour in cliques.of(clique as usize) {
                        if !seen[neighbour as usize] {
                            seen[neighbour as usize] = true;
                            order.push(neighbour);
                        }
                    }
                }
            }
        }
    }
}

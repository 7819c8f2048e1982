//! Order of rows and velocities in the dual problem: what belongs together lies together.

mod breadth_first;
mod cliques;

use crate::colouring::{Colouring, Greedy};
use crate::cone::Cone;
use crate::delassus::body_of_velocities;
use crate::problem::{Atom, BlockOrder, Compliance, ConeProblem, Inertia};
use breadth_first::BreadthFirst;
use cliques::Cliques;
use rayon::prelude::*;
use signorini_linalg::Halves;
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
    /// New velocity of each problem velocity, `None` where no row touches the body; empty where bodies keep the order of the problem.
    column: Vec<Option<usize>>,
    /// New velocity of each problem row that is soft; empty where none is.
    soft_column: Vec<Option<usize>>,
    /// Blocks by colour, where they are arranged so.
    pub(super) colouring: Colouring,
    /// Where each block of the problem's order went, blocks of several bilateral or unilateral rows taken apart.
    position: Vec<u32>,
    work: Work,
}

/// Room for making a layout, kept for the next one.
#[derive(Default)]
struct Work {
    /// Blocks of the problem, those of bilateral and unilateral rows taken apart.
    atoms: Vec<Atom>,
    /// Colours of a problem that does not know them.
    order: BlockOrder,
    problem_body_of: Vec<u32>,
    /// The vertex of each row that is soft; empty where none is.
    soft_vertex: Vec<Option<usize>>,
    soft_rows: Vec<usize>,
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
    /// Blocks that touch the same bodies are neighbours, and so are the bodies.
    Neighbours,
    /// Colour by colour, as [`Colouring`] finds them: no two blocks of a colour touch the same body. A pass over a colour
    /// meets all bodies once, whatever their order: they keep that of the problem where H couples none.
    Colours,
}

/// Blocks one task works on: fewer are not worth a thread.
const BLOCKS: usize = 4096;

impl Layout {
    /// Becomes the layout of a problem, in the memory it has. It depends on the problem alone, not on what was laid out before:
    /// a run that was stopped and goes on finds the same order, and with it the same bits.
    pub(super) fn update(&mut self, problem: &ConeProblem, arrangement: Arrangement, threads: Threads) {
        let keeps_bodies =
            arrangement == Arrangement::Colours && matches!(problem.inertia(), Inertia::BlockDiagonal(_));
        self.work.list_soft_rows(problem);
        if keeps_bodies {
            self.take_colours(problem, threads);
            self.keep_bodies(problem);
        } else {
            self.work.list(problem, threads);
            self.work.sort_by_neighbours(problem.bodies(), threads);
            self.renumber_bodies(problem);
            if arrangement == Arrangement::Colours {
                self.sort_by_colours(problem.bodies());
            }
        }
        self.place_rows(problem, threads);
        if problem.is_condensed() {
            // J = I: the velocities are the rows.
            self.body_start.clear();
            self.body_start.extend(0..=self.row_origin.len());
        }
        body_of_velocities(&self.body_start, &mut self.body_of);
    }

    /// The sequence of the colours that the problem has, or else those found here. A soft row moves on its own: it changes no colour.
    fn take_colours(&mut self, problem: &ConeProblem, threads: Threads) {
        let Self { work: Work { atoms, order, sequence, .. }, colouring, .. } = self;
        let order = problem.order().unwrap_or_else(|| {
            let e = if let Compliance::Diagonal(e) = problem.compliance() { &e[..] } else { &[] };
            let soft = |k: usize| !e.is_empty() && e[problem.rows().rows_of(k)].iter().any(|e| *e > 0.0);
            order.update(problem.pattern, (problem.rows(), problem.cones()), &soft, problem.body_start(), threads);
            order
        });
        let halves = Halves::new(BLOCKS, threads);
        halves.copy(&order.atoms, atoms);
        halves.copy(&order.colouring.order, sequence);
        colouring.start.clone_from(&order.colouring.start);
        colouring.order.clear();
        colouring.order.extend(0..sequence.len() as u32);
    }

    /// Bodies in the order of the problem, then soft rows.
    fn keep_bodies(&mut self, problem: &ConeProblem) {
        self.column.clear();
        self.bodies.clear();
        self.bodies.extend((0..problem.bodies()).map(Body::Given));
        self.body_start.clear();
        self.body_start.extend_from_slice(problem.body_start());
        self.soft_column.clear();
        if let Compliance::Diagonal(e) = problem.compliance() {
            let first = problem.velocities();
            self.soft_column.resize(e.len(), None);
            for (i, &row) in self.work.soft_rows.iter().enumerate() {
                self.soft_column[row] = Some(first + i);
                self.bodies.push(Body::Soft(e[row]));
                self.body_start.push(first + i + 1);
            }
        }
    }

    /// Bodies and soft rows that a row touches, along the contact graph.
    fn renumber_bodies(&mut self, problem: &ConeProblem) {
        let (given, e) = (problem.bodies(), problem.compliance());
        self.column.clear();
        self.column.resize(problem.velocities(), None);
        self.soft_column.clear();
        self.soft_column.resize(self.work.soft_vertex.len(), None);
        self.bodies.clear();
        self.body_start.clear();
        self.body_start.push(0);
        let mut first = 0;
        for &vertex in &self.work.graph.order {
            let vertex = vertex as usize;
            if vertex < given {
                let columns = problem.body_start()[vertex]..problem.body_start()[vertex + 1];
                columns.clone().enumerate().for_each(|(i, column)| self.column[column] = Some(first + i));
                first += columns.len();
                self.bodies.push(Body::Given(vertex));
            } else if let Compliance::Diagonal(e) = e {
                let row = self.work.soft_rows[vertex - given];
                self.soft_column[row] = Some(first);
                first += 1;
                self.bodies.push(Body::Soft(e[row]));
            }
            self.body_start.push(first);
        }
    }

    /// Sorts the sequence by colour; the sort is stable.
    fn sort_by_colours(&mut self, bodies: usize) {
        let Self { work, colouring, .. } = self;
        let Work { touched, sequence, greedy, soft_rows, .. } = work;
        let bodies_of = |at: usize| touched.of(sequence[at] as usize).iter().map(|vertex| *vertex as usize);
        greedy.colour(sequence.len(), bodies + soft_rows.len(), bodies_of, colouring);
        // A colouring of that order is this one again: each block has met one of every colour before its own.
        colouring.order.iter_mut().for_each(|at| *at = sequence[*at as usize]);
        std::mem::swap(&mut colouring.order, sequence);
        colouring.order.clear();
        colouring.order.extend(0..sequence.len() as u32);
    }

    /// Blocks and rows in the order of the sequence.
    fn place_rows(&mut self, problem: &ConeProblem, threads: Threads) {
        let Self { row_start, row_origin, cones, block_origin, position, work, .. } = self;
        let (atoms, sequence) = (&work.atoms, &work.sequence);
        let halves = Halves::new(BLOCKS, threads);
        let atom_at = |k: usize| &atoms[sequence[k] as usize];
        halves.starts(sequence.len(), row_start, &|k| atom_at(k).rows as usize);
        row_origin.resize(problem.row_count(), 0);
        cones.resize(sequence.len(), Cone::Free);
        block_origin.resize(sequence.len(), 0);
        let work = |range: Range<usize>, (mut rows, cones, blocks): Placed<'_>| {
            for (k, (cone, block)) in range.zip(cones.iter_mut().zip(blocks)) {
                let atom = atom_at(k);
                let (own, others) = rows.split_at_mut(atom.rows as usize);
                rows = others;
                own.iter_mut().zip(atom.rows()).for_each(|(to, row)| *to = row);
                *block = atom.block as usize;
                *cone = problem.cones()[*block];
            }
        };
        let split = |placed, range: &Range<usize>, middle: usize| {
            split_placed(placed, row_start[middle] - row_start[range.start], middle - range.start)
        };
        let placed = (&mut row_origin[..], &mut cones[..], &mut block_origin[..]);
        halves.run(0..sequence.len(), placed, &split, &work, &|(), ()| ());
        position.resize(sequence.len(), 0);
        sequence.iter().enumerate().for_each(|(k, &at)| position[at as usize] = k as u32);
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
    #[inline]
    pub(super) fn rows_of(&self, block: usize) -> Range<usize> {
        self.row_start[block]..self.row_start[block + 1]
    }
    pub(super) fn columns(&self) -> usize {
        self.body_start[self.body_start.len() - 1]
    }
    /// Where the problem has the values of a block, if that is where a sweep reads them: colour by colour.
    pub(super) fn place_of(&self, problem: &ConeProblem, k: usize) -> Option<usize> {
        problem.order().filter(|_| self.keeps_bodies())?;
        problem.rows().place_by_colour(self.block_origin[k])
    }
    /// Whether every velocity of the problem is one of the layout, at the same place.
    pub(super) fn keeps_bodies(&self) -> bool {
        self.column.is_empty()
    }
    /// New velocity of a problem velocity, `None` where no row touches the body.
    #[inline]
    pub(super) fn column(&self, of: usize) -> Option<usize> {
        if self.keeps_bodies() { Some(of) } else { self.column[of] }
    }
    /// New velocity of a problem row, if it is soft.
    #[inline]
    pub(super) fn soft_column(&self, row: usize) -> Option<usize> {
        self.soft_column.get(row).copied().flatten()
    }

    /// `out` = rows of the layout, in the order of the problem.
    pub(super) fn restore(&self, threads: Threads, value: &(impl Fn(usize) -> f64 + Sync), out: &mut [f64]) {
        let Self { work, position, row_start, .. } = self;
        // Atoms lie in the order of the problem's rows.
        let first_row = |at: usize| work.atoms.get(at).map_or(self.row_origin.len(), |atom| atom.row as usize);
        let copy = |range: Range<usize>, out: &mut [f64]| {
            let origin = first_row(range.start);
            for at in range {
                let (atom, first) = (&work.atoms[at], row_start[position[at] as usize]);
                let own = &mut out[atom.row as usize - origin..][..atom.rows as usize];
                own.iter_mut().enumerate().for_each(|(i, out)| *out = value(first + i));
            }
        };
        let split = |out, range: &Range<usize>, middle: usize| {
            <[f64]>::split_at_mut(out, first_row(middle) - first_row(range.start))
        };
        Halves::new(BLOCKS, threads).run(0..work.atoms.len(), out, &split, &copy, &|(), ()| ());
    }
}

/// Problem rows, cones and problem blocks of a range of blocks.
type Placed<'a> = (&'a mut [usize], &'a mut [Cone], &'a mut [usize]);

/// Divides them after so many rows and blocks.
fn split_placed<'a>((rows, cones, origins): Placed<'a>, at: usize, blocks: usize) -> (Placed<'a>, Placed<'a>) {
    let ((a, b), (c, d), (e, f)) = (rows.split_at_mut(at), cones.split_at_mut(blocks), origins.split_at_mut(blocks));
    ((a, c, e), (b, d, f))
}

impl Work {
    /// Soft rows, which are vertices after the bodies.
    fn list_soft_rows(&mut self, problem: &ConeProblem) {
        let Self { soft_vertex, soft_rows, .. } = self;
        soft_rows.clear();
        soft_vertex.clear();
        if let Compliance::Diagonal(e) = problem.compliance() {
            soft_rows.extend(e.iter().enumerate().filter(|(_, e)| **e > 0.0).map(|(row, _)| row));
            soft_vertex.resize(e.len(), None);
            soft_rows.iter().enumerate().for_each(|(i, &row)| soft_vertex[row] = Some(problem.bodies() + i));
        }
    }

    /// Atoms of a problem, and the vertices that each touches: bodies and soft rows.
    fn list(&mut self, problem: &ConeProblem, threads: Threads) {
        let Self { atoms, problem_body_of, soft_vertex, touched, .. } = self;
        list_atoms(problem, atoms);
        body_of_velocities(problem.body_start(), problem_body_of);
        let (atoms, body_of, soft_vertex) = (&*atoms, &*problem_body_of, &*soft_vertex);
        touched.update(atoms.len(), Halves::new(BLOCKS, threads), &|at, found| {
            let atom = &atoms[at];
            for (first, run) in problem.rows().block(atom.block as usize).runs() {
                // A run may reach into the next body.
                let last = body_of[first + run.len() - 1];
                (body_of[first]..=last).for_each(&mut *found);
            }
            atom.rows().filter_map(|row| *soft_vertex.get(row)?).for_each(|vertex| found(vertex as u32));
        });
    }

    /// Blocks by their first body, then by their last: the bodies of one part are neighbours.
    fn sort_by_neighbours(&mut self, bodies: usize, threads: Threads) {
        let Self { atoms, soft_rows, touched, graph, rank, keys, sequence, .. } = self;
        graph.update(bodies + soft_rows.len(), touched);
        rank.clear();
        rank.resize(bodies + soft_rows.len(), u32::MAX);
        graph.order.iter().enumerate().for_each(|(at, &vertex)| rank[vertex as usize] = at as u32);
        let (touched, rank) = (&*touched, &*rank);
        keys.clear();
        keys.resize(atoms.len(), (0, 0, 0));
        Halves::new(BLOCKS, threads).each(keys, &|at, key| {
            let ranks = touched.of(at).iter().map(|&vertex| rank[vertex as usize]);
            *key = (ranks.clone().min().unwrap_or(0), ranks.max().unwrap_or(0), at as u32);
        });
        if threads == Threads::Pool && keys.len() > BLOCKS {
            keys.par_sort_unstable();
        } else {
            keys.sort_unstable();
        }
        sequence.clear();
        sequence.extend(keys.iter().map(|&(_, _, at)| at));
    }
}

fn list_atoms(problem: &ConeProblem, atoms: &mut Vec<Atom>) {
    atoms.clear();
    for (block, (rows, cone)) in problem.each_block().enumerate() {
        atoms.extend(Atom::of_block(block, rows, cone));
    }
}

//! Order of rows and velocities in the dual problem: what belongs together lies together.

use super::colouring::Colouring;
use crate::cone::Cone;
use crate::delassus::body_of_velocities;
use crate::problem::{Compliance, ConeProblem};
use std::ops::Range;

/// Where everything of a problem went.
pub(super) struct Layout {
    /// First row of every block, and the number of rows.
    row_start: Vec<usize>,
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
    pub(super) fn new(problem: &ConeProblem, arrangement: Arrangement) -> Self {
        let atoms = atoms(problem);
        let soft = |row: usize| match problem.compliance() {
            Compliance::Diagonal(e) if e[row] > 0.0 => Some(e[row]),
            _ => None,
        };
        // Vertices: bodies, then soft rows.
        let body_of = body_of_velocities(problem.body_start());
        let mut soft_vertex = vec![None; problem.row_count()];
        let mut vertices: Vec<Body> = (0..problem.bodies()).map(Body::Given).collect();
        for row in 0..problem.row_count() {
            if let Some(e) = soft(row) {
                soft_vertex[row] = Some(vertices.len());
                vertices.push(Body::Soft(e));
            }
        }
        let mut touched = Cliques { start: vec![0], members: Vec::with_capacity(2 * atoms.len()) };
        for atom in &atoms {
            for (first, at) in problem.rows().block(atom.block).runs() {
                // A run may reach into the next body.
                (body_of[first]..=body_of[first + at.len() - 1]).for_each(|body| touched.push(body));
            }
            atom.rows.clone().filter_map(|row| soft_vertex[row]).for_each(|vertex| touched.push(vertex as u32));
            touched.close();
        }
        let order = breadth_first(vertices.len(), &touched);
        let mut rank = vec![u32::MAX; vertices.len()];
        order.iter().enumerate().for_each(|(at, &vertex)| rank[vertex as usize] = at as u32);
        // Blocks by their first body, then by their last: the bodies of one part are neighbours.
        let key = |at: usize| {
            let ranks = touched.of(at).iter().map(|&vertex| rank[vertex as usize]);
            (ranks.clone().min().unwrap_or(0), ranks.max().unwrap_or(0), at as u32)
        };
        let mut sequence: Vec<(u32, u32, u32)> = (0..atoms.len()).map(key).collect();
        sequence.sort_unstable();
        let mut sequence: Vec<u32> = sequence.into_iter().map(|(_, _, at)| at).collect();
        if arrangement == Arrangement::Colours {
            sequence = by_colour(&sequence, vertices.len(), &touched);
        }
        let mut this = Self {
            row_start: vec![0],
            cones: Vec::with_capacity(atoms.len()),
            row_origin: Vec::with_capacity(problem.row_count()),
            block_origin: Vec::with_capacity(atoms.len()),
            bodies: Vec::with_capacity(order.len()),
            body_start: vec![0],
            body_of: Vec::new(),
            column: vec![None; problem.velocities()],
            soft_column: vec![None; problem.row_count()],
        };
        let mut row_of_soft = vec![0; vertices.len()];
        soft_vertex.iter().enumerate().for_each(|(row, vertex)| {
            if let Some(vertex) = vertex {
                row_of_soft[*vertex] = row;
            }
        });
        for &vertex in &order {
            let (first, vertex) = (this.columns(), vertex as usize);
            let count = match vertices[vertex] {
                Body::Given(body) => {
                    let columns = problem.body_start()[body]..problem.body_start()[body + 1];
                    columns.clone().enumerate().for_each(|(i, column)| this.column[column] = Some(first + i));
                    columns.len()
                }
                Body::Soft(_) => {
                    this.soft_column[row_of_soft[vertex]] = Some(first);
                    1
                }
            };
            this.body_start.push(first + count);
            this.bodies.push(vertices[vertex].clone());
        }
        for &at in &sequence {
            let atom = &atoms[at as usize];
            this.row_origin.extend(atom.rows.clone());
            this.row_start.push(this.row_origin.len());
            this.cones.push(atom.cone);
            this.block_origin.push(atom.block);
        }
        if problem.is_condensed() {
            // J = I: the velocities are the rows.
            this.body_start = (0..=this.row_origin.len()).collect();
        }
        this.body_of = body_of_velocities(&this.body_start);
        this
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

fn atoms(problem: &ConeProblem) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for (block, (rows, cone)) in problem.each_block().enumerate() {
        match cone {
            Cone::Free | Cone::NonNegative => {
                atoms.extend(rows.map(|row| Atom { block, rows: row..row + 1, cone }));
            }
            _ => atoms.push(Atom { block, rows, cone }),
        }
    }
    atoms
}

/// Sets of vertices, one after the other.
struct Cliques {
    start: Vec<usize>,
    members: Vec<u32>,
}

impl Cliques {
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

/// The cliques colour by colour, in the order given within a colour. A colouring of that order is this one again: each clique
/// has met one of every colour before its own.
fn by_colour(sequence: &[u32], vertices: usize, cliques: &Cliques) -> Vec<u32> {
    let colouring = Colouring::greedy(sequence.len(), vertices, |at| {
        cliques.of(sequence[at] as usize).iter().map(|vertex| *vertex as usize)
    });
    colouring.order.iter().map(|&at| sequence[at as usize]).collect()
}

/// Vertices that occur in a clique, each component from one of its vertices outwards.
fn breadth_first(vertices: usize, cliques: &Cliques) -> Vec<u32> {
    let mut start = vec![0; vertices + 1];
    cliques.members.iter().for_each(|&vertex| start[vertex as usize + 1] += 1);
    for vertex in 0..vertices {
        start[vertex + 1] += start[vertex];
    }
    let mut fill = start.clone();
    let mut member = vec![0_u32; start[vertices]];
    for clique in 0..cliques.len() {
        for &vertex in cliques.of(clique) {
            member[fill[vertex as usize]] = clique as u32;
            fill[vertex as usize] += 1;
        }
    }
    let mut order: Vec<u32> = Vec::with_capacity(vertices);
    let mut seen = vec![false; vertices];
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
    order
}

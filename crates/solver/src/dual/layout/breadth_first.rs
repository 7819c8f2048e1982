//! An order of bodies in which those that touch are near each other.

use super::cliques::Cliques;

/// Vertices that occur in a clique, each component from one of its vertices outwards.
#[derive(Default)]
pub(super) struct BreadthFirst {
    pub(super) order: Vec<u32>,
    start: Vec<usize>,
    member: Vec<u32>,
    seen: Vec<bool>,
}

impl BreadthFirst {
    pub(super) fn update(&mut self, vertices: usize, cliques: &Cliques) {
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

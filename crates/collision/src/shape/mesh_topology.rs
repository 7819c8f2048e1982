//! Which edges of a mesh have how many triangles.

use super::Mesh;

/// Counts that tell whether a mesh encloses a volume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeshTopology {
    /// Vertices used by a triangle.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Edges, each counted once.
    pub edges: usize,
    /// Edges with one triangle: the rim of a hole.
    pub open_edges: usize,
    /// One of them.
    pub first_open_edge: Option<[u32; 2]>,
    /// Edges with two triangles that run along it in the same direction: one of them is inside out.
    pub inconsistent_edges: usize,
    /// One of them.
    pub first_inconsistent_edge: Option<[u32; 2]>,
    /// Edges with more than two triangles.
    pub crowded_edges: usize,
    /// One of them.
    pub first_crowded_edge: Option<[u32; 2]>,
    /// Pieces that hang together by common vertices.
    pub components: usize,
    /// Vertices − edges + triangles: 2 for every closed piece without handles.
    pub euler_characteristic: i64,
}

impl MeshTopology {
    /// Every edge has two triangles, running along it in opposite directions.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0 && self.inconsistent_edges == 0 && self.crowded_edges == 0
    }
}

/// A side of a triangle, by the edge it runs along.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    /// The vertices of the edge, the lower index first.
    pub(super) edge: [u32; 2],
    /// The triangle runs from the first to the second.
    pub(super) forwards: bool,
    pub(super) triangle: u32,
}

/// The sides of all triangles, sorted by their edges.
pub(super) struct Sides(Vec<Side>);

impl Sides {
    /// The sides along each edge.
    pub(super) fn edges(&self) -> impl Iterator<Item = &[Side]> {
        self.0.chunk_by(|s, t| s.edge == t.edge)
    }
}

impl Mesh {
    /// Counts edges, holes and pieces. Equal vertices with different indices are different: see [`Mesh::welded`].
    #[must_use]
    pub fn topology(&self) -> MeshTopology {
        self.topology_of(&self.sides())
    }

    pub(super) fn sides(&self) -> Sides {
        let mut sides = Vec::with_capacity(3 * self.triangles.len());
        for (triangle, &[a, b, c]) in (0..).zip(&self.triangles) {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.push(Side { edge: [p.min(q), p.max(q)], forwards: p < q, triangle });
            }
        }
        sides.sort_unstable();
        Sides(sides)
    }

    pub(super) fn topology_of(&self, sides: &Sides) -> MeshTopology {
        let mut count = MeshTopology {
            vertices: 0,
            triangles: self.triangles.len(),
            edges: 0,
            open_edges: 0,
            first_open_edge: None,
            inconsistent_edges: 0,
            first_inconsistent_edge: None,
            crowded_edges: 0,
            first_crowded_edge: None,
            components: 0,
            euler_characteristic: 0,
        };
        for group in sides.edges() {
            let edge = group[0].edge;
            count.edges += 1;
            match group {
                [_] => {
                    count.open_edges += 1;
                    count.first_open_edge.get_or_insert(edge);
                }
                [s, t] if s.forwards == t.forwards => {
                    count.inconsistent_edges += 1;
                    count.first_inconsistent_edge.get_or_insert(edge);
                }
                [_, _] => {}
                _ => {
                    count.crowded_edges += 1;
                    count.first_crowded_edge.get_or_insert(edge);
                }
            }
        }
        (count.vertices, count.components) = self.vertices_and_components();
        count.euler_characteristic = count.vertices as i64 - count.edges as i64 + count.triangles as i64;
        count
    }

    fn vertices_and_components(&self) -> (usize, usize) {
        let mut parent: Vec<u32> = (0..self.vertices.len() as u32).collect();
        let mut used = vec![false; self.vertices.len()];
        for &corners in &self.triangles {
            let root = find(&mut parent, corners[0]);
            for corner in corners {
                used[corner as usize] = true;
                let other = find(&mut parent, corner);
                parent[other as usize] = root;
            }
        }
        let vertices = used.iter().filter(|&&u| u).count();
        let roots = (0..parent.len()).filter(|&v| used[v] && parent[v] as usize == v).count();
        (vertices, roots)
    }
}

/// Root of a member of a forest of sets, with the path halved on the way.
pub(super) fn find(parent: &mut [u32], mut member: u32) -> u32 {
    while parent[member as usize] != member {
        parent[member as usize] = parent[parent[member as usize] as usize];
        member = parent[member as usize];
    }
    member
}

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

impl Mesh {
    /// Counts edges, holes and pieces. Equal vertices with different indices are different: see [`Mesh::welded`].
    #[must_use]
    pub fn topology(&self) -> MeshTopology {
        // Edges as (low, high, runs from low to high), sorted: the triangles of an edge are neighbours in the list.
        let mut sides: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * self.triangles.len());
        for &[a, b, c] in &self.triangles {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.push((p.min(q), p.max(q), p < q));
            }
        }
        sides.sort_unstable();
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
        for group in sides.chunk_by(|s, t| (s.0, s.1) == (t.0, t.1)) {
            let edge = [group[0].0, group[0].1];
            count.edges += 1;
            match group {
                [_] => {
                    count.open_edges += 1;
                    count.first_open_edge.get_or_insert(edge);
                }
                [s, t] if s.2 == t.2 => {
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

/// Root of a vertex, with the path halved on the way.
fn find(parent: &mut [u32], mut vertex: u32) -> u32 {
    while parent[vertex as usize] != vertex {
        parent[vertex as usize] = parent[parent[vertex as usize] as usize];
        vertex = parent[vertex as usize];
    }
    vertex
}

//! Which triangles, edges and nodes of a surface meet, and which triangle answers for what they share.

/// No triangle on this side of an edge.
pub(crate) const NO_TRIANGLE: u32 = u32::MAX;

/// An edge with the triangles beside it; the first one answers for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    pub(crate) ends: [u32; 2],
    pub(crate) faces: [u32; 2],
}

/// Triangles of one or several surfaces over common nodes.
#[derive(Debug, Default)]
pub(crate) struct Topology {
    pub(crate) triangles: Vec<[u32; 3]>,
    /// The edges from each corner to the next.
    pub(crate) sides: Vec<[u32; 3]>,
    pub(crate) edges: Vec<Edge>,
    /// Bits 0 to 2: the triangle answers for its corner k; bits 3 to 5: for its side k.
    owns: Vec<u8>,
    /// Neighbours of node i, sorted: `neighbours[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// Triangles of node i, sorted: `around[around_starts[i]..around_starts[i + 1]]`.
    around_starts: Vec<u32>,
    around: Vec<u32>,
}

impl Topology {
    /// Surfaces one after the other. A node of two surfaces belongs to each of them; an edge never joins two surfaces. Of
    /// an edge with more than two triangles the first two count.
    pub(crate) fn new<'a>(surfaces: impl Iterator<Item = &'a [[u32; 3]]>, nodes: usize) -> Self {
        let mut topology = Self::default();
        // One more than the surface that met the node last.
        let mut met_by = vec![0u32; nodes];
        let mut found: Vec<([u32; 2], u32, u8)> = Vec::new();
        let mut pairs: Vec<[u32; 2]> = Vec::new();
        for (surface, triangles) in (1..).zip(surfaces) {
            found.clear();
            for corners in triangles {
                let face = topology.triangles.len() as u32;
                let mut owns = 0;
                for k in 0..3 {
                    let (p, q) = (corners[k], corners[(k + 1) % 3]);
                    found.push(([p.min(q), p.max(q)], face, k as u8));
                    pairs.extend([[p, q], [q, p]]);
                    if met_by[p as usize] != surface {
                        met_by[p as usize] = surface;
                        owns |= 1 << k;
                    }
                }
                topology.triangles.push(*corners);
                topology.sides.push([0; 3]);
                topology.owns.push(owns);
            }
            found.sort_unstable();
            for group in found.chunk_by(|s, t| s.0 == t.0) {
                let edge = topology.edges.len() as u32;
                let second = group.get(1).map_or(NO_TRIANGLE, |side| side.1);
                topology.edges.push(Edge { ends: group[0].0, faces: [group[0].1, second] });
                topology.owns[group[0].1 as usize] |= 8 << group[0].2;
                group.iter().for_each(|&(_, face, k)| topology.sides[face as usize][k as usize] = edge);
            }
        }
        (topology.starts, topology.neighbours) = rows(pairs, nodes);
        let corners = (0..).zip(&topology.triangles).flat_map(|(face, corners)| corners.map(|node| [node, face]));
        (topology.around_starts, topology.around) = rows(corners.collect(), nodes);
        topology
    }

    /// How many nodes there are.
    pub(crate) fn nodes(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether a triangle answers for its corner.
    #[inline]
    pub(crate) fn owns_corner(&self, face: u32, corner: usize) -> bool {
        self.owns[face as usize] & (1 << corner) != 0
    }

    /// Whether a triangle answers for its side.
    #[inline]
    pub(crate) fn owns_side(&self, face: u32, side: usize) -> bool {
        self.owns[face as usize] & (8 << side) != 0
    }

    /// Nodes joined to one by an edge, sorted.
    pub(crate) fn neighbours(&self, node: u32) -> &[u32] {
        &self.neighbours[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
    }

    /// Triangles that have a node.
    pub(crate) fn around(&self, node: u32) -> &[u32] {
        let [start, end] = [node, node + 1].map(|node| self.around_starts[node as usize] as usize);
        &self.around[start..end]
    }

    /// The corner of a triangle that an edge does not have.
    pub(crate) fn opposite(&self, face: u32, edge: &Edge) -> u32 {
        let corners = self.triangles[face as usize];
        corners.into_iter().find(|corner| !edge.ends.contains(corner)).unwrap_or(corners[0])
    }

    /// Triangles near each triangle of a range over the surface, as rows: those with a node at most two edges from one of
    /// its nodes.
    pub(crate) fn within_two_rings(&self, faces: std::ops::Range<u32>) -> Vec<Vec<u32>> {
        let mut reached: Vec<u32> = Vec::new();
        let row = |face: u32| {
            reached.clear();
            for &node in &self.triangles[face as usize] {
                for &next in self.neighbours(node) {
                    reached.extend(self.neighbours(next));
                }
            }
            // A node is a neighbour of its neighbours, and these of it: of a triangle they are among those two edges away.
            reached.sort_unstable();
            reached.dedup();
            let mut near: Vec<u32> = reached.iter().flat_map(|&node| self.around(node)).copied().collect();
            near.sort_unstable();
            near.dedup();
            near
        };
        faces.map(row).collect()
    }
}

/// Pairs as rows of second members, sorted, each once: where the row of every first member begins, and all rows.
fn rows(mut pairs: Vec<[u32; 2]>, count: usize) -> (Vec<u32>, Vec<u32>) {
    pairs.sort_unstable();
    pairs.dedup();
    let mut starts = vec![0; count + 1];
    pairs.iter().for_each(|pair| starts[pair[0] as usize + 1] += 1);
    for row in 0..count {
        starts[row + 1] += starts[row];
    }
    (starts, pairs.iter().map(|pair| pair[1]).collect())
}

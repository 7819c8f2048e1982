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
        pairs.sort_unstable();
        pairs.dedup();
        topology.starts = vec![0; nodes + 1];
        pairs.iter().for_each(|pair| topology.starts[pair[0] as usize + 1] += 1);
        for node in 0..nodes {
            topology.starts[node + 1] += topology.starts[node];
        }
        topology.neighbours = pairs.iter().map(|pair| pair[1]).collect();
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

    /// The corner of a triangle that an edge does not have.
    pub(crate) fn opposite(&self, face: u32, edge: &Edge) -> u32 {
        let corners = self.triangles[face as usize];
        corners.into_iter().find(|corner| !edge.ends.contains(corner)).unwrap_or(corners[0])
    }

    /// Whether two triangles share a node, have nodes joined by an edge, or nodes with a common neighbour.
    pub(crate) fn within_two_rings(&self, first: u32, second: u32) -> bool {
        let [p, q] = [first, second].map(|face| self.triangles[face as usize]);
        p.iter().any(|&a| {
            let around = self.neighbours(a);
            q.iter().any(|&b| {
                a == b
                    || around.binary_search(&b).is_ok()
                    || self.neighbours(b).iter().any(|c| around.binary_search(c).is_ok())
            })
        })
    }
}

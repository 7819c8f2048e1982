//! A surface of triangles in the frame of a query, and what is nearest on it.

use super::topology::{Edge, NO_TRIANGLE, Topology};
use glam::{DMat3, DVec3};

/// A direction leans out of the range of an edge or a corner by no more than this (sine): a flat seam stays flat in spite of
/// rounding and of waves too small to matter.
pub(super) const SEAM: f64 = 1e-2;
/// The same for a corner, where the triangles around settle the rest among themselves: rounding only.
const ROUNDING: f64 = 1e-6;
/// A node this far beside a triangle, relative to it, is still over it where the surface ends or is bent by more than 37°
/// (cosine): blocks of one size stacked flush touch with their rims, too, whatever the rounding.
pub(super) const FLUSH: f64 = 1e-8;
const BENT: f64 = 0.8;
/// So far behind a triangle, relative to it, a node beside it may belong to the far end of a block with flush sides.
const FLUSH_DEPTH: f64 = 0.05;
/// Points nearer than this, relative to the triangle, are one: the direction between them is rounding.
const ONE_PLACE: f64 = 1e-11;

/// Nodes, triangles and normals, moved by x ↦ R (x − from) + to.
#[derive(Clone, Copy)]
pub(super) struct Sheet<'a> {
    pub(super) topology: &'a Topology,
    pub(super) nodes: &'a [DVec3],
    /// Unit normals of the triangles; zero without area.
    pub(super) normals: &'a [DVec3],
    /// Unit normals of the nodes, means of those around by area.
    pub(super) node_normals: &'a [DVec3],
    pub(super) rotation: DMat3,
    pub(super) from: DVec3,
    pub(super) to: DVec3,
}

/// The part of a triangle nearest to a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Region {
    Face,
    Side(usize),
    Corner(usize),
}

/// What a surface offers a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    pub(super) point: DVec3,
    pub(super) region: Region,
    /// Unit normal out of the surface.
    pub(super) outward: DVec3,
    /// Signed distance along it: negative behind the surface.
    pub(super) height: f64,
    /// False where another triangle, edge or corner is the one to touch: the distance counts, the contact does not.
    pub(super) shown: bool,
}

impl Sheet<'_> {
    #[inline]
    pub(super) fn node(&self, node: u32) -> DVec3 {
        self.rotation * (self.nodes[node as usize] - self.from) + self.to
    }
    #[inline]
    pub(super) fn corners(&self, face: u32) -> [DVec3; 3] {
        self.topology.triangles[face as usize].map(|node| self.node(node))
    }
    #[inline]
    pub(super) fn normal(&self, face: u32) -> DVec3 {
        self.rotation * self.normals[face as usize]
    }
    pub(super) fn node_normal(&self, node: u32) -> DVec3 {
        self.rotation * self.node_normals[node as usize]
    }
    /// The least cosine of a direction and what the surface at a node looks at: its mean normal and those of the triangles
    /// around.
    pub(super) fn facing(&self, node: u32, direction: DVec3) -> f64 {
        let own = self.rotation.transpose() * direction;
        let around = self.topology.around(node).iter().map(|&face| self.normals[face as usize].dot(own));
        around.fold(self.node_normals[node as usize].dot(own), f64::min)
    }
    pub(super) fn side(&self, face: u32, side: usize) -> u32 {
        self.topology.sides[face as usize][side]
    }
    pub(super) fn edge(&self, edge: u32) -> &Edge {
        &self.topology.edges[edge as usize]
    }

    /// Sum of the normals beside an edge; not of unit length.
    pub(super) fn edge_normal(&self, edge: &Edge) -> DVec3 {
        let second = if edge.faces[1] == NO_TRIANGLE { edge.faces[0] } else { edge.faces[1] };
        self.normal(edge.faces[0]) + self.normal(second)
    }

    /// Whether a unit direction out of an edge leads away from the triangles beside it, so that the edge and none of them
    /// is what is farthest along it.
    pub(super) fn edge_allows(&self, edge: &Edge, out: DVec3) -> bool {
        let [p, q] = edge.ends.map(|end| self.node(end));
        let along = (q - p).normalize_or_zero();
        let behind = |face: u32| {
            let across = self.node(self.topology.opposite(face, edge)) - p;
            let inward = (across - along * across.dot(along)).normalize_or_zero();
            out.dot(inward) <= SEAM
        };
        let beside = edge.faces[1] != NO_TRIANGLE;
        behind(edge.faces[0])
            && if beside { behind(edge.faces[1]) } else { out.dot(self.normal(edge.faces[0])) >= -SEAM }
    }

    /// What of the surface at a triangle is nearest to a point. `of_surface`: the point is a node of another surface, so
    /// that walls may be flush; `corners`: whether corners may be shown.
    pub(super) fn foot(&self, face: u32, point: DVec3, of_surface: bool, corners: bool) -> Option<Foot> {
        let normal = self.normal(face);
        if normal == DVec3::ZERO {
            return None;
        }
        let triangle = self.corners(face);
        let (foot, region) = nearest(point, &triangle, normal);
        let away = point - foot;
        let distance = away.length();
        let size = (triangle[1] - triangle[0]).length().max((triangle[2] - triangle[0]).length());
        // Out of an edge or a corner: towards the point or, behind the surface, away from it.
        let signed = |mean: DVec3| {
            if distance <= ONE_PLACE * size {
                return (mean.normalize_or(normal), 0.0);
            }
            if away.dot(mean) < 0.0 { (away / -distance, -distance) } else { (away / distance, distance) }
        };
        let height = normal.dot(point - triangle[0]);
        let flush = of_surface && (away - normal * height).length() <= FLUSH * size && height >= -FLUSH_DEPTH * size;
        if flush && self.is_sharp(face, region) {
            let shown = corners || !matches!(region, Region::Corner(_));
            return Some(Foot { point: foot, region, outward: normal, height, shown });
        }
        let (outward, height, shown) = match region {
            Region::Face => (normal, height, true),
            Region::Side(k) => {
                let edge = self.edge(self.side(face, k));
                let (outward, height) = signed(self.edge_normal(edge));
                let shown = self.topology.owns_side(face, k) && self.side_is_nearest(self.side(face, k), point, height);
                (outward, height, shown)
            }
            Region::Corner(k) => {
                let node = self.topology.triangles[face as usize][k];
                let (outward, height) = signed(self.node_normal(node));
                let shown = corners
                    && self.topology.owns_corner(face, k)
                    && self.corner_allows(node, if height < 0.0 { -outward } else { outward });
                (outward, height, shown)
            }
        };
        Some(Foot { point: foot, region, outward, height, shown })
    }

    /// Whether the surface is bent at an edge or a corner of a triangle, or ends there.
    fn is_sharp(&self, face: u32, region: Region) -> bool {
        let normal = self.normal(face);
        let bent = |other: &u32| *other == NO_TRIANGLE || self.normal(*other).dot(normal) < BENT;
        match region {
            Region::Face => false,
            Region::Side(k) => self.edge(self.side(face, k)).faces.iter().any(bent),
            Region::Corner(k) => {
                let node = self.topology.triangles[face as usize][k];
                self.topology.around(node).iter().any(bent)
            }
        }
    }

    /// Whether the second triangle beside an edge finds it the nearest as well.
    fn side_is_nearest(&self, side: u32, point: DVec3, height: f64) -> bool {
        let edge = self.edge(side);
        let second = edge.faces[1];
        if second == NO_TRIANGLE {
            let from_edge = point - self.node(edge.ends[0]);
            return height >= 0.0 && from_edge.dot(self.normal(edge.faces[0])) >= -SEAM * height;
        }
        let normal = self.normal(second);
        let region = nearest(point, &self.corners(second), normal).1;
        normal != DVec3::ZERO && matches!(region, Region::Side(k) if self.side(second, k) == side)
    }

    /// Whether a unit direction out of a node leads away from everything around it.
    fn corner_allows(&self, node: u32, out: DVec3) -> bool {
        let here = self.node(node);
        self.topology.neighbours(node).iter().all(|&other| {
            let edge = self.node(other) - here;
            out.dot(edge) <= ROUNDING * edge.length()
        })
    }
}

/// The point of a triangle nearest to another point. Inside: its foot on the plane; else the nearest of the sides.
pub(super) fn nearest(point: DVec3, corners: &[DVec3; 3], normal: DVec3) -> (DVec3, Region) {
    let [a, b, c] = *corners;
    let inside = |p: DVec3, q: DVec3| normal.dot((q - p).cross(point - p)) > 0.0;
    if inside(a, b) && inside(b, c) && inside(c, a) {
        return (point - normal * normal.dot(point - a), Region::Face);
    }
    let mut best = (f64::INFINITY, a, Region::Corner(0));
    for k in 0..3 {
        let (p, q) = (corners[k], corners[(k + 1) % 3]);
        let along = q - p;
        let t = along.dot(point - p) / along.length_squared();
        let (foot, region) = if t > 0.0 && t < 1.0 {
            (p + along * t, Region::Side(k))
        } else if t >= 1.0 {
            (q, Region::Corner((k + 1) % 3))
        } else {
            (p, Region::Corner(k))
        };
        let square = (point - foot).length_squared();
        if square < best.0 {
            best = (square, foot, region);
        }
    }
    (best.1, best.2)
}

/// Where two segments are nearest if that is inside of both: the points, and a unit vector across both.
pub(super) fn crossing([p, p_end]: [DVec3; 2], [q, q_end]: [DVec3; 2]) -> Option<(DVec3, DVec3, DVec3)> {
    /// Sine of the angle of segments that count as parallel: their ends touch.
    const PARALLEL: f64 = 1e-6;
    /// Ends are left to contacts of corners.
    const INSIDE: std::ops::RangeInclusive<f64> = 1e-9..=1.0 - 1e-9;
    let (d, e, between) = (p_end - p, q_end - q, q - p);
    let cross = d.cross(e);
    let square = cross.length_squared();
    if square <= PARALLEL * PARALLEL * d.length_squared() * e.length_squared() {
        return None;
    }
    // p + s d + r cross = q + t e
    let (s, t) = (between.cross(e).dot(cross) / square, between.cross(d).dot(cross) / square);
    (INSIDE.contains(&s) && INSIDE.contains(&t)).then(|| (p + d * s, q + e * t, cross / square.sqrt()))
}

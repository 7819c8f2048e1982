//! Convex cores: polyhedra (from points and segments to hulls) and round solids, each swept by a sphere.

use crate::shape::hull::Hull;
use crate::{Pose, Shape, ShapeError};
use glam::{DQuat, DVec3};

/// No face, no edge.
pub(crate) const NONE: u32 = u32::MAX;

/// Which vertices, edges and faces of a polyhedron meet.
#[derive(Default)]
pub(crate) struct Topology {
    /// Where the corners of each face begin in `corners`; one more entry than faces.
    pub(crate) starts: Vec<u32>,
    /// Corners of the faces, counter-clockwise seen from outside.
    pub(crate) corners: Vec<u32>,
    /// The edge from each corner to the next one of its face.
    pub(crate) sides: Vec<u32>,
    /// Two ends of each edge.
    pub(crate) edges: Vec<[u32; 2]>,
    /// Two faces of each edge; `NONE` where there is none.
    pub(crate) edge_faces: Vec<[u32; 2]>,
}

impl Topology {
    pub(super) fn new<'a>(faces: impl Iterator<Item = &'a [u32]>) -> Self {
        let mut topology = Self { starts: vec![0], ..Self::default() };
        let mut found: Vec<([u32; 2], u32)> = Vec::new();
        for (index, face) in faces.enumerate() {
            for (i, &p) in face.iter().enumerate() {
                let q = face[(i + 1) % face.len()];
                found.push(([p.min(q), p.max(q)], index as u32));
                topology.corners.push(p);
            }
            topology.starts.push(topology.corners.len() as u32);
        }
        let loops = found.clone();
        found.sort_unstable();
        for group in found.chunk_by(|s, t| s.0 == t.0) {
            topology.edges.push(group[0].0);
            topology.edge_faces.push([group[0].1, group.get(1).map_or(NONE, |side| side.1)]);
        }
        let edge_of = |ends: &[u32; 2]| topology.edges.binary_search(ends).map_or(NONE, |edge| edge as u32);
        topology.sides = loops.iter().map(|(ends, _)| edge_of(ends)).collect();
        topology
    }

    pub(crate) fn faces(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    pub(crate) fn face(&self, index: usize) -> std::ops::Range<usize> {
        self.starts[index] as usize..self.starts[index + 1] as usize
    }
}

/// A polyhedron in its own frame: a point, a segment, a triangle, a cuboid or a hull.
pub(crate) struct Polyhedron {
    pub(crate) topology: Topology,
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) normals: Vec<DVec3>,
    /// Directions of the edges, parallel ones once.
    pub(crate) directions: Vec<DVec3>,
}

/// A cylinder or a cone.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    pub(crate) centre: DVec3,
    pub(crate) axis: DVec3,
    /// A direction across the axis, fixed to the body.
    pub(crate) across: DVec3,
    pub(crate) half_height: f64,
    pub(crate) radius: f64,
    /// Tip at centre + half_height axis instead of a second disc.
    pub(crate) cone: bool,
}

pub(crate) enum Core {
    Polyhedron(Polyhedron),
    Round(Round),
}

/// A core swept by a sphere.
pub(crate) struct Convex {
    pub(crate) core: Core,
    /// Radius of the sphere, with the margin of the collider.
    pub(crate) sweep: f64,
    /// Largest distance of a point of the core from its origin.
    pub(crate) size: f64,
}

impl Convex {
    /// None for a shape that is not convex.
    pub(super) fn new(shape: &Shape, margin: f64) -> Result<Option<Self>, ShapeError> {
        let (core, sweep) = match shape {
            Shape::Sphere { radius } => (Core::Polyhedron(point()), radius + margin),
            Shape::Capsule { half_height, radius } => (Core::Polyhedron(segment(*half_height)), radius + margin),
            Shape::Cuboid { half } => (Core::Polyhedron(cuboid(*half)), margin),
            Shape::ConvexHull { points } => (Core::Polyhedron(hull(&Hull::new(points)?)), margin),
            Shape::Cylinder { half_height, radius } => (round(*half_height, *radius, false), margin),
            Shape::Cone { half_height, radius } => (round(*half_height, *radius, true), margin),
            _ => return Ok(None),
        };
        let size = match &core {
            Core::Polyhedron(polyhedron) => polyhedron.vertices.iter().map(|v| v.length()).fold(0.0, f64::max),
            Core::Round(round) => round.radius.hypot(round.half_height),
        };
        Ok(Some(Self { core, sweep, size }))
    }
}

/// A single point: the core of a sphere.
pub(crate) fn point() -> Polyhedron {
    let topology = Topology::new(std::iter::empty());
    Polyhedron { topology, vertices: vec![DVec3::ZERO], normals: Vec::new(), directions: Vec::new() }
}

fn segment(half: f64) -> Polyhedron {
    let mut topology = Topology::new(std::iter::empty());
    topology.edges.push([0, 1]);
    topology.edge_faces.push([NONE; 2]);
    let vertices = vec![DVec3::new(0.0, 0.0, -half), DVec3::new(0.0, 0.0, half)];
    Polyhedron { topology, vertices, normals: Vec::new(), directions: vec![DVec3::Z] }
}

/// Vertex i has the signs of its bits: x from bit 0, y from bit 1, z from bit 2.
fn cuboid(half: DVec3) -> Polyhedron {
    let sign = |bit: u32| if bit & 1 == 1 { 1.0 } else { -1.0 };
    let vertices = (0..8_u32).map(|i| half * DVec3::new(sign(i), sign(i >> 1), sign(i >> 2))).collect();
    const FACES: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let normals = vec![DVec3::NEG_X, DVec3::X, DVec3::NEG_Y, DVec3::Y, DVec3::NEG_Z, DVec3::Z];
    let topology = Topology::new(FACES.iter().map(|face| face.as_slice()));
    Polyhedron { topology, vertices, normals, directions: vec![DVec3::X, DVec3::Y, DVec3::Z] }
}

fn hull(hull: &Hull) -> Polyhedron {
    /// Edges closer to parallel than this give the same crossing direction, within rounding.
    const PARALLEL: f64 = 1e-12;
    let topology = Topology::new(hull.faces.iter().map(|face| face.corners.as_slice()));
    let mut directions: Vec<DVec3> = Vec::new();
    for [p, q] in &topology.edges {
        let direction = (hull.vertices[*q as usize] - hull.vertices[*p as usize]).normalize_or_zero();
        if directions.iter().all(|known| known.cross(direction).length() > PARALLEL) {
            directions.push(direction);
        }
    }
    let normals = hull.faces.iter().map(|face| face.normal).collect();
    Polyhedron { topology, vertices: hull.vertices.clone(), normals, directions }
}

fn round(half_height: f64, radius: f64, cone: bool) -> Core {
    let (centre, axis, across) = (DVec3::ZERO, DVec3::Z, DVec3::X);
    Core::Round(Round { centre, axis, across, half_height, radius, cone })
}

/// Vectors of a polyhedron in the frame of a query.
#[derive(Default)]
pub(super) struct Placement {
    vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
    directions: Vec<DVec3>,
}

/// A convex core in the frame of a query.
#[derive(Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) topology: &'a Topology,
    pub(super) vertices: &'a [DVec3],
    pub(super) normals: &'a [DVec3],
    pub(super) directions: &'a [DVec3],
    /// A round solid has no vertices.
    pub(super) round: Option<Round>,
    pub(super) centre: DVec3,
    pub(super) sweep: f64,
    pub(super) size: f64,
}

static NOTHING: Topology =
    Topology { starts: Vec::new(), corners: Vec::new(), sides: Vec::new(), edges: Vec::new(), edge_faces: Vec::new() };

impl<'a> View<'a> {
    /// The core in its own frame.
    pub(super) fn own(convex: &'a Convex) -> Self {
        let (sweep, size, centre) = (convex.sweep, convex.size, DVec3::ZERO);
        match &convex.core {
            Core::Polyhedron(p) => Self {
                topology: &p.topology,
                vertices: &p.vertices,
                normals: &p.normals,
                directions: &p.directions,
                round: None,
                centre,
                sweep,
                size,
            },
            Core::Round(round) => Self {
                topology: &NOTHING,
                vertices: &[],
                normals: &[],
                directions: &[],
                round: Some(*round),
                centre,
                sweep,
                size,
            },
        }
    }

    /// The core moved by a pose.
    pub(super) fn moved(convex: &'a Convex, pose: &Pose, placement: &'a mut Placement) -> Self {
        let own = Self::own(convex);
        // Rotating by the matrix of the quaternion costs half of rotating by the quaternion.
        let rotation = glam::DMat3::from_quat(pose.rotation);
        let fill = |to: &mut Vec<DVec3>, from: &[DVec3], shift: DVec3| {
            to.clear();
            to.extend(from.iter().map(|&v| rotation * v + shift));
        };
        fill(&mut placement.vertices, own.vertices, pose.position);
        fill(&mut placement.normals, own.normals, DVec3::ZERO);
        fill(&mut placement.directions, own.directions, DVec3::ZERO);
        let round = own.round.map(|r| Round {
            centre: pose.position,
            axis: rotation * r.axis,
            across: rotation * r.across,
            ..r
        });
        let (vertices, normals, directions) = (&placement.vertices, &placement.normals, &placement.directions);
        Self { vertices, normals, directions, round, centre: pose.position, ..own }
    }

    /// The farthest point along a direction, and its index (0 for round solids).
    pub(super) fn support(&self, n: DVec3) -> (DVec3, usize) {
        if let Some(round) = &self.round {
            return (round.support(n), 0);
        }
        let mut best = (f64::NEG_INFINITY, 0);
        for (index, vertex) in self.vertices.iter().enumerate() {
            let height = n.dot(*vertex);
            if height > best.0 {
                best = (height, index);
            }
        }
        (self.vertices[best.1], best.1)
    }

    /// Least and largest n·x.
    pub(super) fn interval(&self, n: DVec3) -> (f64, f64) {
        if let Some(round) = &self.round {
            return (n.dot(round.support(-n)), n.dot(round.support(n)));
        }
        self.vertices.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), vertex| {
            let height = n.dot(*vertex);
            (low.min(height), high.max(height))
        })
    }
}

impl Round {
    /// Unit direction across the axis towards n; zero along the axis.
    pub(crate) fn radial(&self, n: DVec3) -> DVec3 {
        /// Closer to the axis than this the direction is rounding.
        const ALONG: f64 = 1e-14;
        let across = n - self.axis * n.dot(self.axis);
        // Again: near the axis the rounding of the first subtraction is a large part of what is left.
        let across = across - self.axis * across.dot(self.axis);
        let length = across.length();
        if length > ALONG * n.length() { across / length } else { DVec3::ZERO }
    }

    fn support(&self, n: DVec3) -> DVec3 {
        let rim = self.radial(n) * self.radius;
        let up = self.axis * self.half_height;
        if !self.cone {
            return self.centre + rim + if n.dot(self.axis) >= 0.0 { up } else { -up };
        }
        let (tip, base) = (self.centre + up, self.centre - up + rim);
        if n.dot(tip) >= n.dot(base) { tip } else { base }
    }
}

/// A triangle of a surface: seen from one side only.
pub(super) struct TriangleBuffer {
    topology: Topology,
    vertices: [DVec3; 3],
    normal: [DVec3; 1],
    directions: [DVec3; 3],
}

impl Default for TriangleBuffer {
    fn default() -> Self {
        let topology = Topology::new(std::iter::once([0_u32, 1, 2].as_slice()));
        Self { topology, vertices: [DVec3::ZERO; 3], normal: [DVec3::Z], directions: [DVec3::X; 3] }
    }
}

impl TriangleBuffer {
    pub(super) fn set(&mut self, corners: [DVec3; 3], normal: DVec3, sweep: f64) -> View<'_> {
        let [a, b, c] = corners;
        self.vertices = corners;
        self.normal = [normal];
        self.directions = [b - a, c - b, a - c].map(DVec3::normalize_or_zero);
        let centre = (a + b + c) / 3.0;
        let size = corners.iter().map(|v| (*v - centre).length()).fold(0.0, f64::max);
        Self::view(self, centre, sweep, size)
    }

    fn view(&self, centre: DVec3, sweep: f64, size: f64) -> View<'_> {
        View {
            topology: &self.topology,
            vertices: &self.vertices,
            normals: &self.normal,
            directions: &self.directions,
            round: None,
            centre,
            sweep,
            size,
        }
    }
}

/// b seen from a: subtracts the positions first, so that two shapes far from the origin lose no digits of their distance.
pub(super) fn relative(a: &Pose, b: &Pose) -> Pose {
    let inverse: DQuat = a.rotation.conjugate();
    Pose::new(inverse * (b.position - a.position), (inverse * b.rotation).normalize())
}

//! Bodies and their shapes: balls, planes and triangles.

use super::body::Body;
use super::quantise::Range;
use crate::mesh::{Grown, parts};
use crate::{Look, TriangleMesh};
use serde_json::{Value, json};
use signorini_mechanics::{Pose, Vec3};
use signorini_scene::run::surface::Fineness;
use signorini_scene::run::{Frame, Manifest, ShapeRecord};
use std::collections::BTreeMap;

/// A shape as the page has it.
enum Drawn {
    Sphere(f64),
    Plane([f64; 3]),
    Mesh(TriangleMesh),
}

impl Drawn {
    /// `None` for damaged shapes.
    fn of(shape: &ShapeRecord) -> Option<Self> {
        match shape {
            ShapeRecord::Sphere { radius } => (*radius > 0.0 && radius.is_finite()).then_some(Self::Sphere(*radius)),
            ShapeRecord::HalfSpace { normal } => {
                Vec3::from_array(*normal).try_normalize().map(|normal| Self::Plane(normal.to_array()))
            }
            _ => TriangleMesh::of(shape, &Fineness::default()).map(Self::Mesh),
        }
    }

    /// Corners of a box around it; none of a plane.
    fn bounds(&self) -> Option<[Range; 3]> {
        match self {
            Self::Sphere(radius) => Some([Range { low: -radius, high: *radius }; 3]),
            Self::Plane(_) => None,
            Self::Mesh(mesh) => {
                let mut ranges = [Range::EMPTY; 3];
                for point in &mesh.positions {
                    (0..3).for_each(|axis| ranges[axis].add(f64::from(point[axis])));
                }
                Some(ranges)
            }
        }
    }
}

/// The shapes of all bodies; those that are alike are kept once.
pub(super) struct Shapes {
    drawn: Vec<Drawn>,
    /// Shape and place on the body, body after body.
    placed: Vec<Vec<(usize, Pose)>>,
}

impl Shapes {
    pub(super) fn of(manifest: &Manifest) -> Self {
        let mut this = Self { drawn: Vec::new(), placed: Vec::new() };
        // Shape, margin and part of a compound.
        let mut known: BTreeMap<(usize, u64, usize), Option<usize>> = BTreeMap::new();
        for body in &manifest.bodies {
            let mut places = Vec::new();
            for placed in &body.shapes {
                let Some(shape) = manifest.shapes.get(placed.shape) else { continue };
                let grown = Grown::of(shape, placed);
                for (index, (pose, part)) in parts(&grown.shape).into_iter().enumerate() {
                    let key = (placed.shape, placed.margin.to_bits(), index);
                    let number = *known.entry(key).or_insert_with(|| {
                        let drawn = Drawn::of(part)?;
                        this.drawn.push(drawn);
                        Some(this.drawn.len() - 1)
                    });
                    let pose = grown.pose * pose;
                    let is_sound = pose.position.is_finite() && (pose.rotation.length() - 1.0).abs() < 1e-3;
                    places.extend(number.filter(|_| is_sound).map(|number| (number, pose)));
                }
            }
            this.placed.push(places);
        }
        this
    }

    /// Bytes of the arrays.
    pub(super) fn bytes(&self) -> u64 {
        let of = |shape: &Drawn| match shape {
            Drawn::Mesh(mesh) => 12 * (mesh.positions.len() + mesh.triangles.len()) as u64 + 16,
            _ => 0,
        };
        self.drawn.iter().map(of).sum()
    }

    /// The list of shapes.
    pub(super) fn pack(&self, body: &mut Body) -> Vec<Value> {
        let mut pack = |shape: &Drawn| match shape {
            Drawn::Sphere(radius) => json!({ "kind": "sphere", "radius": radius }),
            Drawn::Plane(normal) => json!({ "kind": "plane", "normal": normal }),
            Drawn::Mesh(mesh) => {
                let look = if mesh.look == Look::Wall { "wall" } else { "solid" };
                let positions = body.f32s(mesh.positions.iter().flatten().copied());
                let triangles = body.u32s(mesh.triangles.iter().flatten().copied());
                json!({ "kind": "mesh", "look": look, "positions": positions, "triangles": triangles })
            }
        };
        self.drawn.iter().map(&mut pack).collect()
    }

    /// The list of bodies, with their poses in the first frame.
    pub(super) fn bodies(&self, manifest: &Manifest, poses: &[Pose]) -> Vec<Value> {
        let list = manifest.bodies.iter().zip(poses).zip(&self.placed);
        let of = |((body, pose), placed): ((&signorini_scene::run::BodyRecord, &Pose), &Vec<(usize, Pose)>)| {
            let shape = |(shape, pose): &(usize, Pose)| json!({ "shape": shape, "position": pose.position.to_array(), "rotation": pose.rotation.to_array() });
            let ([x, y, z], [qx, qy, qz, qw]) = (pose.position.to_array(), pose.rotation.to_array());
            json!({
                "name": body.name,
                "mass": body.mass,
                "fixed": body.fixed,
                "pose": [x, y, z, qx, qy, qz, qw],
                "shapes": placed.iter().map(shape).collect::<Vec<_>>(),
            })
        };
        list.map(of).collect()
    }
}

/// A box around all that moves and all finite shapes, over all frames.
pub(super) struct Bounds {
    /// Corners of a box about the shapes of every body, in its frame.
    corners: Vec<Vec<Vec3>>,
    fixed: Vec<bool>,
    ranges: [Range; 3],
}

impl Bounds {
    pub(super) fn new(shapes: &Shapes, manifest: &Manifest) -> Self {
        let boxes: Vec<Option<[Range; 3]>> = shapes.drawn.iter().map(Drawn::bounds).collect();
        let corners = |placed: &Vec<(usize, Pose)>| {
            let mut corners = Vec::new();
            for (shape, pose) in placed {
                let Some(bounds) = boxes[*shape] else { continue };
                let end = |k: usize, axis: usize| {
                    if k >> axis & 1 == 1 { bounds[axis].high } else { bounds[axis].low }
                };
                corners.extend((0..8).map(|k| *pose * Vec3::new(end(k, 0), end(k, 1), end(k, 2))));
            }
            corners
        };
        Self {
            corners: shapes.placed.iter().map(corners).collect(),
            fixed: manifest.bodies.iter().map(|body| body.fixed).collect(),
            ranges: [Range::EMPTY; 3],
        }
    }

    pub(super) fn measure(&mut self, frame: &Frame, is_first: bool) {
        for ((body, corners), fixed) in frame.bodies.iter().zip(&self.corners).zip(&self.fixed) {
            if *fixed && !is_first {
                continue;
            }
            let centre = (!*fixed).then_some(body.pose.position);
            for point in corners.iter().map(|corner| body.pose * *corner).chain(centre) {
                (0..3).for_each(|axis| self.ranges[axis].add(point[axis]));
            }
        }
    }

    pub(super) fn add_nodes(&mut self, ranges: impl Iterator<Item = [Range; 3]>) {
        for range in ranges {
            for axis in 0..3 {
                self.ranges[axis].add(range[axis].low);
                self.ranges[axis].add(range[axis].high);
            }
        }
    }

    /// Low and high corner; a cube of 2 m about the origin where there is nothing finite.
    pub(super) fn corners(&self) -> [[f64; 3]; 2] {
        match self.ranges.iter().all(|range| range.low <= range.high) {
            true => [self.ranges.map(|range| range.low), self.ranges.map(|range| range.high)],
            false => [[-1.0; 3], [1.0; 3]],
        }
    }
}

//! Contacts of any two shapes.
//!
//! | pair | how |
//! |---|---|
//! | convex, convex | [`separation`]: the direction of the signed distance; [`overlap`]: the corners of the common region |
//! | half-space, any | [`half_space`]: heights of corners and rims |
//! | container, any | [`container`]: distances of corners, rims and edges from the wall, and of its edges from faces |
//! | surface, convex | [`mesh`]: corners, vertices and edges, with the side from the inside of the body |
//! | surface, surface | [`surface`]: triangle by triangle, inner edges smoothed |
//!
//! Half-spaces, containers and height fields do not meet each other. The answer depends on the two poses only, never on
//! earlier queries.

mod collect;
pub(crate) mod container;
pub(crate) mod convex;
mod convex_convex;
mod feature;
mod gjk;
mod half_space;
mod mesh;
mod overlap;
mod penetration;
mod polish;
mod segments;
mod separation;
pub(crate) mod surface;

use crate::{Pose, Shape, ShapeError};
use collect::{Collector, Origin};
use container::Container;
use convex::{Convex, Placement, TriangleBuffer, View, relative};
use convex_convex::Buffers;
use feature::Feature;
use glam::{DMat3, DVec3};
use mesh::MeshBuffers;
use overlap::Touch;
use separation::Separation;
use surface::Surface;

/// More contacts than this of one pair are thinned out.
const MANY: usize = 8;

/// What a part of a shape is.
pub(crate) enum Body {
    Convex(Convex),
    HalfSpace { normal: DVec3, margin: f64 },
    Container(Container),
    Surface(Surface),
}

/// How the box around a part is found.
enum Bounds {
    /// By the formula of the shape.
    Shape(Shape),
    /// A box in the frame of the part: cheap for many points, a little larger than needed when turned.
    Box(DVec3, DVec3),
}

/// A shape is one part, a compound has several.
pub(crate) struct Part {
    /// collider_from_part
    pub(crate) pose: Pose,
    pub(crate) body: Body,
    bounds: Bounds,
    margin: f64,
}

/// A shape made ready for the tests against others.
pub(crate) struct Prepared {
    pub(crate) parts: Vec<Part>,
}

/// Buffers of the tests; one a thread.
#[derive(Default)]
pub(crate) struct Workspace {
    placement: Placement,
    triangles: [TriangleBuffer; 2],
    buffers: Buffers,
    mesh: MeshBuffers,
    feature: Feature,
    touches: Vec<Touch>,
    candidates: Vec<u32>,
    outer_candidates: Vec<u32>,
    collector: Collector,
}

impl Prepared {
    /// Prepares a shape, grown by a sphere of radius `margin`.
    ///
    /// # Errors
    /// A shape that cannot be used.
    pub(crate) fn new(shape: &Shape, margin: f64) -> Result<Self, ShapeError> {
        shape.check()?;
        if !margin.is_finite() || margin < 0.0 {
            let (shape, allowed) = (shape.kind(), "a finite length ≥ 0 m");
            return Err(ShapeError::Number { shape, what: "margin", value: margin, allowed });
        }
        let parts = match shape {
            Shape::Compound { parts } => {
                parts.iter().map(|(pose, part)| Part::new(*pose, part, margin)).collect::<Result<_, _>>()?
            }
            single => vec![Part::new(Pose::IDENTITY, single, margin)?],
        };
        Ok(Self { parts })
    }

    /// Lowest and highest corner of a box along the axes of the world that holds the shape and its margin.
    pub(crate) fn aabb(&self, pose: &Pose) -> (DVec3, DVec3) {
        let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        self.parts.iter().fold(start, |(low, high), part| {
            let (l, h) = part.aabb(&(*pose * part.pose));
            (low.min(l), high.max(h))
        })
    }
}

impl Part {
    fn new(pose: Pose, shape: &Shape, margin: f64) -> Result<Self, ShapeError> {
        let body = if let Some(convex) = Convex::new(shape, margin)? {
            Body::Convex(convex)
        } else if let Some(surface) = Surface::new(shape, margin)? {
            Body::Surface(surface)
        } else {
            match shape {
                Shape::HalfSpace { normal } => Body::HalfSpace { normal: normal.normalize(), margin },
                Shape::InsideCylinder { radius, half_height, thickness } => {
                    Body::Container(Container::new([*radius; 2], *half_height, *thickness, margin))
                }
                Shape::InsideCone { bottom_radius, top_radius, half_height, thickness } => {
                    Body::Container(Container::new([*bottom_radius, *top_radius], *half_height, *thickness, margin))
                }
                nested => {
                    let problem = "a part is a compound itself: put its parts in directly".into();
                    return Err(ShapeError::Geometry { shape: nested.kind(), problem });
                }
            }
        };
        let bounds = match shape {
            Shape::ConvexHull { .. } | Shape::TriangleMesh(_) => {
                let (low, high) = shape.local_aabb();
                Bounds::Box(low, high)
            }
            formula => Bounds::Shape(formula.clone()),
        };
        Ok(Self { pose, body, bounds, margin })
    }

    /// A box along the axes of the frame the pose is given in, margin included.
    pub(crate) fn aabb(&self, pose: &Pose) -> (DVec3, DVec3) {
        let (low, high) = match &self.bounds {
            Bounds::Shape(shape) => shape.aabb(*pose),
            Bounds::Box(low, high) => {
                let (centre, half) = (*pose * (0.5 * (*low + *high)), 0.5 * (*high - *low));
                let rotation = DMat3::from_quat(pose.rotation);
                let reach =
                    rotation.x_axis.abs() * half.x + rotation.y_axis.abs() * half.y + rotation.z_axis.abs() * half.z;
                (centre - reach, centre + reach)
            }
        };
        (low - self.margin, high + self.margin)
    }
}

/// Every contact of two shapes with a gap below `reach`, in the order of their names: name, points of A and B, unit normal
/// from A to B, gap.
pub(crate) fn contacts(
    workspace: &mut Workspace,
    a: &Prepared,
    pose_a: &Pose,
    b: &Prepared,
    pose_b: &Pose,
    reach: f64,
    emit: &mut dyn FnMut(u64, [DVec3; 2], DVec3, f64),
) {
    workspace.collector.found.clear();
    for (i, part_a) in a.parts.iter().enumerate() {
        let world_a = *pose_a * part_a.pose;
        for (j, part_b) in b.parts.iter().enumerate() {
            let world_b = *pose_b * part_b.pose;
            let start = workspace.collector.found.len();
            let parts = [i as u32, j as u32];
            let (forward, backward) =
                (Origin { parts, ..Origin::default() }, Origin { parts, exchanged: true, ..Origin::default() });
            if !workspace.ordered(part_a, &world_a, part_b, &world_b, reach, forward) {
                workspace.ordered(part_b, &world_b, part_a, &world_a, reach, backward);
            }
            let is_surface = [part_a, part_b].map(|part| matches!(part.body, Body::Surface(_)));
            let is_convex = [part_a, part_b].map(|part| matches!(part.body, Body::Convex(_)));
            if is_surface == [true, true] {
                workspace.collector.drop_doubtful(start, size(part_a).min(size(part_b)));
            }
            // Surfaces against convex parts have left out what is not needed.
            let reduced = is_surface.contains(&true) && is_convex.contains(&true);
            let many = workspace.collector.found.len() - start > MANY;
            if !reduced && (many || is_surface.contains(&true)) {
                workspace.collector.thin_out(start, size(part_a).min(size(part_b)));
            }
        }
    }
    workspace.collector.found.sort_unstable_by_key(|contact| contact.feature);
    for contact in &workspace.collector.found {
        emit(contact.feature, contact.points, contact.normal, contact.gap);
    }
}

/// A length of the part that tells equal places from different ones.
fn size(part: &Part) -> f64 {
    match &part.body {
        Body::Convex(convex) => convex.size + convex.sweep,
        Body::Surface(surface) => surface.size,
        Body::HalfSpace { .. } | Body::Container(_) => f64::INFINITY,
    }
}

impl Workspace {
    /// Contacts of two parts in this order; false when the other order is the one that is known.
    fn ordered(&mut self, a: &Part, at: &Pose, b: &Part, to: &Pose, reach: f64, origin: Origin) -> bool {
        let pose = relative(at, to);
        match (&a.body, &b.body) {
            (Body::Convex(a), Body::Convex(b)) => self.convex_convex(a, b, &pose, at, reach, origin),
            (Body::HalfSpace { normal, margin }, Body::Convex(b)) => {
                let view = View::moved(b, &pose, &mut self.placement);
                half_space::touch(*normal, &view, reach + margin + b.sweep, &mut self.feature, &mut self.touches);
                self.add_touches([*margin, b.sweep], at, reach, origin);
            }
            (Body::HalfSpace { normal, margin }, Body::Surface(b)) => {
                let corner = |point, name| half_space::corner(*normal, point, name, reach + margin + b.margin);
                self.corners(b, &pose, &corner);
                self.add_touches([*margin, b.margin], at, reach, origin);
            }
            (Body::Container(a), Body::Convex(b)) => {
                let view = View::moved(b, &pose, &mut self.placement);
                a.touch(&view, reach + a.margin + b.sweep, &mut self.touches);
                self.add_touches([a.margin, b.sweep], at, reach, origin);
            }
            (Body::Container(a), Body::Surface(b)) if !b.solid_below => {
                let (core, limit) = (pose * b.centre(), reach + a.margin + b.margin);
                self.corners(b, &pose, &|point, name| container::point(a, core, point, name, limit));
                self.add_touches([a.margin, b.margin], at, reach, origin);
            }
            (Body::Surface(a), Body::Convex(b)) => self.surface_convex(a, b, &pose, at, reach, origin),
            (Body::Surface(a), Body::Surface(b)) => self.surface_surface(a, b, &pose, at, reach, origin),
            _ => return false,
        }
        true
    }

    fn add_touches(&mut self, sweeps: [f64; 2], world: &Pose, reach: f64, origin: Origin) {
        for touch in &self.touches {
            self.collector.add(touch, sweeps, world, reach, origin);
        }
    }

    /// Contacts of all corners of a surface.
    fn corners(&mut self, surface: &Surface, pose: &Pose, contact: &dyn Fn(DVec3, u32) -> Option<Touch>) {
        self.touches.clear();
        for (index, vertex) in surface.mesh.vertices.iter().enumerate() {
            self.touches.extend(contact(*pose * *vertex, index as u32));
        }
    }

    fn convex_convex(&mut self, a: &Convex, b: &Convex, pose: &Pose, world: &Pose, reach: f64, origin: Origin) {
        let farthest = a.size + b.size + a.sweep + b.sweep + reach;
        if pose.position.length_squared() > farthest * farthest {
            return;
        }
        let view = View::moved(b, pose, &mut self.placement);
        convex_convex::touch(&View::own(a), &view, reach, &mut self.buffers);
        for touch in &self.buffers.found {
            self.collector.add(touch, [a.sweep, b.sweep], world, reach, origin);
        }
    }

    fn surface_convex(&mut self, a: &Surface, b: &Convex, pose: &Pose, world: &Pose, reach: f64, origin: Origin) {
        let view = View::moved(b, pose, &mut self.placement);
        mesh::touch(a, &view, reach, None, &mut self.mesh);
        for met in &self.mesh.found {
            let origin = Origin { triangles: [met.via, 0], ..origin };
            self.collector.add(&met.touch, [a.margin, b.sweep], world, reach, origin);
        }
    }

    fn surface_surface(&mut self, a: &Surface, b: &Surface, pose: &Pose, world: &Pose, reach: f64, origin: Origin) {
        if a.solid_below && b.solid_below {
            return;
        }
        let grow = reach + a.margin + b.margin;
        b.triangles_near(a, &pose.inverse(), grow, &mut self.outer_candidates);
        let [buffer_a, buffer_b] = &mut self.triangles;
        for &second in &self.outer_candidates {
            let corners = b.mesh.corners(second as usize).map(|corner| *pose * corner);
            let other = buffer_b.set(corners, pose.rotation * b.normals[second as usize], b.margin);
            let (low, high) = box_of(&other, grow);
            a.triangles_in(low, high, &mut self.candidates);
            for &first in &self.candidates {
                let origin = Origin { triangles: [first, second], ..origin };
                let face = buffer_a.set(a.mesh.corners(first as usize), a.normals[first as usize], a.margin);
                let allowed = triangle_convex(a, first as usize, &face, &other, reach, &mut self.buffers);
                let origin = Origin { doubtful: !allowed, ..origin };
                for touch in &self.buffers.found {
                    self.collector.add(touch, [a.margin, b.margin], world, reach, origin);
                }
            }
        }
    }
}

/// Box around a core, grown.
fn box_of(view: &View, grow: f64) -> (DVec3, DVec3) {
    let [x, y, z] = [DVec3::X, DVec3::Y, DVec3::Z].map(|axis| view.interval(axis));
    (DVec3::new(x.0, y.0, z.0) - grow, DVec3::new(x.1, y.1, z.1) + grow)
}

/// Fills `buffers.found` with the contacts of a triangle of a surface and one of another surface; false when the direction found is not one
/// the surface allows and was replaced by the triangle's normal.
fn triangle_convex(
    surface: &Surface,
    triangle: usize,
    face: &View,
    b: &View,
    reach: f64,
    buffers: &mut Buffers,
) -> bool {
    let (normal, corner) = (face.normals[0], face.vertices[0]);
    let plane = normal.dot(corner);
    buffers.found.clear();
    let (lowest, highest) = b.interval(normal);
    if lowest - plane >= reach + face.sweep + b.sweep {
        return true;
    }
    let own = Separation { normal, gap: lowest - plane, points: None, exact: true };
    // Behind an open surface nothing touches it; of a closed one, another triangle is the one to push. Below a height
    // field the way out is up.
    if highest + b.sweep < plane {
        if surface.solid_below {
            convex_convex::along(face, b, own, buffers);
        }
        return true;
    }
    let Some(found) = convex_convex::touch(face, b, reach, buffers) else { return true };
    if surface.allows(triangle, found.normal) {
        return true;
    }
    convex_convex::along(face, b, own, buffers);
    false
}

#[cfg(test)]
mod tests;

//! Shapes as faces: flat polygons with their corners counter-clockwise seen from outside.
//!
//! Round shapes are inscribed polyhedra; [`Fineness`] says how fine. The walls of containers face outwards too, away from their
//! axis: what draws them shows both sides.

use super::shapes::{BodyRecord, ShapeRecord};
use signorini_collision::shape::hull_faces;
use signorini_mechanics::{Pose, Quat, Vec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// A ring this much smaller than its neighbour is a point.
const POINT_RING: f64 = 1e-12;

/// How finely round shapes are drawn, and how far planes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fineness {
    /// Corners of the polygons that stand for circles; the walls of containers have twice as many.
    pub around: usize,
    /// Rings of a ball from pole to pole; twice as many corners around.
    pub rings: usize,
    /// Rings of the half ball at an end of a capsule.
    pub cap_rings: usize,
    /// How far from their origin planes are drawn \[m\].
    pub extent: f64,
}

impl Default for Fineness {
    fn default() -> Self {
        Self { around: 24, rings: 12, cap_rings: 4, extent: 1.0 }
    }
}

/// Faces of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners \[m\].
    pub points: Vec<Vec3>,
    corners: Vec<u32>,
    ends: Vec<u32>,
}

impl Surface {
    /// Faces of a shape in its own frame. Points of a mesh that are not there, or points without a hull, give no faces.
    #[must_use]
    pub fn of(shape: &ShapeRecord, fineness: &Fineness) -> Self {
        let mut this = Self::default();
        this.add(shape, &Pose::IDENTITY, fineness);
        this
    }

    /// Adds the faces of a shape at a place.
    pub fn add(&mut self, shape: &ShapeRecord, pose: &Pose, fineness: &Fineness) {
        let around = fineness.around.max(3);
        match shape {
            ShapeRecord::Sphere { radius } => {
                let rings = fineness.rings.max(2);
                let ring = |k: usize| {
                    let angle = PI * k as f64 / rings as f64 - FRAC_PI_2;
                    (radius * angle.cos(), radius * angle.sin())
                };
                self.turned(&(0..=rings).map(ring).collect::<Vec<_>>(), 2 * rings, pose);
            }
            ShapeRecord::Cuboid { half } => self.cuboid(Vec3::from_array(*half), pose),
            ShapeRecord::Capsule { half_height, radius } => {
                let rings = fineness.cap_rings.max(1);
                let arc = |k: usize, centre: f64, from: f64| {
                    let angle = from + FRAC_PI_2 * k as f64 / rings as f64;
                    (radius * angle.cos(), centre + radius * angle.sin())
                };
                let lower = (0..=rings).map(|k| arc(k, -half_height, -FRAC_PI_2));
                let upper = (0..=rings).map(|k| arc(k, *half_height, 0.0));
                self.turned(&lower.chain(upper).collect::<Vec<_>>(), around, pose);
            }
            ShapeRecord::Cylinder { half_height: h, radius: r } => {
                self.turned(&[(0.0, -h), (*r, -h), (*r, *h), (0.0, *h)], around, pose);
            }
            ShapeRecord::Cone { half_height: h, radius: r } => {
                self.turned(&[(0.0, -h), (*r, -h), (0.0, *h)], around, pose);
            }
            ShapeRecord::InsideCylinder { radius: r, half_height: h, .. } => {
                self.turned(&[(*r, -h), (*r, *h)], 2 * around, pose);
            }
            ShapeRecord::InsideCone { bottom_radius, top_radius, half_height: h, .. } => {
                self.turned(&[(*bottom_radius, -h), (*top_radius, *h)], 2 * around, pose);
            }
            ShapeRecord::ConvexHull { points } => {
                let points: Vec<Vec3> = points.iter().copied().map(Vec3::from_array).collect();
                // The points of a run are those of a model, whose hulls were found: only a file that was changed has none.
                let Ok((vertices, faces)) = hull_faces(&points) else { return };
                let first = self.points.len();
                vertices.iter().for_each(|vertex| self.point(pose, *vertex));
                faces.iter().for_each(|face| self.face(face.iter().map(|corner| first + *corner as usize)));
            }
            ShapeRecord::HalfSpace { normal } => {
                let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::from_array(*normal).normalize_or(Vec3::Z));
                let first = self.points.len();
                for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    self.point(pose, turn * (Vec3::new(x, y, 0.0) * fineness.extent));
                }
                self.face(first..first + 4);
            }
            ShapeRecord::Mesh { vertices, triangles } => {
                let first = self.points.len();
                vertices.iter().for_each(|vertex| self.point(pose, Vec3::from_array(*vertex)));
                let whole = |triangle: &&[u32; 3]| triangle.iter().all(|corner| (*corner as usize) < vertices.len());
                for triangle in triangles.iter().filter(whole) {
                    self.face(triangle.iter().map(|corner| first + *corner as usize));
                }
            }
            ShapeRecord::HeightField { heights, columns, size } => self.field(heights, *columns, *size, pose),
            ShapeRecord::Compound { parts } => {
                for part in parts {
                    self.add(&part.shape, &(*pose * part.pose()), fineness);
                }
            }
        }
    }

    /// The faces: corners by their place in `points`.
    pub fn faces(&self) -> impl Iterator<Item = &[u32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, end)| &self.corners[start as usize..*end as usize])
    }

    /// Whether a shape is the wall of a container, seen from inside.
    #[must_use]
    pub fn is_wall(shape: &ShapeRecord) -> bool {
        match shape {
            ShapeRecord::InsideCylinder { .. } | ShapeRecord::InsideCone { .. } => true,
            ShapeRecord::Compound { parts } => !parts.is_empty() && parts.iter().all(|part| Self::is_wall(&part.shape)),
            _ => false,
        }
    }

    fn point(&mut self, pose: &Pose, point: Vec3) {
        self.points.push(*pose * point);
    }

    fn face(&mut self, corners: impl Iterator<Item = usize>) {
        self.corners.extend(corners.map(|corner| corner as u32));
        self.ends.push(self.corners.len() as u32);
    }

    /// The surface a line of (distance from the axis, z) makes when it is turned about z.
    fn turned(&mut self, line: &[(f64, f64)], around: usize, pose: &Pose) {
        let first = self.points.len();
        for &(r, z) in line {
            for k in 0..around {
                let angle = TAU * k as f64 / around as f64;
                self.point(pose, Vec3::new(r * angle.cos(), r * angle.sin(), z));
            }
        }
        for ring in 0..line.len().saturating_sub(1) {
            let at = |up: usize, k: usize| first + (ring + up) * around + k % around;
            for k in 0..around {
                // Rings of radius 0 are single points: triangles there.
                if line[ring].0.abs() < POINT_RING * line[ring + 1].0.abs() {
                    self.face([at(0, k), at(1, k + 1), at(1, k)].into_iter());
                } else if line[ring + 1].0.abs() < POINT_RING * line[ring].0.abs() {
                    self.face([at(0, k), at(0, k + 1), at(1, k)].into_iter());
                } else {
                    self.face([at(0, k), at(0, k + 1), at(1, k + 1), at(1, k)].into_iter());
                }
            }
        }
    }

    fn cuboid(&mut self, half: Vec3, pose: &Pose) {
        let first = self.points.len();
        for corner in 0..8 {
            let sign = |bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            self.point(pose, half * Vec3::new(sign(0), sign(1), sign(2)));
        }
        // Counter-clockwise seen from outside; corner = x + 2y + 4z.
        for face in [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]] {
            self.face(face.iter().map(|corner| first + corner));
        }
    }

    fn field(&mut self, heights: &[f64], columns: usize, size: [f64; 2], pose: &Pose) {
        if columns < 2 || heights.len() < 2 * columns {
            return;
        }
        let rows = heights.len() / columns;
        let first = self.points.len();
        for (at, height) in heights[..rows * columns].iter().enumerate() {
            let x = size[0] * ((at % columns) as f64 / (columns - 1) as f64 - 0.5);
            let y = size[1] * ((at / columns) as f64 / (rows - 1) as f64 - 0.5);
            self.point(pose, Vec3::new(x, y, *height));
        }
        for row in 0..rows - 1 {
            for column in 0..columns - 1 {
                let at = first + row * columns + column;
                self.face([at, at + 1, at + 1 + columns, at + columns].into_iter());
            }
        }
    }
}

/// Distance of the farthest point of a body from its origin, planes and margins left out \[m\].
#[must_use]
pub fn body_radius(body: &BodyRecord, shapes: &[ShapeRecord]) -> f64 {
    let known = body.shapes.iter().filter_map(|placed| Some((shapes.get(placed.shape)?, placed.pose())));
    known.map(|(shape, pose)| radius(shape, &pose)).fold(0.0, f64::max)
}

/// Distance of the farthest point of a shape from a point of its body, planes left out \[m\].
#[must_use]
pub fn radius(shape: &ShapeRecord, pose: &Pose) -> f64 {
    let farthest = |points: &[[f64; 3]]| {
        points.iter().map(|point| (*pose * Vec3::from_array(*point)).length()).fold(0.0, f64::max)
    };
    let centre = pose.position.length();
    match shape {
        ShapeRecord::Sphere { radius } => centre + radius,
        ShapeRecord::Cuboid { half } => centre + Vec3::from_array(*half).length(),
        ShapeRecord::Capsule { half_height, radius } => centre + half_height + radius,
        ShapeRecord::Cylinder { half_height, radius } | ShapeRecord::Cone { half_height, radius } => {
            centre + half_height.hypot(*radius)
        }
        ShapeRecord::InsideCylinder { radius, half_height, thickness } => {
            centre + half_height.hypot(radius + thickness)
        }
        // A wall that leans by α is t / cos α thick along the radius.
        ShapeRecord::InsideCone { bottom_radius, top_radius, half_height, thickness } => {
            let slope = 0.5 * (top_radius - bottom_radius) / half_height;
            centre + half_height.hypot(bottom_radius.max(*top_radius) + thickness * slope.hypot(1.0))
        }
        ShapeRecord::ConvexHull { points } => farthest(points),
        ShapeRecord::Mesh { vertices, .. } => farthest(vertices),
        ShapeRecord::HeightField { size, heights, .. } => {
            let high = heights.iter().fold(0.0, |high: f64, height| high.max(height.abs()));
            centre + high.hypot(0.5 * size[0].hypot(size[1]))
        }
        ShapeRecord::HalfSpace { .. } => 0.0,
        ShapeRecord::Compound { parts } => {
            parts.iter().map(|part| radius(&part.shape, &(*pose * part.pose()))).fold(0.0, f64::max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_shape_has_faces_within_its_radius() {
        let square = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let pose = Pose::new(Vec3::new(0.3, -0.2, 0.1), Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
        for shape in [
            ShapeRecord::ConvexHull { points: square.clone() },
            ShapeRecord::Mesh { vertices: square, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 9]] },
            ShapeRecord::HeightField { heights: vec![0.0, 3.0, -0.5, 0.2, 0.1, 1.0], columns: 3, size: [2.0, 1.0] },
            ShapeRecord::InsideCylinder { radius: 1.0, half_height: 2.0, thickness: 0.1 },
            ShapeRecord::InsideCone { bottom_radius: 0.1, top_radius: 1.0, half_height: 2.0, thickness: 0.1 },
        ] {
            let mut surface = Surface::default();
            surface.add(&shape, &pose, &Fineness::default());
            assert!(surface.faces().count() > 0, "{shape:?}");
            let limit = radius(&shape, &pose) * (1.0 + 1e-12);
            assert!(surface.points.iter().all(|point| point.length() <= limit), "{shape:?}");
            assert!(surface.faces().flatten().all(|&at| (at as usize) < surface.points.len()));
        }
    }

    #[test]
    fn faces_enclose_the_volume_of_the_shape_and_face_outwards() {
        // An inscribed polygon of n corners has sin(2π/n)/(2π/n) of the area of its circle.
        let share = (TAU / 24.0_f64).sin() / (TAU / 24.0);
        let (r, h) = (0.2, 0.3);
        let corner = |k: usize| [0.1, 0.2, 0.3].map(|x| x * if k.is_multiple_of(2) { 1.0 } else { -1.0 });
        let mut box_points: Vec<[f64; 3]> = vec![[0.0; 3]];
        for k in 0..8 {
            box_points.push([corner(k)[0], corner(k / 2)[1], corner(k / 4)[2]]);
        }
        for (shape, expected, slack) in [
            (ShapeRecord::Cuboid { half: [0.1, 0.2, 0.3] }, 8.0 * 0.006, 1e-12),
            (ShapeRecord::ConvexHull { points: box_points }, 8.0 * 0.006, 1e-12),
            (ShapeRecord::Cylinder { half_height: h, radius: r }, share * PI * r * r * 2.0 * h, 1e-12),
            (ShapeRecord::Cone { half_height: h, radius: r }, share * PI * r * r * 2.0 * h / 3.0, 1e-12),
            (ShapeRecord::Sphere { radius: r }, 4.0 / 3.0 * PI * r.powi(3), 0.05),
            (
                ShapeRecord::Capsule { half_height: h, radius: r },
                PI * r * r * 2.0 * h + 4.0 / 3.0 * PI * r.powi(3),
                0.05,
            ),
        ] {
            let pose = Pose::new(Vec3::new(0.3, -0.2, 0.1), Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
            let mut surface = Surface::default();
            surface.add(&shape, &pose, &Fineness::default());
            // By the divergence theorem: all faces closed and turned outwards, or it comes out wrong.
            let mut volume = 0.0;
            for face in surface.faces() {
                let at = |k: usize| surface.points[face[k] as usize];
                volume += (1..face.len() - 1).map(|k| at(0).dot(at(k).cross(at(k + 1))) / 6.0).sum::<f64>();
            }
            assert!((volume / expected - 1.0).abs() < slack, "{shape:?}: {volume} {expected}");
        }
    }
}

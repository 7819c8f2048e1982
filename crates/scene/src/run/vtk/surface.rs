//! Shapes as faces, in the frame of their body.

use super::vtu::cell;
use crate::run::shapes::{BodyRecord, ShapeRecord};
use signorini_mechanics::{Pose, Quat, Vec3};
use std::f64::consts::{FRAC_PI_2, PI, TAU};

/// Corners of the polygons that stand for circles.
const AROUND: usize = 24;
/// Rings of a ball between its poles, by how many balls there are: many balls get few faces each.
const RINGS: [(usize, usize); 3] = [(100, 12), (1000, 6), (usize::MAX, 4)];

/// Faces of all bodies; points are in the frame of the body that owns them.
#[derive(Default)]
pub(super) struct Surfaces {
    pub(super) points: Vec<Vec3>,
    /// Body of every point.
    pub(super) owners: Vec<usize>,
    pub(super) connectivity: Vec<i32>,
    /// End of every cell in `connectivity`.
    pub(super) offsets: Vec<i32>,
    pub(super) types: Vec<u8>,
    /// Body of every cell.
    pub(super) cell_owners: Vec<i32>,
    body: usize,
}

/// What shapes look like: how far planes are drawn, how finely balls.
struct Look {
    extent: f64,
    rings: usize,
}

impl Surfaces {
    /// Faces of all shapes. Planes are drawn `extent` far from their origin.
    pub(super) fn new(bodies: &[BodyRecord], shapes: &[ShapeRecord], extent: f64) -> Self {
        let balls = bodies.iter().flat_map(|body| &body.shapes);
        let balls = balls.filter(|placed| matches!(shapes[placed.shape], ShapeRecord::Sphere { .. })).count();
        let rings = RINGS.iter().find(|(most, _)| balls <= *most).map_or(4, |(_, rings)| *rings);
        let look = Look { extent, rings };
        let mut this = Self::default();
        for (index, body) in bodies.iter().enumerate() {
            this.body = index;
            for placed in &body.shapes {
                this.shape(&shapes[placed.shape], &placed.pose(), &look);
            }
        }
        this
    }

    fn shape(&mut self, shape: &ShapeRecord, pose: &Pose, look: &Look) {
        match shape {
            ShapeRecord::Sphere { radius } => {
                let ring = |k: usize| {
                    let angle = PI * k as f64 / look.rings as f64 - FRAC_PI_2;
                    (radius * angle.cos(), radius * angle.sin())
                };
                let rings: Vec<_> = (0..=look.rings).map(ring).collect();
                self.turned(&rings, 2 * look.rings, pose);
            }
            ShapeRecord::Cuboid { half } => self.cuboid(Vec3::from_array(*half), pose),
            ShapeRecord::Capsule { half_height, radius } => {
                let arc = |k: usize, centre: f64, from: f64| {
                    let angle = from + FRAC_PI_2 * k as f64 / 4.0;
                    (radius * angle.cos(), centre + radius * angle.sin())
                };
                let lower = (0..=4).map(|k| arc(k, -half_height, -FRAC_PI_2));
                let upper = (0..=4).map(|k| arc(k, *half_height, 0.0));
                self.turned(&lower.chain(upper).collect::<Vec<_>>(), AROUND, pose);
            }
            ShapeRecord::Cylinder { half_height: h, radius: r } => {
                self.turned(&[(0.0, -h), (*r, -h), (*r, *h), (0.0, *h)], AROUND, pose);
            }
            ShapeRecord::Cone { half_height: h, radius: r } => {
                self.turned(&[(0.0, -h), (*r, -h), (0.0, *h)], AROUND, pose);
            }
            ShapeRecord::InsideCylinder { radius: r, half_height: h } => {
                self.turned(&[(*r, -h), (*r, *h)], 2 * AROUND, pose);
            }
            ShapeRecord::InsideCone { bottom_radius, top_radius, half_height: h } => {
                self.turned(&[(*bottom_radius, -h), (*top_radius, *h)], 2 * AROUND, pose);
            }
            ShapeRecord::ConvexHull { points } => {
                let first = self.points.len();
                points.iter().for_each(|point| self.point(pose, Vec3::from_array(*point)));
                self.cell(cell::CONVEX_POINT_SET, first..self.points.len());
            }
            ShapeRecord::HalfSpace { normal } => {
                let turn = Quat::from_rotation_arc(Vec3::Z, Vec3::from_array(*normal).normalize_or(Vec3::Z));
                let first = self.points.len();
                for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                    self.point(pose, turn * (Vec3::new(x, y, 0.0) * look.extent));
                }
                self.cell(cell::QUAD, first..first + 4);
            }
            ShapeRecord::Mesh { vertices, triangles } => {
                let first = self.points.len();
                vertices.iter().for_each(|vertex| self.point(pose, Vec3::from_array(*vertex)));
                let whole = |triangle: &&[u32; 3]| triangle.iter().all(|corner| (*corner as usize) < vertices.len());
                for triangle in triangles.iter().filter(whole) {
                    self.cell(cell::TRIANGLE, triangle.iter().map(|corner| first + *corner as usize));
                }
            }
            ShapeRecord::HeightField { heights, columns, size } => self.field(heights, *columns, *size, pose),
            ShapeRecord::Compound { parts } => {
                for part in parts {
                    let inner = Pose::new(part.position.into(), Quat::from_array(part.rotation));
                    self.shape(&part.shape, &(*pose * inner), look);
                }
            }
        }
    }

    fn point(&mut self, pose: &Pose, point: Vec3) {
        self.points.push(*pose * point);
        self.owners.push(self.body);
    }

    fn cell(&mut self, kind: u8, corners: impl Iterator<Item = usize>) {
        self.connectivity.extend(corners.map(|corner| corner as i32));
        self.offsets.push(self.connectivity.len() as i32);
        self.types.push(kind);
        self.cell_owners.push(self.body as i32);
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
                if line[ring].0.abs() < 1e-12 * line[ring + 1].0.abs() {
                    self.cell(cell::TRIANGLE, [at(0, k), at(1, k + 1), at(1, k)].into_iter());
                } else if line[ring + 1].0.abs() < 1e-12 * line[ring].0.abs() {
                    self.cell(cell::TRIANGLE, [at(0, k), at(0, k + 1), at(1, k)].into_iter());
                } else {
                    self.cell(cell::QUAD, [at(0, k), at(0, k + 1), at(1, k + 1), at(1, k)].into_iter());
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
            self.cell(cell::QUAD, face.iter().map(|corner| first + corner));
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
                self.cell(cell::QUAD, [at, at + 1, at + 1 + columns, at + columns].into_iter());
            }
        }
    }
}

/// Distance of the farthest point of a shape from a point of its body, planes left out.
pub(super) fn radius(shape: &ShapeRecord, pose: &Pose) -> f64 {
    let farthest = |points: &[[f64; 3]]| {
        points.iter().map(|point| (*pose * Vec3::from_array(*point)).length()).fold(0.0, f64::max)
    };
    let centre = pose.position.length();
    match shape {
        ShapeRecord::Sphere { radius } => centre + radius,
        ShapeRecord::Cuboid { half } => centre + Vec3::from_array(*half).length(),
        ShapeRecord::Capsule { half_height, radius } => centre + half_height + radius,
        ShapeRecord::Cylinder { half_height, radius }
        | ShapeRecord::Cone { half_height, radius }
        | ShapeRecord::InsideCylinder { radius, half_height } => centre + half_height.hypot(*radius),
        ShapeRecord::InsideCone { bottom_radius, top_radius, half_height } => {
            centre + half_height.hypot(bottom_radius.max(*top_radius))
        }
        ShapeRecord::ConvexHull { points } => farthest(points),
        ShapeRecord::Mesh { vertices, .. } => farthest(vertices),
        ShapeRecord::HeightField { size, .. } => centre + 0.5 * size[0].hypot(size[1]),
        ShapeRecord::HalfSpace { .. } => 0.0,
        ShapeRecord::Compound { parts } => {
            let of = |part: &crate::run::CompoundPart| {
                let inner = Pose::new(part.position.into(), Quat::from_array(part.rotation));
                radius(&part.shape, &(*pose * inner))
            };
            parts.iter().map(of).fold(0.0, f64::max)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::shapes::PlacedShape;

    /// Volume by the divergence theorem: all faces closed and turned outwards, or it comes out wrong.
    fn volume(surfaces: &Surfaces) -> f64 {
        let mut start = 0;
        let mut volume = 0.0;
        for &end in &surfaces.offsets {
            let corners: Vec<Vec3> =
                surfaces.connectivity[start..end as usize].iter().map(|at| surfaces.points[*at as usize]).collect();
            start = end as usize;
            for k in 1..corners.len() - 1 {
                volume += corners[0].dot(corners[k].cross(corners[k + 1])) / 6.0;
            }
        }
        volume
    }

    fn surface_of(shape: ShapeRecord) -> Surfaces {
        let placed = PlacedShape { shape: 0, position: [0.3, -0.2, 0.1], rotation: [0.0, 0.6, 0.0, 0.8], margin: 0.0 };
        let body = BodyRecord { name: "a".into(), mass: 1.0, fixed: false, shapes: vec![placed] };
        Surfaces::new(&[body], &[shape], 1.0)
    }

    #[test]
    fn faces_enclose_the_volume_of_the_shape_and_face_outwards() {
        // An inscribed polygon of n corners has sin(2π/n)/(2π/n) of the area of its circle.
        let share = (TAU / AROUND as f64).sin() / (TAU / AROUND as f64);
        let (r, h) = (0.2, 0.3);
        for (shape, expected, slack) in [
            (ShapeRecord::Cuboid { half: [0.1, 0.2, 0.3] }, 8.0 * 0.006, 1e-12),
            (ShapeRecord::Cylinder { half_height: h, radius: r }, share * PI * r * r * 2.0 * h, 1e-12),
            (ShapeRecord::Cone { half_height: h, radius: r }, share * PI * r * r * 2.0 * h / 3.0, 1e-12),
            (ShapeRecord::Sphere { radius: r }, 4.0 / 3.0 * PI * r.powi(3), 0.05),
            (
                ShapeRecord::Capsule { half_height: h, radius: r },
                PI * r * r * 2.0 * h + 4.0 / 3.0 * PI * r.powi(3),
                0.05,
            ),
        ] {
            let found = volume(&surface_of(shape.clone()));
            assert!((found / expected - 1.0).abs() < slack, "{shape:?}: {found} {expected}");
        }
    }

    #[test]
    fn every_kind_of_shape_has_faces_within_its_radius() {
        let square = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let pose = Pose::new(Vec3::new(0.3, -0.2, 0.1), Quat::from_xyzw(0.0, 0.6, 0.0, 0.8));
        for shape in [
            ShapeRecord::ConvexHull { points: square.clone() },
            ShapeRecord::Mesh { vertices: square, triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 9]] },
            ShapeRecord::HeightField { heights: vec![0.0; 6], columns: 3, size: [2.0, 1.0] },
            ShapeRecord::InsideCylinder { radius: 1.0, half_height: 2.0 },
            ShapeRecord::InsideCone { bottom_radius: 0.1, top_radius: 1.0, half_height: 2.0 },
        ] {
            let surfaces = surface_of(shape.clone());
            assert!(!surfaces.types.is_empty(), "{shape:?}");
            let limit = radius(&shape, &pose) * (1.0 + 1e-12);
            assert!(surfaces.points.iter().all(|point| point.length() <= limit), "{shape:?}");
            assert!(surfaces.connectivity.iter().all(|&at| (at as usize) < surfaces.points.len()));
        }
    }
}

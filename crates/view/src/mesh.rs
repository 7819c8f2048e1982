//! Shapes as triangles.

use signorini_mechanics::{Pose, Vec3};
use signorini_scene::run::surface::{Fineness, Surface};
use signorini_scene::run::{PlacedShape, ShapeRecord};

/// How triangles are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The outside of a solid body.
    Solid,
    /// The wall of a container: translucent, from both sides.
    Wall,
}

/// Triangles in single precision, corners counter-clockwise seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub struct TriangleMesh {
    /// Corners \[m\].
    pub positions: Vec<[f32; 3]>,
    /// Three corners each.
    pub triangles: Vec<[u32; 3]>,
    /// How it is drawn.
    pub look: Look,
}

impl TriangleMesh {
    /// The triangles of a shape in its own frame. `None` for what has no faces: a half-space, which is drawn as a plane, and
    /// damaged shapes. A compound of walls is a wall, one with other parts solid.
    ///
    /// ```
    /// use signorini_scene::run::{ShapeRecord, surface::Fineness};
    /// use signorini_view::TriangleMesh;
    /// let cube = ShapeRecord::Cuboid { half: [0.5, 0.5, 0.5] };
    /// let mesh = TriangleMesh::of(&cube, &Fineness::default()).expect("a cuboid has faces");
    /// assert_eq!((mesh.positions.len(), mesh.triangles.len()), (8, 12));
    /// ```
    #[must_use]
    pub fn of(shape: &ShapeRecord, fineness: &Fineness) -> Option<Self> {
        let mut surface = Surface::default();
        for (pose, part) in parts(shape) {
            if !matches!(part, ShapeRecord::HalfSpace { .. }) {
                surface.add(part, &pose, fineness);
            }
        }
        let look = if Surface::is_wall(shape) { Look::Wall } else { Look::Solid };
        Self::of_surface(&surface, look)
    }

    /// The triangles of polygons: fans about their first corners. Faces with corners that are not finite are left out, and so
    /// are points that no face has.
    #[must_use]
    pub fn of_surface(surface: &Surface, look: Look) -> Option<Self> {
        let mut mesh = Self { positions: Vec::new(), triangles: Vec::new(), look };
        let mut places = vec![u32::MAX; surface.points.len()];
        let single = |point: Vec3| point.to_array().map(|x| x as f32);
        for face in surface.faces() {
            let finite = |corner: &u32| single(surface.points[*corner as usize]).iter().all(|x| x.is_finite());
            if face.len() < 3 || !face.iter().all(finite) {
                continue;
            }
            let mut place = |corner: u32| {
                let place = &mut places[corner as usize];
                if *place == u32::MAX {
                    *place = mesh.positions.len() as u32;
                    mesh.positions.push(single(surface.points[corner as usize]));
                }
                *place
            };
            let first = place(face[0]);
            for pair in face[1..].windows(2) {
                let triangle = [first, place(pair[0]), place(pair[1])];
                mesh.triangles.push(triangle);
            }
        }
        (!mesh.triangles.is_empty()).then_some(mesh)
    }
}

/// A shape that is no compound, or the parts of one, with their places in the frame of the shape.
#[must_use]
pub fn parts(shape: &ShapeRecord) -> Vec<(Pose, &ShapeRecord)> {
    match shape {
        ShapeRecord::Compound { parts: inner } => {
            let inside = inner
                .iter()
                .flat_map(|part| parts(&part.shape).into_iter().map(move |(pose, shape)| (part.pose() * pose, shape)));
            inside.collect()
        }
        _ => vec![(Pose::IDENTITY, shape)],
    }
}

/// A shape with its margin.
#[derive(Clone, Debug, PartialEq)]
pub struct Grown {
    /// Where it sits on its body.
    pub pose: Pose,
    /// The shape, grown.
    pub shape: ShapeRecord,
    /// Whether the margin could be added; cylinders, cones, meshes, height fields and compounds are as they are without it.
    pub has_margin: bool,
}

impl Grown {
    /// The shape of a placed shape, grown by a sphere of its margin. Balls and capsules grow exactly, walls and planes move
    /// inwards. Cuboids and hulls become the hulls of their corners and a coarse sphere about each.
    #[must_use]
    pub fn of(shape: &ShapeRecord, placed: &PlacedShape) -> Self {
        let (margin, mut pose) = (placed.margin, placed.pose());
        let grown = match shape {
            _ if margin == 0.0 => Some(shape.clone()),
            ShapeRecord::Sphere { radius } => Some(ShapeRecord::Sphere { radius: radius + margin }),
            ShapeRecord::Capsule { half_height, radius } => {
                Some(ShapeRecord::Capsule { half_height: *half_height, radius: radius + margin })
            }
            ShapeRecord::InsideCylinder { radius, half_height, thickness } if *radius > margin => {
                let thickness = thickness + 2.0 * margin;
                Some(ShapeRecord::InsideCylinder { radius: radius - margin, half_height: *half_height, thickness })
            }
            ShapeRecord::HalfSpace { normal } => {
                pose.position += pose.rotation * Vec3::from_array(*normal).normalize_or(Vec3::Z) * margin;
                Some(shape.clone())
            }
            ShapeRecord::Cuboid { half } => {
                let sign = |corner: usize, bit: usize| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let corner = |k: usize| [0, 1, 2].map(|axis| sign(k, axis) * half[axis]);
                Some(rounded(&(0..8).map(corner).collect::<Vec<_>>(), margin))
            }
            ShapeRecord::ConvexHull { points } => Some(rounded(points, margin)),
            _ => None,
        };
        let has_margin = grown.is_some();
        Self { pose, shape: grown.unwrap_or_else(|| shape.clone()), has_margin }
    }
}

/// The hull of points, each with the 26 directions of a cube's corners, edges and faces about it.
fn rounded(points: &[[f64; 3]], margin: f64) -> ShapeRecord {
    let mut all = Vec::with_capacity(26 * points.len());
    for point in points {
        for code in (0..27).filter(|code| *code != 13) {
            let direction = Vec3::new(f64::from(code % 3 - 1), f64::from(code / 3 % 3 - 1), f64::from(code / 9 - 1));
            all.push((Vec3::from_array(*point) + margin * direction.normalize()).to_array());
        }
    }
    ShapeRecord::ConvexHull { points: all }
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_scene::run::CompoundPart;
    use std::f64::consts::{PI, TAU};

    /// ∮ x·n/3 dA over triangles: the volume inside, if they are closed and face outwards.
    fn volume(mesh: &TriangleMesh) -> f64 {
        let at = |corner: u32| Vec3::from_array(mesh.positions[corner as usize].map(f64::from));
        mesh.triangles.iter().map(|[a, b, c]| at(*a).dot(at(*b).cross(at(*c))) / 6.0).sum()
    }

    fn mesh(shape: &ShapeRecord, fineness: &Fineness) -> TriangleMesh {
        TriangleMesh::of(shape, fineness).unwrap()
    }

    #[test]
    fn triangles_enclose_the_volume_of_the_shape() {
        let fineness = Fineness { around: 32, rings: 16, cap_rings: 8, extent: 1.0 };
        // An inscribed polygon of n corners has sin(2π/n)/(2π/n) of the area of its circle.
        let share = |n: f64| (TAU / n).sin() / (TAU / n);
        let (r, h) = (0.2, 0.3);
        let single = f64::from(f32::EPSILON) * 10.0;
        // A ball of rings at angles k π/N: the frustum between z₀ and z₁ with polygons of 2N corners.
        let frusta = |line: &[[f64; 2]], n: f64| -> f64 {
            let piece =
                |w: &[[f64; 2]]| (w[1][1] - w[0][1]) * (w[0][0].powi(2) + w[0][0] * w[1][0] + w[1][0].powi(2)) / 3.0;
            share(n) * PI * line.windows(2).map(piece).sum::<f64>()
        };
        let ring = |k: usize, n: f64| [r * (PI * k as f64 / n).sin(), -r * (PI * k as f64 / n).cos()];
        let ball: Vec<[f64; 2]> = (0..=16).map(|k| ring(k, 16.0)).collect();
        let capsule = ball.iter().take(9).map(|[r, z]| [*r, z - h]).chain(ball[8..].iter().map(|[r, z]| [*r, z + h]));
        for (shape, expected) in [
            (ShapeRecord::Cuboid { half: [0.1, 0.2, 0.3] }, 8.0 * 0.006),
            (ShapeRecord::Cylinder { half_height: h, radius: r }, share(32.0) * PI * r * r * 2.0 * h),
            (ShapeRecord::Cone { half_height: h, radius: r }, share(32.0) * PI * r * r * 2.0 * h / 3.0),
            (ShapeRecord::Sphere { radius: r }, frusta(&ball, 32.0)),
            (ShapeRecord::Capsule { half_height: h, radius: r }, frusta(&capsule.collect::<Vec<_>>(), 32.0)),
        ] {
            let found = volume(&mesh(&shape, &fineness));
            assert!((found / expected - 1.0).abs() < single, "{shape:?}: {found} {expected}");
        }
    }

    #[test]
    fn a_hull_has_the_volume_of_its_polyhedron_whatever_the_order_of_points() {
        // A regular octahedron of radius 1 has volume 4/3; inner points do not matter.
        let mut points = vec![[0.1, 0.1, 0.0], [1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [-1.0, 0.0, 0.0]];
        points.extend([[0.0, 1.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, -1.0]]);
        for turn in 0..points.len() {
            points.rotate_left(turn);
            let found = mesh(&ShapeRecord::ConvexHull { points: points.clone() }, &Fineness::default());
            assert!((volume(&found) - 4.0 / 3.0).abs() < 1e-6);
            assert_eq!((found.positions.len(), found.triangles.len()), (6, 8));
        }
    }

    #[test]
    fn a_compound_is_all_its_parts_where_they_are() {
        let part = |x: f64, shape| CompoundPart { position: [x, 0.0, 0.0], rotation: [0.0, 0.0, 0.0, 1.0], shape };
        let cube = || ShapeRecord::Cuboid { half: [0.5, 0.5, 0.5] };
        let two = ShapeRecord::Compound { parts: vec![part(2.0, cube()), part(-3.0, cube())] };
        let found = mesh(&two, &Fineness::default());
        assert!((volume(&found) - 2.0).abs() < 1e-5);
        let reach = |sign: f32| found.positions.iter().map(|p| sign * p[0]).fold(0.0, f32::max);
        assert_eq!((reach(1.0), reach(-1.0)), (2.5, 3.5));
    }

    #[test]
    fn walls_are_walls_and_planes_have_no_triangles() {
        let wall = ShapeRecord::InsideCone { bottom_radius: 0.1, top_radius: 0.5, half_height: 1.0, thickness: 0.05 };
        assert_eq!(mesh(&wall, &Fineness::default()).look, Look::Wall);
        assert_eq!(TriangleMesh::of(&ShapeRecord::HalfSpace { normal: [0.0, 0.0, 1.0] }, &Fineness::default()), None);
        let field = ShapeRecord::HeightField { heights: vec![0.0; 6], columns: 3, size: [2.0, 1.0] };
        let field = mesh(&field, &Fineness::default());
        assert_eq!((field.triangles.len(), field.look), (4, Look::Solid));
        for [a, b, c] in field.triangles {
            let at = |corner: u32| Vec3::from_array(field.positions[corner as usize].map(f64::from));
            assert!((at(b) - at(a)).cross(at(c) - at(a)).z > 0.0, "heights are seen from above");
        }
    }

    #[test]
    fn damaged_shapes_give_nothing_instead_of_a_panic() {
        for shape in [
            ShapeRecord::ConvexHull { points: vec![[f64::NAN; 3]; 5] },
            ShapeRecord::ConvexHull { points: vec![] },
            ShapeRecord::Cuboid { half: [f64::INFINITY, 1.0, 1.0] },
            ShapeRecord::Sphere { radius: f64::NAN },
            ShapeRecord::Mesh { vertices: vec![[0.0; 3]], triangles: vec![[0, 1, 2]] },
            ShapeRecord::HeightField { heights: vec![1.0], columns: 0, size: [1.0, 1.0] },
            ShapeRecord::Compound { parts: vec![] },
        ] {
            assert_eq!(TriangleMesh::of(&shape, &Fineness::default()), None, "{shape:?}");
        }
    }

    #[test]
    fn margins_grow_shapes_or_are_reported_as_left_out() {
        let placed = PlacedShape { shape: 0, position: [1.0, 0.0, 0.0], rotation: [0.0, 0.0, 0.0, 1.0], margin: 0.5 };
        assert_eq!(Grown::of(&ShapeRecord::Sphere { radius: 1.0 }, &placed).shape, ShapeRecord::Sphere { radius: 1.5 });
        let plane = Grown::of(&ShapeRecord::HalfSpace { normal: [0.0, 0.0, 1.0] }, &placed);
        assert_eq!(plane.pose.position, Vec3::new(1.0, 0.0, 0.5));
        let cylinder = ShapeRecord::Cylinder { half_height: 1.0, radius: 1.0 };
        assert!(!Grown::of(&cylinder, &placed).has_margin);
        assert!(Grown::of(&cylinder, &PlacedShape { margin: 0.0, ..placed }).has_margin);
    }

    #[test]
    fn a_grown_cuboid_lies_between_its_volume_by_steiner_and_that_of_its_faces_alone() {
        // Steiner: V + A r + π r² Σ edges/4·… : a cube of side 2, r = ½: 8 + 24·½ + 12·2·π/4·¼ + 4/3 π/8.
        let placed = PlacedShape { shape: 0, position: [0.0; 3], rotation: [0.0, 0.0, 0.0, 1.0], margin: 0.5 };
        let grown = Grown::of(&ShapeRecord::Cuboid { half: [1.0; 3] }, &placed);
        let found = volume(&mesh(&grown.shape, &Fineness::default()));
        let steiner = 8.0 + 12.0 + 6.0 * PI * 0.25 + 4.0 / 3.0 * PI * 0.125;
        assert!(found < steiner && found > 0.97 * steiner, "{found} {steiner}");
    }
}

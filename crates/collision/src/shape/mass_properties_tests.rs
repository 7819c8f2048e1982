use super::*;
use crate::random::Random;
use std::sync::Arc;

fn cuboid_mesh(half: DVec3) -> Mesh {
    let vertices = (0..8).map(|i| half * DVec3::new(sign(i & 1), sign(i >> 1 & 1), sign(i >> 2 & 1))).collect();
    let triangles = vec![
        [0, 4, 6],
        [0, 6, 2],
        [1, 3, 7],
        [1, 7, 5],
        [0, 1, 5],
        [0, 5, 4],
        [2, 6, 7],
        [2, 7, 3],
        [0, 2, 3],
        [0, 3, 1],
        [4, 5, 7],
        [4, 7, 6],
    ];
    Mesh::new(vertices, triangles).unwrap()
}

fn sign(bit: usize) -> f64 {
    if bit == 1 { 1.0 } else { -1.0 }
}

fn close(a: &MassProperties, b: &MassProperties, tolerance: f64) {
    let size = b.inertia.to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let inertia = (a.inertia - b.inertia).to_cols_array().iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    assert!((a.volume / b.volume - 1.0).abs() < tolerance, "{} {}", a.volume, b.volume);
    assert!((a.centre - b.centre).length() < tolerance * b.volume.cbrt(), "{} {}", a.centre, b.centre);
    assert!(inertia < tolerance * size, "{} {}", a.inertia, b.inertia);
}

/// Mass properties by counting random points of a box around the shape.
fn counted(inside: impl Fn(DVec3) -> bool, reach: DVec3) -> MassProperties {
    let mut random = Random::new(5);
    let samples = 400_000;
    let (mut hits, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for _ in 0..samples {
        let p = random.point() * reach;
        if inside(p) {
            hits += 1.0;
            first += p;
            second += DMat3::from_cols(p * p.x, p * p.y, p * p.z);
        }
    }
    let volume = 8.0 * reach.element_product() * hits / f64::from(samples);
    let centre = first / hits;
    let c = DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z);
    let second = (second * (1.0 / hits) - c) * volume;
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    MassProperties { volume, centre, inertia: DMat3::from_diagonal(DVec3::splat(trace)) - second }
}

#[test]
fn round_shapes_weigh_what_random_points_count() {
    // 4·10⁵ points: standard deviation near 0.2 % of the quantities compared.
    let (h, r) = (0.7, 0.4);
    let ball = |p: DVec3, c: f64| (p - DVec3::Z * c).length() < r;
    let tube = |p: DVec3| p.truncate().length() < r && p.z.abs() < h;
    let reach = DVec3::new(r, r, h + r);
    let capsule = counted(|p| ball(p, h) || ball(p, -h) || tube(p), reach);
    close(&Shape::Capsule { half_height: h, radius: r }.mass_properties().unwrap(), &capsule, 0.01);
    close(&Shape::Cylinder { half_height: h, radius: r }.mass_properties().unwrap(), &counted(tube, reach), 0.01);
    let cone = counted(|p| p.z.abs() < h && p.truncate().length() < r * (h - p.z) / (2.0 * h), reach);
    close(&Shape::Cone { half_height: h, radius: r }.mass_properties().unwrap(), &cone, 0.01);
    close(&Shape::Sphere { radius: r }.mass_properties().unwrap(), &counted(|p| ball(p, 0.0), reach), 0.01);
}

#[test]
fn fine_hulls_of_cylinder_and_cone_converge_to_the_closed_forms() {
    let error = |sides: usize| {
        let rim = |z: f64| {
            (0..sides).map(move |i| {
                let angle = std::f64::consts::TAU * i as f64 / sides as f64;
                DVec3::new(0.5 * angle.cos(), 0.5 * angle.sin(), z)
            })
        };
        let points: Vec<DVec3> = rim(-0.8).chain(rim(0.8)).collect();
        let hull = Shape::ConvexHull { points: points.into() }.mass_properties().unwrap();
        let exact = Shape::Cylinder { half_height: 0.8, radius: 0.5 }.mass_properties().unwrap();
        let points: Vec<DVec3> = rim(-0.8).chain([DVec3::Z * 0.8]).collect();
        let cone = Shape::ConvexHull { points: points.into() }.mass_properties().unwrap();
        let cone_exact = Shape::Cone { half_height: 0.8, radius: 0.5 }.mass_properties().unwrap();
        close(&cone, &cone_exact, 40.0 / (sides * sides) as f64);
        (hull.inertia.z_axis.z / exact.inertia.z_axis.z - 1.0).abs()
    };
    let (coarse, fine) = (error(32), error(128));
    assert!(fine < 2e-3 && (coarse / fine - 16.0).abs() < 0.5, "{coarse:e} {fine:e}");
}

#[test]
fn a_closed_mesh_of_a_cuboid_weighs_the_same_wherever_it_lies() {
    let half = DVec3::new(0.3, 0.5, 0.9);
    let cuboid = Shape::Cuboid { half }.mass_properties().unwrap();
    let mut random = Random::new(1);
    for _ in 0..20 {
        let pose = random.pose(1000.0);
        let mut mesh = cuboid_mesh(half);
        for vertex in &mut mesh.vertices {
            *vertex = pose * *vertex;
        }
        let found = Shape::TriangleMesh(Arc::new(mesh)).mass_properties().unwrap();
        close(&found, &cuboid.moved(pose), 1e-11);
    }
}

#[test]
fn meshes_that_enclose_nothing_are_refused_and_say_why() {
    let mass = |mesh: Mesh| Shape::TriangleMesh(Arc::new(mesh)).mass_properties().unwrap_err().to_string();
    let whole = cuboid_mesh(DVec3::ONE);
    let mut open = whole.clone();
    open.triangles.pop();
    let error = mass(open);
    assert!(error.contains("3 of 18 edges are open") && error.contains("vertices"), "{error}");
    let mut mixed = whole.clone();
    mixed.triangles[3].swap(0, 1);
    assert!(mass(mixed).contains("not oriented alike"));
    let mut inside_out = whole;
    inside_out.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert!(mass(inside_out).contains("clockwise"));
}

#[test]
fn a_compound_of_two_halves_is_the_whole() {
    let half = DVec3::new(0.3, 0.5, 0.9);
    let piece = Shape::Cuboid { half: half * DVec3::new(0.5, 1.0, 1.0) };
    let turn = glam::DQuat::from_rotation_x(std::f64::consts::PI);
    let parts = vec![(Pose::at(DVec3::X * 0.15), piece.clone()), (Pose::new(DVec3::X * -0.15, turn), piece)];
    let found = Shape::Compound { parts: parts.into() }.mass_properties().unwrap();
    close(&found, &Shape::Cuboid { half }.mass_properties().unwrap(), 1e-14);
}

#[test]
fn every_shape_refuses_numbers_that_are_not_lengths() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0] {
        let shapes = [
            Shape::Sphere { radius: bad },
            Shape::Cuboid { half: DVec3::new(1.0, bad, 1.0) },
            Shape::Capsule { half_height: bad, radius: 1.0 },
            Shape::Cylinder { half_height: 1.0, radius: bad },
            Shape::Cone { half_height: bad, radius: 1.0 },
            Shape::InsideCylinder { radius: bad, half_height: 1.0, thickness: 0.1 },
            Shape::InsideCylinder { radius: 1.0, half_height: 1.0, thickness: bad },
            Shape::InsideCone { bottom_radius: 1.0, top_radius: 1.0, half_height: bad, thickness: 0.1 },
            Shape::InsideCone { bottom_radius: 1.0, top_radius: 1.0, half_height: 1.0, thickness: bad },
            Shape::HalfSpace { normal: DVec3::new(0.0, 0.0, bad) },
            Shape::HeightField { heights: vec![0.0; 4].into(), columns: 2, size: [bad, 1.0] },
            Shape::Compound { parts: vec![(Pose::IDENTITY, Shape::Sphere { radius: bad })].into() },
        ];
        for shape in shapes {
            // −1 along z is a unit normal.
            let down = matches!(shape, Shape::HalfSpace { .. }) && bad == -1.0;
            assert_eq!(shape.check().is_ok(), down, "{} with {bad}", shape.kind());
            assert!(shape.mass_properties().is_err());
        }
    }
}

#[test]
fn hulls_height_fields_and_compounds_say_what_is_wrong() {
    let says = |shape: Shape, words: &str| {
        let error = shape.check().unwrap_err().to_string();
        assert!(error.contains(words), "`{error}` lacks `{words}`");
    };
    let hull = |points: &[DVec3]| Shape::ConvexHull { points: points.into() };
    says(hull(&[DVec3::X, DVec3::Y, DVec3::Z]), "3 points");
    says(hull(&[DVec3::X; 5]), "in one point");
    says(hull(&[DVec3::X, DVec3::X * 2.0, DVec3::X * 3.0, DVec3::X * 9.0]), "on one line");
    says(hull(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y]), "in one plane");
    says(hull(&[DVec3::ZERO, DVec3::X, DVec3::NAN, DVec3::Y]), "point 2 of 4");
    let field = |heights: usize, columns: usize| Shape::HeightField {
        heights: vec![0.0; heights].into(),
        columns,
        size: [1.0, 1.0],
    };
    says(field(7, 3), "no multiple");
    says(field(4, 1), "along x");
    says(field(0, 0), "along x");
    says(field(4, 4), "along y");
    let nested = Shape::Compound { parts: vec![(Pose::IDENTITY, Shape::Sphere { radius: 1.0 })].into() };
    says(Shape::Compound { parts: vec![(Pose::IDENTITY, nested)].into() }, "compound itself");
    says(Shape::Compound { parts: Vec::new().into() }, "no parts");
}

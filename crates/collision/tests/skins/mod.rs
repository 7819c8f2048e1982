//! Skins and a shorter way to ask for their contacts.
#![allow(dead_code)]

use glam::DVec3;
use signorini_collision::{Collider, Contact, DeformableSurface, Detector, Mobility, NO_FACE, Pose, SurfaceDetector};

/// Nodes and triangles.
#[derive(Clone)]
pub(crate) struct Skin {
    pub(crate) nodes: Vec<DVec3>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

impl Skin {
    /// A flat square of side 1 about the origin, outside up, cut into `cells`² squares of two triangles.
    pub(crate) fn flat(cells: u32) -> Self {
        Self::grid([cells, cells])
    }

    /// The same, cut into rectangles.
    fn grid([columns, rows]: [u32; 2]) -> Self {
        let at = |i: u32, cells: u32| f64::from(i) / f64::from(cells) - 0.5;
        let row = |j: u32| (0..=columns).map(move |i| DVec3::new(at(i, columns), at(j, rows), 0.0));
        let nodes = (0..=rows).flat_map(row).collect();
        let mut triangles = Vec::new();
        for j in 0..rows {
            for i in 0..columns {
                let a = j * (columns + 1) + i;
                let (b, c, d) = (a + 1, a + columns + 2, a + columns + 1);
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Self { nodes, triangles }
    }

    /// The skin of a box about the origin, `cells` squares along each side.
    pub(crate) fn cuboid(half: DVec3, cells: u32) -> Self {
        Self::brick(half, [cells; 3])
    }

    /// The skin of a box about the origin, so many cells along x, y and z.
    pub(crate) fn brick(half: DVec3, cells: [u32; 3]) -> Self {
        let mut nodes: Vec<DVec3> = Vec::new();
        let mut triangles = Vec::new();
        for axis in 0..3 {
            let flat = Self::grid([cells[(axis + 1) % 3], cells[(axis + 2) % 3]]);
            for sign in [1.0, -1.0] {
                let place = |p: DVec3| {
                    let mut q = DVec3::ZERO;
                    q[axis] = 0.5 * sign;
                    q[(axis + 1) % 3] = p.x * sign;
                    q[(axis + 2) % 3] = p.y;
                    q * 2.0 * half
                };
                let index: Vec<u32> = flat
                    .nodes
                    .iter()
                    .map(|&p| {
                        let q = place(p);
                        let known = nodes.iter().position(|known| (*known - q).length() < 1e-9);
                        known.unwrap_or_else(|| {
                            nodes.push(q);
                            nodes.len() - 1
                        }) as u32
                    })
                    .collect();
                triangles.extend(flat.triangles.iter().map(|corners| corners.map(|corner| index[corner as usize])));
            }
        }
        Self { nodes, triangles }
    }

    /// The skin of a ball of radius 1: a cube blown up.
    pub(crate) fn ball(cells: u32) -> Self {
        let cube = Self::cuboid(DVec3::ONE, cells);
        Self { nodes: cube.nodes.iter().map(|node| node.normalize()).collect(), ..cube }
    }

    pub(crate) fn moved(&self, pose: Pose) -> Self {
        Self { nodes: self.nodes.iter().map(|&node| pose * node).collect(), triangles: self.triangles.clone() }
    }

    pub(crate) fn corners(&self, face: u32) -> [DVec3; 3] {
        self.triangles[face as usize].map(|node| self.nodes[node as usize])
    }
}

/// A model of rigid colliders, one a body, and skins, one a body after them.
pub(crate) struct Model {
    pub(crate) rigid: Detector,
    pub(crate) surfaces: SurfaceDetector,
    bodies: usize,
}

impl Model {
    pub(crate) fn new(shapes: Vec<Collider>, skins: &[Skin], change: impl Fn(&mut DeformableSurface)) -> Self {
        let bodies = shapes.len();
        let mobility = vec![Mobility::Moving; bodies];
        let rigid = Detector::new(shapes, mobility, &[]).expect("usable shapes");
        let mut first = 0;
        let mut surfaces = Vec::new();
        for (index, skin) in skins.iter().enumerate() {
            let number = (bodies + index) as u32;
            let triangles = skin.triangles.iter().map(|corners| corners.map(|corner| corner + first)).collect();
            let mut surface = DeformableSurface::new(number, number, triangles);
            change(&mut surface);
            surfaces.push(surface);
            first += skin.nodes.len() as u32;
        }
        Self { rigid, surfaces: SurfaceDetector::new(surfaces, first as usize, &[]).expect("usable skins"), bodies }
    }

    pub(crate) fn detect(&mut self, poses: &[Pose], nodes: &[DVec3], envelope: f64) -> Vec<Contact> {
        let mut contacts = Vec::new();
        let reach = vec![0.0; self.bodies];
        self.rigid.detect(poses, &reach, envelope, &mut contacts);
        self.surfaces.detect(&self.rigid, &reach, nodes, &vec![0.0; nodes.len()], envelope, &mut contacts);
        contacts
    }
}

/// Contacts of one shape and one skin.
pub(crate) fn contacts(shape: Collider, pose: Pose, skin: &Skin, envelope: f64) -> Vec<Contact> {
    let contacts = Model::new(vec![shape], std::slice::from_ref(skin), |_| {}).detect(&[pose], &skin.nodes, envelope);
    check(&contacts, skin);
    contacts
}

/// What holds for every contact of a rigid shape and a skin.
pub(crate) fn check(contacts: &[Contact], skin: &Skin) {
    assert!(contacts.is_sorted_by_key(|contact| (contact.colliders, contact.feature)));
    for contact in contacts {
        assert_eq!((contact.colliders, contact.bodies, contact.faces[0]), ([0, 1], [0, 1], NO_FACE));
        assert!((contact.normal.length() - 1.0).abs() < 1e-12, "{contact:?}");
        assert!(off_triangle(contact.points[1], skin.corners(contact.faces[1])) < 1e-10, "{contact:?}");
        let along = contact.normal.dot(contact.points[1] - contact.points[0]);
        assert!((along - contact.gap).abs() < 1e-9, "{along}: {contact:?}");
    }
    assert!(contacts.windows(2).all(|pair| pair[0].feature != pair[1].feature), "names are unique");
}

/// How far a point is from a triangle, by barycentric weights.
pub(crate) fn off_triangle(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a);
    let square = normal.length_squared();
    let weights = [
        normal.dot((c - b).cross(point - b)) / square,
        normal.dot((a - c).cross(point - c)) / square,
        normal.dot((b - a).cross(point - a)) / square,
    ];
    let outside = weights.iter().fold(0.0_f64, |worst, weight| worst.max(-weight));
    outside.max((a * weights[0] + b * weights[1] + c * weights[2] - point).length())
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        low + (high - low) * ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }
    pub(crate) fn point(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }
    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let point = self.point(1.0);
            if point.length() > 0.1 && point.length() < 1.0 {
                return point.normalize();
            }
        }
    }
    pub(crate) fn rotation(&mut self) -> glam::DQuat {
        glam::DQuat::from_axis_angle(self.direction(), self.between(-3.1, 3.1)).normalize()
    }
}

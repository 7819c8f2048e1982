//! Random scenes, and the contacts of spheres with everything simple by formulas of their own.
#![allow(dead_code, reason = "every test file uses a part of it")]

use glam::{DMat3, DQuat, DVec2, DVec3};
use signorini_collision::{Collider, Contact, Detector, Groups, Mobility, Pose, Shape};

/// Numbers in [0, 1) from a seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn unit(&mut self) -> f64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.unit() * count as f64) as usize
    }
    /// In the cube of this half side.
    pub(crate) fn vector(&mut self, half: f64) -> DVec3 {
        DVec3::new(self.between(-half, half), self.between(-half, half), self.between(-half, half))
    }
    pub(crate) fn rotation(&mut self) -> DQuat {
        loop {
            let q = DQuat::from_xyzw(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            if (0.1..1.0).contains(&q.length()) {
                return q.normalize();
            }
        }
    }
}

/// Everything a detector is given.
pub(crate) struct Scene {
    pub(crate) colliders: Vec<Collider>,
    pub(crate) mobility: Vec<Mobility>,
    pub(crate) excluded: Vec<(u32, u32)>,
    pub(crate) poses: Vec<Pose>,
    pub(crate) reach: Vec<f64>,
    pub(crate) envelope: f64,
}

impl Scene {
    pub(crate) fn detector(&self) -> Detector {
        Detector::new(self.colliders.clone(), self.mobility.clone(), &self.excluded).unwrap()
    }
    pub(crate) fn contacts(&self) -> Vec<Contact> {
        self.contacts_of(&mut self.detector())
    }
    pub(crate) fn contacts_of(&self, detector: &mut Detector) -> Vec<Contact> {
        let mut contacts = Vec::new();
        detector.detect(&self.poses, &self.reach, self.envelope, &mut contacts);
        contacts
    }
    /// Moves every body that is not fixed.
    pub(crate) fn shake(&mut self, random: &mut Random, size: f64) {
        for (pose, mobility) in self.poses.iter_mut().zip(&self.mobility) {
            if *mobility == Mobility::Moving {
                pose.position += random.vector(size);
                pose.rotation = (DQuat::from_scaled_axis(random.vector(size)) * pose.rotation).normalize();
            }
        }
    }
    /// Gaps of every pair, tested one by one: (A, B, gap).
    pub(crate) fn oracle(&self) -> Vec<(u32, u32, f64, f64)> {
        let mut found = Vec::new();
        for (a, first) in self.colliders.iter().enumerate() {
            for (b, second) in self.colliders.iter().enumerate().skip(a + 1) {
                let [i, j] = [first.body, second.body];
                let both_fixed = [i, j].iter().all(|&body| self.mobility[body as usize] == Mobility::Fixed);
                let meet =
                    first.groups.member & second.groups.with != 0 && second.groups.member & first.groups.with != 0;
                let excluded = self.excluded.iter().any(|&pair| pair == (i, j) || pair == (j, i));
                if i == j || both_fixed || !meet || excluded {
                    continue;
                }
                let limit = self.envelope + self.reach[i as usize] + self.reach[j as usize];
                let [pose_a, pose_b] = [first, second].map(|c| self.poses[c.body as usize] * c.pose);
                if let Some(gap) = gap(first, &pose_a, second, &pose_b) {
                    found.push((a as u32, b as u32, gap, limit));
                }
            }
        }
        found
    }
}

/// The gap of a sphere and a simple shape, with matrices and plain coordinates; `None` for other pairs.
pub(crate) fn gap(a: &Collider, pose_a: &Pose, b: &Collider, pose_b: &Pose) -> Option<f64> {
    let Shape::Sphere { radius } = b.shape else {
        let Shape::Sphere { .. } = a.shape else { return None };
        return gap(b, pose_b, a, pose_a);
    };
    let local = DMat3::from_quat(pose_a.rotation).transpose() * (pose_b.position - pose_a.position);
    let distance = match a.shape {
        Shape::Sphere { radius } => local.length() - radius,
        Shape::HalfSpace { normal } => local.dot(normal),
        Shape::Cuboid { half } => {
            let beyond = local.abs() - half;
            beyond.max(DVec3::ZERO).length() + beyond.max_element().min(0.0)
        }
        Shape::Capsule { half_height, radius } => {
            local.truncate().length().hypot((local.z.abs() - half_height).max(0.0)) - radius
        }
        Shape::InsideCylinder { radius, half_height, thickness } => {
            // A rectangle in a half plane through the axis.
            let middle = radius + 0.5 * thickness;
            let beyond =
                DVec2::new((local.truncate().length() - middle).abs() - 0.5 * thickness, local.z.abs() - half_height);
            beyond.max(DVec2::ZERO).length() + beyond.max_element().min(0.0)
        }
        _ => return None,
    };
    Some(distance - radius - a.margin - b.margin)
}

/// Spheres about a cube of this half side, one body each, radii between two.
pub(crate) fn spheres(random: &mut Random, count: usize, half: f64, radii: [f64; 2]) -> Scene {
    let [low, high] = radii.map(f64::ln);
    Scene {
        colliders: (0..count as u32)
            .map(|body| Collider::new(body, Shape::Sphere { radius: random.between(low, high).exp() }))
            .collect(),
        mobility: vec![Mobility::Moving; count],
        excluded: Vec::new(),
        poses: (0..count).map(|_| Pose::new(random.vector(half), random.rotation())).collect(),
        reach: vec![0.0; count],
        envelope: 0.1 * radii[0],
    }
}

/// Adds a fixed body with one collider.
pub(crate) fn add_fixed(scene: &mut Scene, shape: Shape, pose: Pose) {
    scene.colliders.push(Collider::new(scene.poses.len() as u32, shape));
    scene.mobility.push(Mobility::Fixed);
    scene.poses.push(pose);
    scene.reach.push(0.0);
}

/// Spheres of every size with fast ones, groups, margins, offsets, exclusions, walls, boxes, capsules and containers.
pub(crate) fn everything(seed: u64, count: usize) -> Scene {
    let mut random = Random(seed);
    let spread = [1.0f64, 10.0, 1000.0][random.below(3)];
    let mut scene = spheres(&mut random, count, 1.0, [0.05, 0.05 * spread.min(20.0)]);
    for body in 0..count {
        let collider = &mut scene.colliders[body];
        if random.unit() < 0.2 {
            collider.groups = Groups { member: 1 << random.below(3), with: 1 << random.below(3) | 8 };
        }
        if random.unit() < 0.2 {
            collider.margin = random.between(0.0, 0.05);
        }
        if random.unit() < 0.2 {
            collider.pose = Pose::new(random.vector(0.1), random.rotation());
        }
        if random.unit() < 0.02 {
            scene.reach[body] = random.between(0.0, 3.0);
        }
        if random.unit() < 0.1 {
            scene.mobility[body] = Mobility::Fixed;
        }
        if random.unit() < 0.2 {
            let second = Collider { pose: Pose::at(random.vector(0.2)), ..scene.colliders[body].clone() };
            scene.colliders.push(second);
        }
        // Two clusters, far apart.
        if spread > 500.0 && body % 2 == 0 {
            scene.poses[body].position += DVec3::new(1e7, -3e6, 2.0);
        }
    }
    for _ in 0..count / 10 {
        scene.excluded.push((random.below(count) as u32, random.below(count) as u32));
    }
    let half_space = Shape::HalfSpace { normal: DVec3::new(0.0, 0.6, 0.8) };
    add_fixed(&mut scene, half_space, Pose::new(random.vector(1.0), random.rotation()));
    let half = DVec3::new(1.5, 0.1, 0.8);
    add_fixed(&mut scene, Shape::Cuboid { half }, Pose::new(random.vector(1.0), random.rotation()));
    let cylinder = Shape::InsideCylinder { radius: 0.9, half_height: 0.5, thickness: 0.15 };
    add_fixed(&mut scene, cylinder, Pose::new(random.vector(0.2), random.rotation()));
    add_fixed(
        &mut scene,
        Shape::Capsule { half_height: 0.7, radius: 0.2 },
        Pose::new(random.vector(0.5), random.rotation()),
    );
    // Half of the solids move.
    for mobility in scene.mobility[count..].iter_mut() {
        if random.unit() < 0.5 {
            *mobility = Mobility::Moving;
        }
    }
    scene
}

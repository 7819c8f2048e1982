//! A packed bed of spheres that tremble about their places.

use anyhow::{Result, anyhow};
use glam::DVec3;
use signorini_collision::{Collider, Detector, Mobility, Pose, Shape};

/// Mean radius \[m\].
const RADIUS: f64 = 0.01;
/// How far a sphere gets from its place before it turns round, in radii.
const AMPLITUDE: f64 = 0.2;
/// Distance of neighbours in diameters, and the most a place is off the lattice, in sides of its cube.
const CLOSENESS: f64 = 0.97;
const JITTER: f64 = 0.05;
/// Radius of giants over that of others.
const GIANT: f64 = 10.0;
/// Gap at which contacts are wanted, in radii.
const ENVELOPE: f64 = 0.02;

/// Spheres near the places of a body-centred lattice, numbered at random.
pub(super) struct Bed {
    pub(super) radii: Vec<f64>,
    pub(super) poses: Vec<Pose>,
    pub(super) reach: Vec<f64>,
    pub(super) envelope: f64,
    places: Vec<DVec3>,
    directions: Vec<DVec3>,
    motion: f64,
    steps: u32,
}

impl Bed {
    /// `spread` is the largest radius over the smallest, the `giants` aside; `motion` the path of a step in mean radii.
    pub(super) fn new(bodies: usize, giants: usize, spread: f64, motion: f64) -> Self {
        let mut random = Random(1);
        let half_range = spread.max(1.0).ln() / 2.0;
        let mut radii: Vec<f64> =
            (0..bodies).map(|_| RADIUS * (half_range * (2.0 * random.unit() - 1.0)).exp()).collect();
        // Two spheres a cube of the lattice; √3/2 of its side apart, which is a little less than two radii of the sphere of
        // mean volume: about six of eight neighbours touch, as in a settled bed.
        let mean_cube = radii.iter().map(|radius| radius.powi(3)).sum::<f64>() / bodies.max(1) as f64;
        let side = CLOSENESS * 4.0 / 3f64.sqrt() * mean_cube.cbrt();
        let cubes = (bodies as f64 / 2.0).cbrt().ceil().max(1.0) as usize;
        let mut places: Vec<DVec3> = (0..bodies)
            .map(|index| {
                let (cube, second) = (index / 2, index % 2);
                let corner = [cube % cubes, cube / cubes % cubes, cube / (cubes * cubes)].map(|i| i as f64);
                let jitter = random.direction() * (JITTER * random.unit());
                (DVec3::from_array(corner) + DVec3::splat(second as f64 / 2.0) + jitter) * side
            })
            .collect();
        for index in (1..bodies).rev() {
            places.swap(index, (random.unit() * (index + 1) as f64) as usize);
        }
        radii.iter_mut().take(giants).for_each(|radius| *radius *= GIANT);
        let directions = (0..bodies).map(|_| random.direction()).collect();
        Self {
            poses: places.iter().copied().map(Pose::at).collect(),
            reach: vec![motion * RADIUS; bodies],
            envelope: ENVELOPE * RADIUS,
            radii,
            places,
            directions,
            motion,
            steps: 0,
        }
    }

    /// Moves every sphere by `motion` radii, to and fro along a direction of its own.
    pub(super) fn step(&mut self) {
        self.steps += 1;
        let path = self.motion * f64::from(self.steps) / AMPLITUDE;
        let away = RADIUS * AMPLITUDE * (1.0 - (path.rem_euclid(4.0) - 2.0).abs());
        for (index, pose) in self.poses.iter_mut().enumerate() {
            pose.position = self.places[index] + self.directions[index] * away;
        }
    }

    pub(super) fn detector(&self) -> Result<Detector> {
        let colliders = (0..).zip(&self.radii);
        let colliders = colliders.map(|(body, &radius)| Collider::new(body, Shape::Sphere { radius })).collect();
        Detector::new(colliders, vec![Mobility::Moving; self.radii.len()], &[])
            .map_err(|(index, error)| anyhow!("collider {index}: {error}"))
    }
}

/// Numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn direction(&mut self) -> DVec3 {
        let z = 2.0 * self.unit() - 1.0;
        let (sin, cos) = (std::f64::consts::TAU * self.unit()).sin_cos();
        let across = (1.0 - z * z).max(0.0).sqrt();
        DVec3::new(across * cos, across * sin, z)
    }
}

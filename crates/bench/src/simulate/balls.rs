//! Balls dropped into a box: the scene all measurements of simulations share.

use anyhow::Result;
use signorini_mechanics::{Body, Collider, Material, Model, Shape, Vec3};

/// Balls on a jittered grid above the floor of a box with four walls.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BallDrop {
    pub(crate) count: usize,
    /// Layers of the grid they start on.
    pub(crate) layers: usize,
    pub(crate) friction: f64,
    /// Start at rest on a lattice whose neighbours touch, instead of falling.
    pub(crate) at_rest: bool,
}

/// 35 mm.
pub(crate) const RADIUS: f64 = 0.035;
/// Distance of the grid in radii: neighbours do not touch.
const SPACING: f64 = 2.1;
/// Largest shift of a ball from its place on the grid, in radii.
const JITTER: f64 = 0.04;
/// kg/m³.
pub(crate) const DENSITY: f64 = 1000.0;
/// Height of the lowest layer above the floor \[m\].
const DROP: f64 = 0.1;

impl BallDrop {
    /// Inner width of the box \[m\].
    pub(crate) fn width(&self) -> f64 {
        self.side() as f64 * self.spacing()
    }
    fn spacing(&self) -> f64 {
        if self.at_rest { 2.0 * RADIUS } else { SPACING * RADIUS }
    }
    fn side(&self) -> usize {
        (self.count as f64 / self.layers as f64).sqrt().ceil() as usize
    }
    /// Where the balls start.
    pub(crate) fn positions(&self) -> Vec<Vec3> {
        let side = self.side();
        let mut random = 1_u64;
        let mut jitter = || {
            // A linear congruential generator (Knuth's constants); its upper bits are good enough to break symmetry.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let shift = ((random >> 33) as f64 / f64::from(1_u32 << 31) * 2.0 - 1.0) * JITTER * RADIUS;
            if self.at_rest { 0.0 } else { shift }
        };
        let across = |i: usize| (i as f64 + 0.5) * self.spacing() - 0.5 * self.width();
        let lowest = if self.at_rest { 0.0 } else { DROP };
        (0..self.count)
            .map(|i| {
                let (x, y, z) = (i % side, i / side % side, i / side / side);
                let height = lowest + (z as f64 + 0.5) * self.spacing();
                Vec3::new(across(x) + jitter(), across(y) + jitter(), height + jitter())
            })
            .collect()
    }
    /// Floor and walls: inward normal and a point.
    pub(crate) fn planes(&self) -> [(Vec3, Vec3); 5] {
        let half = 0.5 * self.width();
        [
            (Vec3::Z, Vec3::ZERO),
            (Vec3::X, -Vec3::X * half),
            (-Vec3::X, Vec3::X * half),
            (Vec3::Y, -Vec3::Y * half),
            (-Vec3::Y, Vec3::Y * half),
        ]
    }
    pub(crate) fn model(&self) -> Result<Model> {
        let mut model = Model::builder();
        let material = model.material(Material { friction: self.friction, ..Material::new("steel") });
        for (k, (normal, at)) in self.planes().into_iter().enumerate() {
            let wall = model.body(Body::fixed(format!("wall-{k}")).at(at));
            model.collider(wall, Collider::new(Shape::HalfSpace { normal }, material));
        }
        let shape = Shape::Sphere { radius: RADIUS };
        for (k, at) in self.positions().into_iter().enumerate() {
            let ball = model.body(Body::of_shape(format!("ball-{k}"), &shape, DENSITY)?.at(at));
            model.collider(ball, Collider::new(shape.clone(), material));
        }
        Ok(model.build()?)
    }
}

/// Deepest overlap of balls with each other and with planes, by a method that shares no code with either engine: balls sorted
/// along x, compared while they may touch.
pub(crate) fn deepest_overlap(centres: &[Vec3], planes: &[(Vec3, Vec3)]) -> f64 {
    let mut order: Vec<usize> = (0..centres.len()).collect();
    order.sort_by(|&a, &b| centres[a].x.total_cmp(&centres[b].x));
    let mut deepest = 0.0_f64;
    for (k, &a) in order.iter().enumerate() {
        for &b in &order[k + 1..] {
            if centres[b].x - centres[a].x > 2.0 * RADIUS {
                break;
            }
            deepest = deepest.max(2.0 * RADIUS - (centres[b] - centres[a]).length());
        }
        for (normal, at) in planes {
            deepest = deepest.max(RADIUS - normal.dot(centres[a] - at));
        }
    }
    deepest
}

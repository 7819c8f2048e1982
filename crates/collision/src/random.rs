//! Random numbers of tests, the same on every run.

use crate::Pose;
use glam::{DQuat, DVec3};

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }
    /// SplitMix64.
    pub(crate) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    pub(crate) fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }
    /// In the cube from −1 to 1.
    pub(crate) fn point(&mut self) -> DVec3 {
        DVec3::new(self.between(-1.0, 1.0), self.between(-1.0, 1.0), self.between(-1.0, 1.0))
    }
    pub(crate) fn direction(&mut self) -> DVec3 {
        loop {
            let point = self.point();
            if point.length() > 0.1 && point.length() < 1.0 {
                return point.normalize();
            }
        }
    }
    pub(crate) fn rotation(&mut self) -> DQuat {
        DQuat::from_axis_angle(self.direction(), self.between(-3.1, 3.1))
            * DQuat::from_rotation_z(self.between(-3.0, 3.0))
    }
    pub(crate) fn pose(&mut self, distance: f64) -> Pose {
        Pose::new(self.point() * distance, self.rotation().normalize())
    }
}

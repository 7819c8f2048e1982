//! Two axes across a curve that turn with it without needless spin.
//!
//! ```text
//! t = c'/|c'|,   e₁ = m/|m|,  m = r − (r·t) t,   e₂ = t × e₁
//! t' = (c'' − (t·c'') t)/|c'|,   e₁' = (m' − (e₁·m') e₁)/|m|,   e₂' = t' × e₁ + t × e₁'
//! ```
//!
//! r goes smoothly from an axis across one sample to that of the next, each carried on by the shortest rotation of the tangents. Round
//! a closed curve what is left of a turn is spread over all samples.

use super::spline::Spline;
use super::{Curve, Place, SAMPLES, Sample};
use crate::{Quat, Vec3};

/// e₁, e₂ and their derivatives by u.
#[derive(Clone, Copy, Debug)]
pub(super) struct Across {
    pub(super) axes: [Vec3; 2],
    pub(super) rates: [Vec3; 2],
}

/// The samples of a spline, and how far it is from the nearest of them at most. An open one has its last point as the last sample.
pub(super) fn samples(spline: &Spline) -> (Vec<Sample>, f64) {
    let mut places = Vec::new();
    for pair in spline.knots().windows(2) {
        places.extend((0..SAMPLES).map(|k| pair[0] + (pair[1] - pair[0]) * k as f64 / SAMPLES as f64));
    }
    if !spline.is_closed {
        places.push(spline.length());
    }
    let tangents: Vec<Vec3> = places.iter().map(|&u| spline.at(u).slope.normalize_or(Vec3::X)).collect();
    let mut across = tangents[0].any_orthonormal_vector();
    let mut samples = Vec::with_capacity(places.len());
    for (k, &u) in places.iter().enumerate() {
        if k > 0 {
            across = carried(across, tangents[k - 1], tangents[k]);
        }
        samples.push(Sample { u, point: spline.at(u).point, across });
    }
    let n = samples.len();
    if spline.is_closed {
        let (first, back) = (samples[0].across, carried(across, tangents[n - 1], tangents[0]));
        let left = back.cross(first).dot(tangents[0]).atan2(back.dot(first));
        for (k, sample) in samples.iter_mut().enumerate() {
            sample.across = Quat::from_axis_angle(tangents[k], left * k as f64 / n as f64) * sample.across;
        }
    }
    let chord = |k: usize| (samples[(k + 1) % n].point - samples[k].point).length();
    let count = if spline.is_closed { n } else { n - 1 };
    // A cubic between samples is hardly longer than its chord; half of it is to the nearer end.
    let reach = (0..count).map(chord).fold(0.0, f64::max);
    (samples, reach)
}

/// An axis across one tangent, carried to the next.
fn carried(across: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let turned = Quat::from_rotation_arc(from, to) * across;
    (turned - turned.dot(to) * to).normalize_or(to.any_orthonormal_vector())
}

impl Curve {
    /// The axes across the curve at u, where it is at `place`.
    pub(super) fn across(&self, u: f64, place: &Place) -> Across {
        let (reference, rate) = self.reference(u);
        // Not zero but where a curve turns on the spot between samples; everything then stays finite.
        let speed = place.slope.length().max(super::SLOWEST * super::SLOWEST);
        let t = place.slope.normalize_or(Vec3::X);
        let t_rate = (place.bend - t.dot(place.bend) * t) / speed;
        let m = reference - reference.dot(t) * t;
        let m_rate = rate - (rate.dot(t) + reference.dot(t_rate)) * t - reference.dot(t) * t_rate;
        let length = m.length();
        // Only where the curve turns by a right angle within an eighth of a chord: any axes across, taken as constant.
        if length < 1e-6 {
            let e = t.any_orthonormal_vector();
            return Across { axes: [e, t.cross(e)], rates: [Vec3::ZERO; 2] };
        }
        let e = m / length;
        let e_rate = (m_rate - e.dot(m_rate) * e) / length;
        Across { axes: [e, t.cross(e)], rates: [e_rate, t_rate.cross(e) + t.cross(e_rate)] }
    }

    /// r and r' at u.
    fn reference(&self, u: f64) -> (Vec3, Vec3) {
        let u = self.spline.reduced(u);
        let n = self.samples.len();
        let after = self.samples.partition_point(|sample| sample.u <= u);
        let next = match (after, self.spline.is_closed) {
            (0, _) => return (self.samples[0].across, Vec3::ZERO),
            (after, true) if after == n => (self.spline.length(), self.samples[0].across),
            (after, false) if after == n => return (self.samples[n - 1].across, Vec3::ZERO),
            (after, _) => (self.samples[after].u, self.samples[after].across),
        };
        let before = &self.samples[after - 1];
        let width = next.0 - before.u;
        let f = (u - before.u) / width;
        let change = next.1 - before.across;
        (before.across + change * (f * f * (3.0 - 2.0 * f)), change * (6.0 * f * (1.0 - f) / width))
    }
}

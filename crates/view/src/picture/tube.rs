//! Cables and arrows as triangles.

use super::stage::Triangle;
use glam::Vec3;
use std::f32::consts::TAU;

/// Sides of a tube.
const SIDES: usize = 10;

/// A tube, or a cone, between two points; open at its ends.
pub(super) fn tube(ends: [Vec3; 2], radii: [f32; 2], colours: [Vec3; 2], to: &mut Vec<Triangle>) {
    let Some(along) = (ends[1] - ends[0]).try_normalize() else { return };
    let (x, y) = along.any_orthonormal_pair();
    let direction = |k: usize| {
        let angle = TAU * (k % SIDES) as f32 / SIDES as f32;
        x * angle.cos() + y * angle.sin()
    };
    for k in 0..SIDES {
        let [a, b] = [direction(k), direction(k + 1)];
        let [p, q] = [ends[0] + a * radii[0], ends[0] + b * radii[0]];
        let [r, s] = [ends[1] + a * radii[1], ends[1] + b * radii[1]];
        let [near, far] = colours;
        to.push(Triangle { corners: [p, q, s], normals: [a, b, b], colours: [near, near, far] });
        to.push(Triangle { corners: [p, s, r], normals: [a, b, a], colours: [near, far, far] });
    }
}

/// An arrow: a shaft and a head, which is as long as the arrow at most.
pub(super) fn arrow(from: Vec3, to: Vec3, radius: f32, colour: Vec3, marks: &mut Vec<Triangle>) {
    let length = from.distance(to);
    if length < 1e-3 * radius {
        return;
    }
    let head = (7.0 * radius).min(length);
    let neck = to + (from - to) * (head / length);
    tube([from, neck], [radius; 2], [colour; 2], marks);
    tube([neck, to], [head * 0.38, 0.0], [colour; 2], marks);
}

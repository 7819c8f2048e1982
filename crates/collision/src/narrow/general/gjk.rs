//! Closest points of two separate convex cores (Gilbert, Johnson and Keerthi's algorithm).
//!
//! The point of the set A − B closest to the origin is found from simplices of at most four of its points. The closest
//! point of a simplex is taken over all its faces, without case distinctions that rounding could decide wrongly.

use super::convex::View;
use glam::DVec3;

/// The distance is converged when the lower bound from the last support point is this close, relatively.
const CONVERGED: f64 = 1e-15;
/// Below this distance, relative to the sizes, the direction between the closest points is rounding.
const TOUCHING: f64 = 1e-14;
/// Polyhedra end after a few steps, round cores converge linearly.
const STEPS: usize = 128;

#[derive(Clone, Copy, Default)]
struct Corner {
    /// a − b
    w: DVec3,
    a: DVec3,
    b: DVec3,
}

/// Closest points of A and of B moved by `shift`, None when the cores touch or overlap.
pub(super) fn closest_points(a: &View, b: &View, shift: DVec3) -> Option<(DVec3, DVec3)> {
    let size = a.size + b.size + (b.centre - a.centre).length();
    let corner = |n: DVec3| {
        let (on_a, on_b) = (a.support(n).0, b.support(-n).0 + shift);
        Corner { w: on_a - on_b, a: on_a, b: on_b }
    };
    let mut simplex = [Corner::default(); 4];
    simplex[0] = corner((b.centre + shift - a.centre).try_normalize().unwrap_or(DVec3::Z));
    let (mut count, mut weights) = (1, [1.0, 0.0, 0.0, 0.0]);
    let mut v = simplex[0].w;
    for _ in 0..STEPS {
        let distance = v.length();
        if distance.is_nan() || distance <= TOUCHING * size {
            return None;
        }
        let next = corner(v / -distance);
        // v·w/|v| bounds the distance from below.
        if distance - next.w.dot(v) / distance <= CONVERGED * size.max(distance)
            || simplex[..count].iter().any(|known| known.w == next.w)
        {
            break;
        }
        let mut trial = simplex;
        trial[count] = next;
        let (closest, subset, lambda) = nearest(&trial[..count + 1])?;
        if closest.length() >= distance {
            break;
        }
        v = closest;
        (count, weights) = (0, lambda);
        for (index, member) in trial.iter().enumerate() {
            if subset & (1 << index) != 0 {
                simplex[count] = *member;
                weights[count] = lambda[index];
                count += 1;
            }
        }
    }
    let sum = |pick: &dyn Fn(&Corner) -> DVec3| (0..count).map(|i| pick(&simplex[i]) * weights[i]).sum::<DVec3>();
    Some((sum(&|corner| corner.a), sum(&|corner| corner.b)))
}

/// Point of the simplex closest to the origin, the corners that span it and their weights; None when the origin is inside.
fn nearest(corners: &[Corner]) -> Option<(DVec3, u32, [f64; 4])> {
    let mut best: Option<(DVec3, u32, [f64; 4])> = None;
    for subset in 1..1_u32 << corners.len() {
        let mut members = [0; 4];
        let mut count = 0;
        for index in 0..corners.len() {
            if subset & (1 << index) != 0 {
                members[count] = index;
                count += 1;
            }
        }
        let Some(lambda) = weights(corners, &members[..count]) else { continue };
        if count == 4 {
            return None;
        }
        let mut all = [0.0; 4];
        let mut point = DVec3::ZERO;
        for k in 0..count {
            all[members[k]] = lambda[k];
            point += corners[members[k]].w * lambda[k];
        }
        if best.as_ref().is_none_or(|(least, _, _)| point.length_squared() < least.length_squared()) {
            best = Some((point, subset, all));
        }
    }
    best
}

/// Weights of the point of the affine hull closest to the origin, None unless all are positive. With edges eᵢ = wᵢ − w₀:
/// (eᵢ·eⱼ) λ = −eᵢ·w₀, by Cramer's rule.
fn weights(corners: &[Corner], members: &[usize]) -> Option<[f64; 4]> {
    let w = |k: usize| corners[members[k]].w;
    let mut lambda = [1.0, 0.0, 0.0, 0.0];
    match members.len() {
        1 => {}
        2 => {
            let e = w(1) - w(0);
            lambda[1] = -e.dot(w(0)) / e.length_squared();
        }
        3 => {
            let (e, f) = (w(1) - w(0), w(2) - w(0));
            let normal = e.cross(f);
            let area = normal.length_squared();
            lambda[1] = w(0).cross(f).dot(normal) / -area;
            lambda[2] = e.cross(w(0)).dot(normal) / -area;
        }
        _ => {
            let (e, f, g) = (w(1) - w(0), w(2) - w(0), w(3) - w(0));
            let volume = e.dot(f.cross(g));
            lambda[1] = -w(0).dot(f.cross(g)) / volume;
            lambda[2] = -e.dot(w(0).cross(g)) / volume;
            lambda[3] = -e.dot(f.cross(w(0))) / volume;
        }
    }
    lambda[0] = 1.0 - lambda[1] - lambda[2] - lambda[3];
    lambda[..members.len()].iter().all(|&weight| weight > 0.0 && weight.is_finite()).then_some(lambda)
}

//! Which pixels a triangle or a ball covers.

use glam::{Vec2, Vec3};

/// A part of a picture: pixels from `low` up to but without `high`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) low: [i32; 2],
    pub(super) high: [i32; 2],
}

impl Window {
    /// The part of it within a rectangle of real numbers; `None` if there is none.
    pub(super) fn within(&self, low: Vec2, high: Vec2) -> Option<Self> {
        // Conversions of numbers that are too large or none saturate.
        let low = [(low.x.floor() as i32).max(self.low[0]), (low.y.floor() as i32).max(self.low[1])];
        let high = [
            (high.x.ceil() as i32).saturating_add(1).min(self.high[0]),
            (high.y.ceil() as i32).saturating_add(1).min(self.high[1]),
        ];
        (low[0] < high[0] && low[1] < high[1]).then_some(Self { low, high })
    }
}

/// Visits the pixels whose centres are in a triangle, with the weights of the corners there.
pub(super) fn triangle(corners: [Vec2; 3], window: &Window, mut visit: impl FnMut(i32, i32, [f32; 3])) {
    let [a, b, c] = corners;
    let area = (b - a).perp_dot(c - a);
    if area == 0.0 || !area.is_finite() {
        return;
    }
    let Some(window) = window.within(a.min(b).min(c), a.max(b).max(c)) else { return };
    let inverse = 1.0 / area;
    for y in window.low[1]..window.high[1] {
        for x in window.low[0]..window.high[0] {
            let p = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
            let first = (c - b).perp_dot(p - b) * inverse;
            let second = (a - c).perp_dot(p - c) * inverse;
            let third = 1.0 - first - second;
            if first >= 0.0 && second >= 0.0 && third >= 0.0 {
                visit(x, y, [first, second, third]);
            }
        }
    }
}

/// The interval of tan(angle) a ball covers in one direction of a perspective picture: its centre at (x, z), z forward.
/// `None` if it is behind the camera; all there is if the camera is inside or beside it.
pub(super) fn ball_interval(x: f32, z: f32, radius: f32) -> Option<[f32; 2]> {
    let distance = x.hypot(z);
    if z + radius <= 0.0 {
        return None;
    }
    if distance <= radius || z <= radius {
        return Some([f32::NEG_INFINITY, f32::INFINITY]);
    }
    let (middle, half) = (x.atan2(z), (radius / distance).asin());
    Some([(middle - half).tan(), (middle + half).tan()])
}

/// Where a ray from the origin meets a ball first: the parameter t of t·ray.
pub(super) fn ray_ball(ray: Vec3, centre: Vec3, radius: f32) -> Option<f32> {
    let (a, b) = (ray.length_squared(), ray.dot(centre));
    // The distance of the ray from the centre, without the loss of digits of b² − a c.
    let foot = centre - ray * (b / a);
    let left = radius * radius - foot.length_squared();
    (left >= 0.0).then(|| (b - (left * a).sqrt()) / a).filter(|t| *t > 0.0)
}

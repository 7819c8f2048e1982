//! Where a picture is taken from.
//!
//! A point at (x, y, z) in the axes right, up, forward of the camera is seen at f x/z to the right of and f y/z above the
//! middle of the picture, with f = ½ height / tan(½ field).

use signorini_mechanics::Vec3;

/// Vertical field of view \[rad\]: 28°, as a long lens, so that bodies at the border look as those in the middle.
pub const FIELD: f64 = 0.49;
/// Share of the picture left free on all sides together.
const BORDER: f64 = 0.08;

/// Directions to look from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// From the front, the right and above.
    #[default]
    Iso,
    /// From −y.
    Front,
    /// From +x.
    Side,
    /// From above.
    Top,
}

impl View {
    /// All, as users name them.
    pub const ALL: [(&str, Self); 4] =
        [("iso", Self::Iso), ("front", Self::Front), ("side", Self::Side), ("top", Self::Top)];

    /// Towards the eye, in axes (x, y, up).
    fn towards_eye(self) -> [f64; 3] {
        match self {
            Self::Iso => [0.5, -0.87, 0.42],
            Self::Front => [0.0, -1.0, 0.12],
            Self::Side => [1.0, 0.0, 0.12],
            Self::Top => [0.0, -0.02, 1.0],
        }
    }
}

/// A ball that has to be in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Its centre \[m\].
    pub centre: Vec3,
    /// Its radius \[m\].
    pub radius: f64,
}

/// A perspective camera.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Where it is \[m\].
    pub eye: Vec3,
    /// What it looks at \[m\].
    pub target: Vec3,
    /// What is up in the picture.
    pub up: Vec3,
}

impl Camera {
    /// Axes right, up, forward.
    #[must_use]
    pub fn axes(&self) -> [Vec3; 3] {
        let forward = (self.target - self.eye).normalize_or(Vec3::Y);
        let right = forward.cross(self.up).try_normalize().unwrap_or_else(|| forward.any_orthonormal_vector());
        [right, right.cross(forward), forward]
    }

    /// Where a point is in a picture: pixels from the left and from the top; `None` behind the camera.
    #[must_use]
    pub fn project(&self, point: Vec3, size: [u32; 2]) -> Option<[f64; 2]> {
        let [right, up, forward] = self.axes();
        let arm = point - self.eye;
        let (depth, focal) = (arm.dot(forward), focal_length(size[1]));
        (depth > 0.0).then(|| {
            let middle = [f64::from(size[0]) / 2.0, f64::from(size[1]) / 2.0];
            [middle[0] + focal * arm.dot(right) / depth, middle[1] - focal * arm.dot(up) / depth]
        })
    }

    /// The camera of a view from which all balls are in the picture, as near as that allows.
    #[must_use]
    pub fn framing(view: View, up: Vec3, bounds: &[Bounds], size: [u32; 2]) -> Self {
        // Level axes: y is that of the world as far as it is level.
        let level_y = [Vec3::Y, -Vec3::Z, Vec3::X].into_iter().map(|axis| axis - up * up.dot(axis));
        let level_y = level_y.into_iter().find(|axis| axis.length() > 0.5).unwrap_or(Vec3::Y).normalize();
        let [x, y, z] = view.towards_eye();
        let back = (level_y.cross(up) * x + level_y * y + up * z).normalize();
        let finite = |ball: &&Bounds| ball.centre.is_finite() && ball.radius.is_finite();
        let bounds: Vec<Bounds> = bounds.iter().filter(finite).copied().collect();
        let low = bounds.iter().map(|ball| ball.centre - ball.radius).reduce(Vec3::min).unwrap_or(-Vec3::ONE);
        let high = bounds.iter().map(|ball| ball.centre + ball.radius).reduce(Vec3::max).unwrap_or(Vec3::ONE);
        let mut this = Self { eye: Vec3::ZERO, target: 0.5 * (low + high), up };
        this.eye = this.target + back;
        let [right, above, forward] = this.axes();
        // A ball fits within a half angle θ if (z + D) tan θ ≥ |x| + r / cos θ, D the distance of the eye.
        let tan = (FIELD / 2.0).tan() * (1.0 - BORDER);
        let tans = [tan * f64::from(size[0]) / f64::from(size[1].max(1)), tan];
        let mut distance: f64 = 1e-3 * (high - low).length().max(1e-6);
        for _ in 0..3 {
            // Nearest distance for each side of the picture; then the target moves so that opposite sides need the same.
            let need = |axis: Vec3, tan: f64| {
                let of = |ball: &Bounds| {
                    let arm = ball.centre - this.target;
                    (arm.dot(axis) + ball.radius * (1.0 + tan * tan).sqrt()) / tan - arm.dot(forward)
                };
                bounds.iter().map(of).fold(f64::NEG_INFINITY, f64::max)
            };
            let sides = [(right, tans[0]), (above, tans[1])];
            let mut shift = Vec3::ZERO;
            let mut nearest: f64 = distance.min(1e-6);
            for (axis, tan) in sides {
                let (plus, minus) = (need(axis, tan), need(-axis, tan));
                if plus.is_finite() && minus.is_finite() {
                    shift += axis * (0.5 * tan * (plus - minus));
                    nearest = nearest.max(0.5 * (plus + minus));
                }
            }
            // Balls behind the eye do not fit whatever the angle.
            let in_front = bounds.iter().map(|ball| 1.05 * ball.radius - (ball.centre - this.target).dot(forward));
            distance = in_front.fold(nearest, f64::max).max(1e-9);
            this.target += shift;
        }
        this.eye = this.target + back * distance;
        this
    }
}

/// f in pixels.
#[must_use]
pub fn focal_length(height: u32) -> f64 {
    0.5 * f64::from(height) / (FIELD / 2.0).tan()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_keeps_every_ball_in_the_picture_and_touches_two_borders() {
        let size = [640, 360];
        for (_, view) in View::ALL {
            let ball = |x: f64, y: f64, z: f64, radius: f64| Bounds { centre: Vec3::new(x, y, z), radius };
            let balls = [ball(0.0, 0.0, 0.0, 0.3), ball(2.0, 1.0, 0.5, 0.1), ball(-1.0, 0.4, 1.5, 0.5)];
            let camera = Camera::framing(view, Vec3::Z, &balls, size);
            let mut least: f64 = 1e9;
            for ball in balls {
                for k in 0..400 {
                    let (a, b) = (0.31 * f64::from(k), (f64::from(k) / 200.0 - 1.0).asin());
                    let direction = Vec3::new(a.cos() * b.cos(), a.sin() * b.cos(), b.sin());
                    let [x, y] = camera.project(ball.centre + ball.radius * direction, size).unwrap();
                    least = least.min(x).min(y).min(640.0 - x).min(360.0 - y);
                }
            }
            assert!(least > 5.0 && least < 40.0, "{view:?} {least}");
        }
    }

    #[test]
    fn the_target_is_in_the_middle_and_up_is_up() {
        let camera = Camera { eye: Vec3::new(3.0, -4.0, 2.0), target: Vec3::new(0.1, 0.2, 0.3), up: Vec3::Z };
        let [x, y] = camera.project(camera.target, [100, 60]).unwrap();
        assert!((x - 50.0).abs() < 1e-12 && (y - 30.0).abs() < 1e-12);
        assert!(camera.project(camera.target + 0.1 * Vec3::Z, [100, 60]).unwrap()[1] < 30.0);
        assert_eq!(camera.project(camera.eye * 2.0 - camera.target, [100, 60]), None);
    }
}

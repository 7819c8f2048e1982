//! Convex solids by their formulas, and how deep two of them overlap.

use glam::{DQuat, DVec3};

/// A convex solid in its own frame.
#[derive(Clone, Debug)]
pub enum Solid {
    /// A ball about the origin, of this radius \[m\].
    Ball(f64),
    /// A box about the origin: half of its sides.
    Box(DVec3),
    /// A cylinder about z with half balls at its ends: half of the distance of their centres, radius.
    Capsule(f64, f64),
    /// A cylinder about z: half of its height, radius.
    Cylinder(f64, f64),
    /// The hull of points.
    Hull(Vec<DVec3>),
}

/// Where something is.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its origin \[m\].
    pub position: DVec3,
    /// How it is turned.
    pub rotation: DQuat,
}

impl Place {
    /// Where something is that has this place in the frame of another one that is here.
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        Self { position: self.of(inner.position), rotation: self.rotation * inner.rotation }
    }

    /// Where a point of the frame is.
    #[must_use]
    pub fn of(&self, point: DVec3) -> DVec3 {
        self.position + self.rotation * point
    }
}

impl Solid {
    /// How far the solid reaches along a unit vector: max x·n over its points.
    #[must_use]
    pub fn reach(&self, n: DVec3) -> f64 {
        match self {
            Self::Ball(radius) => *radius,
            Self::Box(half) => n.abs().dot(*half),
            Self::Capsule(half_height, radius) => half_height * n.z.abs() + radius,
            Self::Cylinder(half_height, radius) => half_height * n.z.abs() + radius * n.x.hypot(n.y),
            Self::Hull(points) => points.iter().map(|point| point.dot(n)).fold(f64::NEG_INFINITY, f64::max),
        }
    }

    /// Radius of the ball about the origin that holds it.
    #[must_use]
    pub fn radius(&self) -> f64 {
        match self {
            Self::Ball(radius) => *radius,
            Self::Box(half) => half.length(),
            Self::Capsule(half_height, radius) => half_height + radius,
            Self::Cylinder(half_height, radius) => half_height.hypot(*radius),
            Self::Hull(points) => points.iter().map(|point| point.length()).fold(0.0, f64::max),
        }
    }

    /// The smallest of its extents along its axes: what overlaps are compared with.
    #[must_use]
    pub fn size(&self) -> f64 {
        [DVec3::X, DVec3::Y, DVec3::Z].map(|n| self.reach(n) + self.reach(-n)).into_iter().fold(f64::INFINITY, f64::min)
    }

    /// Points of its surface: all corners, and so many per edge, rim or arc.
    #[must_use]
    pub fn points(&self, fine: usize) -> Vec<DVec3> {
        let share = |k: usize| k as f64 / fine as f64;
        let turned = |profile: &[(f64, f64)]| -> Vec<DVec3> {
            let around = (0..4 * fine).map(|k| std::f64::consts::TAU * share(k) / 4.0);
            around.flat_map(|a| profile.iter().map(move |&(r, z)| DVec3::new(r * a.cos(), r * a.sin(), z))).collect()
        };
        let arc = |radius: f64, apart: f64| -> Vec<(f64, f64)> {
            let angles = (0..=2 * fine).map(|k| std::f64::consts::FRAC_PI_2 * (share(k) - 1.0));
            angles.map(|a| (radius * a.cos(), radius * a.sin() + if a < 0.0 { -apart } else { apart })).collect()
        };
        match self {
            Self::Ball(radius) => turned(&arc(*radius, 0.0)),
            Self::Capsule(half_height, radius) => turned(&arc(*radius, *half_height)),
            Self::Cylinder(h, r) => {
                let side = (0..=fine).map(|k| (*r, h * (2.0 * share(k) - 1.0)));
                let lids = (0..fine).flat_map(|k| [(r * share(k), *h), (r * share(k), -h)]);
                turned(&side.chain(lids).collect::<Vec<_>>())
            }
            Self::Box(half) => {
                let mut points = Vec::new();
                for axis in 0..3 {
                    for (i, j) in (0..=fine).flat_map(|i| (0..=fine).map(move |j| (i, j))) {
                        for side in [-1.0, 1.0] {
                            let mut p = [0.0; 3];
                            p[axis] = side;
                            (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (2.0 * share(i) - 1.0, 2.0 * share(j) - 1.0);
                            points.push(DVec3::from_array(p) * *half);
                        }
                    }
                }
                points
            }
            Self::Hull(corners) => {
                // Between every two corners: edges are among them, and what is inside of the solid does no harm.
                let mut points = corners.clone();
                for (i, a) in corners.iter().enumerate() {
                    points.extend(corners[i + 1..].iter().flat_map(|b| (1..fine).map(move |k| a.lerp(*b, share(k)))));
                }
                points
            }
        }
    }

    /// Directions in its frame that its flat faces have, and those of its edges.
    fn faces_and_edges(&self) -> (Vec<DVec3>, Vec<DVec3>) {
        match self {
            Self::Ball(_) => (Vec::new(), Vec::new()),
            Self::Box(_) => (vec![DVec3::X, DVec3::Y, DVec3::Z], vec![DVec3::X, DVec3::Y, DVec3::Z]),
            Self::Capsule(..) | Self::Cylinder(..) => (vec![DVec3::Z], vec![DVec3::Z]),
            Self::Hull(points) => {
                let differences: Vec<DVec3> = (0..points.len())
                    .flat_map(|i| (0..i).map(move |j| (points[i] - points[j]).normalize_or_zero()))
                    .collect();
                let mut normals = Vec::new();
                for k in 0..points.len() {
                    for j in 0..k {
                        for i in 0..j {
                            let n = (points[j] - points[i]).cross(points[k] - points[i]).normalize_or_zero();
                            let heights = points.iter().map(|p| n.dot(*p - points[i]));
                            let (low, high) = heights.fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(x), h.max(x)));
                            if n != DVec3::ZERO && (low > -1e-9 || high < 1e-9) {
                                normals.push(n);
                            }
                        }
                    }
                }
                (normals, differences)
            }
        }
    }
}

/// How deep two solids overlap \[m\]: the shortest way that parts them, 0 if they do not overlap. It is the least of h_A(n) + h_B(−n) over all directions n, with the reach h
/// of a solid; the directions of faces and of pairs of edges are tried, and the least of them is followed down, so that the depth is never too small by more than `fine`, and it may
/// be too large by a little for round solids.
#[must_use]
pub fn overlap(a: &Solid, at: &Place, b: &Solid, to: &Place, fine: f64) -> f64 {
    let between = to.position - at.position;
    let [back_a, back_b] = [at.rotation.inverse(), to.rotation.inverse()];
    // Positive: the solids overlap along n by this, with B on the side of n.
    let depth = |n: DVec3| a.reach(back_a * n) + b.reach(back_b * -n) - between.dot(n);
    let distance = between.length();
    if distance >= a.radius() + b.radius() {
        return 0.0;
    }
    let mut tried: Vec<(f64, DVec3)> = Vec::new();
    let mut least = f64::INFINITY;
    let mut try_both = |n: DVec3, tried: &mut Vec<(f64, DVec3)>| {
        for n in [n, -n] {
            let d = depth(n);
            least = least.min(d);
            tried.push((d, n));
        }
        least <= 0.0
    };
    if distance > 0.0 && try_both(between / distance, &mut tried) {
        return 0.0;
    }
    let ((faces_a, edges_a), (faces_b, edges_b)) = (a.faces_and_edges(), b.faces_and_edges());
    let faces = faces_a.iter().map(|n| at.rotation * *n).chain(faces_b.iter().map(|n| to.rotation * *n));
    for n in faces {
        if try_both(n, &mut tried) {
            return 0.0;
        }
    }
    for e in &edges_a {
        for f in &edges_b {
            let n = (at.rotation * *e).cross(to.rotation * *f);
            if n.length() > 1e-9 && try_both(n.normalize(), &mut tried) {
                return 0.0;
            }
        }
    }
    tried.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut best = f64::INFINITY;
    for (start, direction) in tried.into_iter().take(4) {
        let found = descended(&depth, start, direction, fine);
        if found <= 0.0 {
            return 0.0;
        }
        best = best.min(found);
    }
    best
}

/// Follows a function of directions down by smaller and smaller turns.
fn descended(of: &dyn Fn(DVec3) -> f64, start: f64, direction: DVec3, fine: f64) -> f64 {
    let (mut least, mut n, mut turn) = (start, direction, 0.3);
    while turn > 1e-5 && least > fine {
        let (u, v) = n.any_orthonormal_pair();
        let around = (0..8).map(|k| std::f64::consts::TAU * f64::from(k) / 8.0);
        let next = around
            .map(|angle| (n + turn * (u * angle.cos() + v * angle.sin())).normalize())
            .map(|n| (of(n), n))
            .min_by(|p, q| p.0.total_cmp(&q.0));
        match next {
            Some((value, at)) if value < least => (least, n) = (value, at),
            _ => turn *= 0.5,
        }
    }
    if least <= fine { 0.0 } else { least }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: Place = Place { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    fn moved(position: DVec3) -> Place {
        Place { position, ..HERE }
    }

    #[test]
    fn depths_of_known_pairs() {
        let (ball, cube) = (Solid::Ball(1.0), Solid::Box(DVec3::ONE));
        let diagonal = DVec3::new(1.0, 2.0, -1.0).normalize();
        assert!((overlap(&ball, &HERE, &ball, &moved(diagonal * 1.9), 1e-9) - 0.1).abs() < 1e-9);
        assert_eq!(overlap(&ball, &HERE, &ball, &moved(diagonal * 2.01), 1e-9), 0.0);
        // A ball at the corner of a box.
        let corner = DVec3::ONE + DVec3::ONE.normalize() * 0.95;
        assert!((overlap(&cube, &HERE, &ball, &moved(corner), 1e-9) - 0.05).abs() < 1e-6);
        // Boxes whose edges cross at right angles, 0.1 deep.
        let turned = |axis: DVec3| DQuat::from_axis_angle(axis, std::f64::consts::FRAC_PI_4);
        let (first, second) =
            (Place { rotation: turned(DVec3::X), ..HERE }, Place { rotation: turned(DVec3::Y), ..HERE });
        let second = Place { position: DVec3::Z * (2.0 * 2.0_f64.sqrt() - 0.1), ..second };
        assert!((overlap(&cube, &first, &cube, &second, 1e-9) - 0.1).abs() < 1e-6);
        // A hull that is a box.
        let points = cube.points(1);
        let depth = overlap(&Solid::Hull(points), &HERE, &cube, &moved(DVec3::new(1.9, 0.3, 0.2)), 1e-9);
        assert!((depth - 0.1).abs() < 1e-6, "{depth}");
        // Cylinders end to end and side by side, a capsule across.
        let (cylinder, capsule) = (Solid::Cylinder(1.0, 0.5), Solid::Capsule(1.0, 0.5));
        assert!((overlap(&cylinder, &HERE, &cylinder, &moved(DVec3::Z * 1.95), 1e-9) - 0.05).abs() < 1e-9);
        assert!((overlap(&cylinder, &HERE, &cylinder, &moved(DVec3::X * 0.95), 1e-9) - 0.05).abs() < 1e-9);
        assert!((overlap(&cylinder, &HERE, &capsule, &moved(DVec3::Y * 0.9), 1e-9) - 0.1).abs() < 1e-9);
    }
}

//! Convex solids by their formulas, and how deep two of them overlap.

use glam::{DMat2, DQuat, DVec2, DVec3};

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
    /// The point that is farthest along a direction, which need not be a unit vector.
    #[must_use]
    pub fn farthest(&self, n: DVec3) -> DVec3 {
        let up = |h: f64| DVec3::Z * h.copysign(n.z);
        match self {
            Self::Ball(radius) => n.normalize_or_zero() * *radius,
            Self::Box(half) => half.copysign(n),
            Self::Capsule(half_height, radius) => up(*half_height) + n.normalize_or_zero() * *radius,
            Self::Cylinder(half_height, radius) => up(*half_height) + n.with_z(0.0).normalize_or_zero() * *radius,
            Self::Hull(points) => {
                points.iter().copied().max_by(|a, b| a.dot(n).total_cmp(&b.dot(n))).unwrap_or(DVec3::ZERO)
            }
        }
    }

    /// How far the solid reaches along a vector: max x·n over its points.
    #[must_use]
    pub fn reach(&self, n: DVec3) -> f64 {
        self.farthest(n).dot(n)
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

/// How deep two solids overlap \[m\]: the shortest way that parts them, 0 if they do not overlap or by less than `fine`. It is the least of h_A(n) + h_B(−n) − n·(x_B − x_A) over all
/// unit vectors n, with the reach h of a solid. The directions of faces and of pairs of edges are tried, and the least of them are followed down, so that the depth is never too small.
#[must_use]
pub fn overlap(a: &Solid, at: &Place, b: &Solid, to: &Place, fine: f64) -> f64 {
    let between = to.position - at.position;
    let distance = between.length();
    if distance >= a.radius() + b.radius() {
        return 0.0;
    }
    let pair = Pair { a, b, back: [at.rotation.inverse(), to.rotation.inverse()], between };
    let mut tried: Vec<(f64, DVec3)> = Vec::new();
    let mut is_apart = |n: DVec3| {
        let both = [n, -n].map(|n| (pair.farthest(n).dot(n), n));
        tried.extend(both);
        both.iter().any(|(depth, _)| *depth <= fine)
    };
    let ((faces_a, edges_a), (faces_b, edges_b)) = (a.faces_and_edges(), b.faces_and_edges());
    let mut faces = faces_a.iter().map(|n| at.rotation * *n).chain(faces_b.iter().map(|n| to.rotation * *n));
    if is_apart(between.normalize_or(DVec3::Z)) || faces.any(&mut is_apart) {
        return 0.0;
    }
    let crosses = edges_a.iter().flat_map(|e| edges_b.iter().map(|f| (at.rotation * *e).cross(to.rotation * *f)));
    if crosses.filter(|n| n.length() > 1e-9).map(DVec3::normalize).any(is_apart) {
        return 0.0;
    }
    tried.sort_by(|p, q| p.0.total_cmp(&q.0));
    let mut least = f64::INFINITY;
    for (_, direction) in tried.into_iter().take(STARTS) {
        least = least.min(pair.least_depth(direction));
        if least <= fine {
            return 0.0;
        }
    }
    least
}

/// So many of the least directions are followed down.
const STARTS: usize = 6;
/// Ranges of directions about the best so far, as tangents of angles, and steps of the search in each.
const RANGES: [(f64, u32); 5] = [(2.0, 60), (0.6, 60), (0.2, 60), (0.05, 60), (0.01, 80)];

/// Two solids; everything in the axes of the world, about the origin of the first.
struct Pair<'a> {
    a: &'a Solid,
    b: &'a Solid,
    back: [DQuat; 2],
    between: DVec3,
}

impl Pair<'_> {
    /// The point of the solid A − B that is farthest along a direction n. Its product with n is convex in n.
    fn farthest(&self, n: DVec3) -> DVec3 {
        let [back_a, back_b] = self.back;
        let (of_a, of_b) = (self.a.farthest(back_a * n), self.b.farthest(back_b * -n));
        back_a.inverse() * of_a - back_b.inverse() * of_b - self.between
    }

    /// The least depth near a direction. On a plane of vectors n + s u + t v the reach is convex in s and t: it is followed down by the ellipsoid method, which needs no smoothness.
    fn least_depth(&self, start: DVec3) -> f64 {
        let mut best = (self.farthest(start).dot(start), start);
        for (range, steps) in RANGES {
            let centre = best.1;
            let (u, v) = centre.any_orthonormal_pair();
            // The ellipse (x − x₀)ᵀ P⁻¹ (x − x₀) ≤ 1 holds the least place.
            let (mut x, mut p) = (DVec2::ZERO, DMat2::from_diagonal(DVec2::splat(range * range)));
            for _ in 0..steps {
                let n = centre + u * x.x + v * x.y;
                let point = self.farthest(n);
                let depth = point.dot(n) / n.length();
                if depth < best.0 {
                    best = (depth, n.normalize());
                }
                let slope = DVec2::new(point.dot(u), point.dot(v));
                let width = slope.dot(p * slope).sqrt();
                if width <= 1e-15 {
                    break;
                }
                let way = p * slope / width;
                x -= way / 3.0;
                let outer = DMat2::from_cols(way * way.x, way * way.y);
                p = (p - outer * (2.0 / 3.0)) * (4.0 / 3.0);
            }
        }
        best.0
    }
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
        // A rim over an edge: a cylinder that leans, against the edge of a long box.
        let lean = Place { rotation: DQuat::from_axis_angle(DVec3::Y, 0.5), ..HERE };
        let (disc, bar) = (Solid::Cylinder(0.2, 1.0), Solid::Box(DVec3::new(0.1, 10.0, 0.1)));
        let lowest = lean.of(DVec3::new(1.0, 0.0, -0.2));
        let on_edge = Place {
            position: lowest - DVec3::Z * (0.1 * 2.0_f64.sqrt() - 0.01),
            rotation: DQuat::from_axis_angle(DVec3::Y, std::f64::consts::FRAC_PI_4),
        };
        let depth = overlap(&disc, &lean, &bar, &on_edge, 1e-9);
        // Down, as both lean less than their corners are wide, and a little less along the rim of the disc.
        assert!(depth > 0.005 && depth <= 0.01 + 1e-9, "{depth}");
        // Cylinders end to end and side by side, a capsule across.
        let (cylinder, capsule) = (Solid::Cylinder(1.0, 0.5), Solid::Capsule(1.0, 0.5));
        assert!((overlap(&cylinder, &HERE, &cylinder, &moved(DVec3::Z * 1.95), 1e-9) - 0.05).abs() < 1e-9);
        assert!((overlap(&cylinder, &HERE, &cylinder, &moved(DVec3::X * 0.95), 1e-9) - 0.05).abs() < 1e-9);
        assert!((overlap(&cylinder, &HERE, &capsule, &moved(DVec3::Y * 0.9), 1e-9) - 0.1).abs() < 1e-9);
    }
}

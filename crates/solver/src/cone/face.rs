//! Faces of the cones: the directions in which a force may move without leaving the part of K it is on.
//!
//! The faces of a convex cone are cones themselves. Those of K_μ are the apex, the rays of its surface, and K_μ; those of
//! the half-line are its end and the whole of it. At a point of a ray, with ‖t‖ = μn and û = t/‖t‖,
//!
//! ```text
//! along    a = (1, μû)/√(1+μ²)      inward normal   ν = (μ, −û)/√(1+μ²)      across   the rest of the tangents
//! ```
//!
//! The surface is flat along a and curved across. A step σ across leaves K_μ by σ²/(2‖t‖) in ‖t‖, and projection brings
//! it back along ν by σ²/(2‖t‖√(1+μ²)). With the gradient y pressing against the surface, ζ = y·ν ≥ 0, the objective on
//! the surface has the second derivative N + κ across, κ = ζ/(‖t‖√(1+μ²)): a Newton step that leaves κ out is far too
//! long where contacts slide with little force.

use super::{Cone, MAX_ROWS};

/// Which part of its cone a force is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FaceKind {
    /// Zero: nothing can move.
    Apex,
    /// A ray: only the size can change.
    Ray,
    /// The curved surface, pressed against it: sizes and directions of friction can change.
    Surface,
    /// One or both surfaces of a rolling cone.
    Rolling,
    /// Inside: everything can move.
    Whole,
}

/// Where a force is, with the geometry there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) kind: FaceKind,
    along: [f64; MAX_ROWS],
    normal: [f64; MAX_ROWS],
    /// 1/(‖t‖√(1+μ²)), then κ.
    curvature: f64,
    /// The surfaces of a rolling cone that press against the force.
    pressed: Pressed,
}

/// Up to two surfaces, of T and of R, that a force with rolling friction is pressed against.
#[derive(Clone, Copy, Debug, Default)]
struct Pressed {
    /// Orthonormal basis of their normals.
    normals: [[f64; MAX_ROWS]; 2],
    /// Unit vectors across, with their κ.
    across: [([f64; MAX_ROWS], f64); 2],
}

impl Pressed {
    const NONE: Self = Self { normals: [[0.0; MAX_ROWS]; 2], across: [([0.0; MAX_ROWS], 0.0); 2] };

    /// The set A of surfaces with ζ ≥ 0 in x = −y + Σ_A ζ_i ν_i and ν_j·x ≥ 0 outside: x is −y projected on the tangent cone.
    /// `None` when no surface presses.
    fn new(mu: f64, mu_r: f64, g: &[f64], y: &[f64]) -> Option<Self> {
        let mut surfaces: [Option<Surface>; 2] = [None; 2];
        for (surface, (first, mu)) in surfaces.iter_mut().zip([(1, mu), (3, mu_r)]) {
            let t = super::rolling::length(&g[first..first + 2]);
            if t > 0.0 && t >= mu * g[0] * (1.0 - ON_SURFACE) {
                let root = (1.0 + mu * mu).sqrt();
                let mut this = Surface { normal: [0.0; MAX_ROWS], across: [0.0; MAX_ROWS], bend: 1.0 / (t * root) };
                let unit = [g[first] / t, g[first + 1] / t];
                this.normal[0] = mu / root;
                (this.normal[first], this.normal[first + 1]) = (-unit[0] / root, -unit[1] / root);
                (this.across[first], this.across[first + 1]) = (-unit[1], unit[0]);
                *surface = Some(this);
            }
        }
        let press = |surface: &Surface| product(&surface.normal, y);
        let dot = |a: &Surface, b: &Surface| product(&a.normal, &b.normal);
        // Both, then each alone.
        if let [Some(a), Some(b)] = &surfaces {
            let (pa, pb, c) = (press(a), press(b), dot(a, b));
            let zeta = [(pa - c * pb) / (1.0 - c * c), (pb - c * pa) / (1.0 - c * c)];
            if zeta[0] >= 0.0 && zeta[1] >= 0.0 {
                let root = (1.0 - c * c).sqrt();
                let second = std::array::from_fn(|i| (b.normal[i] - c * a.normal[i]) / root);
                let across = [(a.across, zeta[0] * a.bend), (b.across, zeta[1] * b.bend)];
                return Some(Self { normals: [a.normal, second], across });
            }
        }
        let alone = |own: &Option<Surface>, other: &Option<Surface>| {
            let own = (*own)?;
            let zeta = press(&own);
            let free = other.as_ref().is_none_or(|other| zeta * dot(&own, other) - press(other) >= 0.0);
            let across = [(own.across, zeta * own.bend), Default::default()];
            (zeta >= 0.0 && free).then_some(Self { normals: [own.normal, [0.0; MAX_ROWS]], across })
        };
        alone(&surfaces[0], &surfaces[1]).or_else(|| alone(&surfaces[1], &surfaces[0]))
    }
}

#[derive(Clone, Copy)]
struct Surface {
    normal: [f64; MAX_ROWS],
    across: [f64; MAX_ROWS],
    bend: f64,
}

/// A force this close to the surface, as a share of its size, is on it: projection leaves a few roundings.
const ON_SURFACE: f64 = 1e-12;

impl Face {
    const fn plain(kind: FaceKind) -> Self {
        Self { kind, along: [0.0; MAX_ROWS], normal: [0.0; MAX_ROWS], curvature: 0.0, pressed: Pressed::NONE }
    }

    /// The smallest face that holds g ∈ K: an apex, a ray or the whole cone.
    pub(crate) fn smallest(cone: Cone, g: &[f64]) -> Self {
        match cone {
            Cone::Free => Self::plain(FaceKind::Whole),
            Cone::NonNegative => {
                debug_assert_eq!(g.len(), 1, "rows without friction are blocks of their own");
                Self::plain(if g[0] > 0.0 { FaceKind::Whole } else { FaceKind::Apex })
            }
            Cone::Friction { mu } => {
                let (n, t) = (g[0], super::friction::tangent_norm(g));
                if n <= 0.0 {
                    return Self::plain(FaceKind::Apex);
                }
                if t < mu * n * (1.0 - ON_SURFACE) {
                    return Self::plain(FaceKind::Whole);
                }
                let mut this = Self::plain(FaceKind::Ray);
                let length = (1.0 + mu * mu).sqrt();
                this.along[0] = 1.0 / length;
                if t > 0.0 {
                    this.normal[0] = mu / length;
                    for i in 1..g.len() {
                        this.along[i] = mu * g[i] / (t * length);
                        this.normal[i] = -g[i] / (t * length);
                    }
                    this.curvature = 1.0 / (t * length);
                }
                this
            }
            Cone::Rolling { mu, mu_r } => {
                let (n, t, r) = (g[0], super::rolling::length(&g[1..3]), super::rolling::length(&g[3..5]));
                if n <= 0.0 {
                    return Self::plain(FaceKind::Apex);
                }
                if t < mu * n * (1.0 - ON_SURFACE) && r < mu_r * n * (1.0 - ON_SURFACE) {
                    return Self::plain(FaceKind::Whole);
                }
                // Two surfaces may meet here; the smallest face is the ray through the point.
                let mut this = Self::plain(FaceKind::Ray);
                let length = g.iter().map(|g| g * g).sum::<f64>().sqrt();
                this.along[..5].iter_mut().zip(g).for_each(|(a, g)| *a = g / length);
                this
            }
        }
    }

    /// Where g ∈ K is with the gradient y: on the surface if y presses it against that, inside if y draws it there.
    pub(crate) fn with_gradient(cone: Cone, g: &[f64], y: &[f64]) -> Self {
        let mut this = Self::smallest(cone, g);
        if let (Cone::Rolling { mu, mu_r }, FaceKind::Ray) = (cone, this.kind) {
            let Some(pressed) = Pressed::new(mu, mu_r, g, y) else { return Self::plain(FaceKind::Whole) };
            this.kind = FaceKind::Rolling;
            this.pressed = pressed;
            return this;
        }
        // Without friction (μ = 0) a ray has no surface around it.
        if this.kind == FaceKind::Ray && this.curvature > 0.0 {
            let zeta = product(&this.normal, y);
            if zeta < 0.0 {
                return Self::plain(FaceKind::Whole);
            }
            this.kind = FaceKind::Surface;
            this.curvature *= zeta;
        }
        this
    }

    /// Projects on the tangent space of the face.
    pub(crate) fn tangent(&self, x: &mut [f64]) {
        match self.kind {
            FaceKind::Whole => {}
            FaceKind::Apex => x.fill(0.0),
            FaceKind::Ray => {
                let size = product(&self.along, x);
                x.iter_mut().zip(&self.along).for_each(|(x, a)| *x = size * a);
            }
            FaceKind::Surface => {
                let out = product(&self.normal, x);
                x.iter_mut().zip(&self.normal).for_each(|(x, n)| *x -= out * n);
            }
            FaceKind::Rolling => {
                for normal in &self.pressed.normals {
                    let out = product(normal, x);
                    x.iter_mut().zip(normal).for_each(|(x, n)| *x -= out * n);
                }
            }
        }
    }

    /// `out += κ x` across, for x in the tangent space.
    pub(crate) fn add_curvature(&self, x: &[f64], out: &mut [f64]) {
        if self.kind == FaceKind::Surface {
            let size = product(&self.along, x);
            for ((out, x), a) in out.iter_mut().zip(x).zip(&self.along) {
                *out += self.curvature * (x - size * a);
            }
        }
        if self.kind == FaceKind::Rolling {
            for (across, kappa) in &self.pressed.across {
                let size = kappa * product(across, x);
                out.iter_mut().zip(across).for_each(|(out, a)| *out += size * a);
            }
        }
    }

    /// Whether the face is flat.
    pub(crate) fn is_flat(&self) -> bool {
        !matches!(self.kind, FaceKind::Surface | FaceKind::Rolling)
    }

    /// The steepest descent that stays in K to first order: −y projected on the tangent cone of K at the point.
    pub(crate) fn descent(&self, cone: Cone, y: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(y).for_each(|(out, y)| *out = -y);
        match self.kind {
            FaceKind::Apex => cone.project(out),
            _ => self.tangent(out),
        }
    }

    /// Whether y holds the force on this face.
    pub(crate) fn is_binding(&self, cone: Cone, y: &[f64]) -> bool {
        self.kind != FaceKind::Apex || cone.dual_distance(y) == 0.0
    }
}

fn product(a: &[f64; MAX_ROWS], x: &[f64]) -> f64 {
    x.iter().zip(a).map(|(x, a)| x * a).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// The derivative of the projection along the ray of steps, by differences.
        #[test]
        fn descent_is_the_first_part_of_the_projected_path(mu in 0.1f64..2.0, n in 0.5f64..2.0, angle in 0.0f64..6.3,
            share in prop_oneof![Just(0.0), 0.1f64..0.9, Just(1.0)], y in [-2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0]) {
            let cone = Cone::Friction { mu };
            let n = if share == 0.0 { 0.0 } else { n };
            let mut g = [n, share * mu * n * angle.cos(), share * mu * n * angle.sin()];
            cone.project(&mut g);
            let face = Face::with_gradient(cone, &g, &y);
            let mut d = [0.0; 3];
            face.descent(cone, &y, &mut d);
            let step = 1e-7;
            let mut z: [f64; 3] = std::array::from_fn(|i| g[i] - step * y[i]);
            cone.project(&mut z);
            for i in 0..3 {
                prop_assert!(((z[i] - g[i]) / step - d[i]).abs() < 1e-5, "{face:?}: {d:?}");
            }
        }

        /// The same with rolling friction: no, one or two surfaces, any gradient.
        #[test]
        fn descent_with_rolling_friction_is_the_first_part_of_the_projected_path(
            mu in 0.1f64..2.0, mu_r in 0.1f64..2.0, n in 0.5f64..2.0, angles in [0.0f64..6.3, 0.0f64..6.3],
            shares in [prop_oneof![0.1f64..0.9, Just(1.0)], prop_oneof![0.1f64..0.9, Just(1.0)]],
            y in prop::collection::vec(-2.0f64..2.0, 5),
        ) {
            let cone = Cone::Rolling { mu, mu_r };
            let part = |mu: f64, i: usize| [shares[i] * mu * n * angles[i].cos(), shares[i] * mu * n * angles[i].sin()];
            let ([a, b], [c, d]) = (part(mu, 0), part(mu_r, 1));
            let mut g = [n, a, b, c, d];
            cone.project(&mut g);
            let face = Face::with_gradient(cone, &g, &y);
            let mut d = [0.0; 5];
            face.descent(cone, &y, &mut d);
            let step = 1e-7;
            let mut z: [f64; 5] = std::array::from_fn(|i| g[i] - step * y[i]);
            cone.project(&mut z);
            for i in 0..5 {
                prop_assert!(((z[i] - g[i]) / step - d[i]).abs() < 1e-5, "{face:?}: {d:?} {z:?}");
            }
        }

        /// q(Π(g + σd)) = yᵀΠ(g + σd) has the second derivative κ across and none along.
        #[test]
        fn curvature_is_that_of_the_projected_path(mu in 0.1f64..2.0, n in 0.5f64..2.0, angle in 0.0f64..6.3, zeta in 0.1f64..2.0) {
            let cone = Cone::Friction { mu };
            let g = [n, mu * n * angle.cos(), mu * n * angle.sin()];
            let y = [zeta * mu, -zeta * angle.cos(), -zeta * angle.sin()];
            let face = Face::with_gradient(cone, &g, &y);
            prop_assert_eq!(face.kind, FaceKind::Surface);
            for d in [[0.0, -angle.sin(), angle.cos()], [1.0, mu * angle.cos(), mu * angle.sin()]] {
                let step = 1e-3 * n;
                let value = |step: f64| {
                    let mut z: [f64; 3] = std::array::from_fn(|i| g[i] + step * d[i]);
                    cone.project(&mut z);
                    z.iter().zip(&y).map(|(z, y)| z * y).sum::<f64>()
                };
                let second = (value(step) - 2.0 * value(0.0) + value(-step)) / (step * step);
                let mut curved = [0.0; 3];
                face.add_curvature(&d, &mut curved);
                let expected: f64 = curved.iter().zip(&d).map(|(a, b)| a * b).sum();
                prop_assert!((second - expected).abs() < 1e-4 * (1.0 + expected), "{second} {expected}");
            }
        }
    }
}

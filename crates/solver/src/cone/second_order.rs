//! The self-dual cone L = {‖z₁‖ ≤ z₀} the interior point works on: Jordan algebra, Nesterov-Todd scaling,
//! exact step to the boundary (THEORY §6, §7). Dimension 1 is the half-line z ≥ 0.
//!
//! A friction cone becomes L by λ̂ = Tλ, ŷ = T⁻¹y with T = diag(μ, 1, 1).

/// Largest block the kernels are sized for (normal, two tangents).
pub const MAX_DIM: usize = 3;

fn tail_dot(a: &[f64], b: &[f64]) -> f64 {
    a[1..].iter().zip(&b[1..]).map(|(a, b)| a * b).sum()
}

/// zᵀJz = z₀² − ‖z₁‖², written (z₀−‖z₁‖)(z₀+‖z₁‖) to keep digits near the boundary.
#[must_use]
pub fn determinant(z: &[f64]) -> f64 {
    let tail = super::friction::tangent_norm(z);
    (z[0] - tail) * (z[0] + tail)
}

/// Distance to the boundary along the axis: positive inside the cone.
#[must_use]
pub fn margin(z: &[f64]) -> f64 {
    z[0] - super::friction::tangent_norm(z)
}

/// Jordan product `out = a ∘ b = (a·b, a₀b₁ + b₀a₁)`.
pub fn product(a: &[f64], b: &[f64], out: &mut [f64]) {
    out[0] = a[0] * b[0] + tail_dot(a, b);
    for i in 1..a.len() {
        out[i] = a[0] * b[i] + b[0] * a[i];
    }
}

/// Solves `a ∘ x = b` for `a` inside the cone: x₀ = (a₀b₀ − a₁·b₁)/(aᵀJa), x₁ = (b₁ − x₀a₁)/a₀.
pub fn divide(a: &[f64], b: &[f64], out: &mut [f64]) {
    if a.len() == 1 {
        out[0] = b[0] / a[0];
        return;
    }
    out[0] = (a[0] * b[0] - tail_dot(a, b)) / determinant(a);
    for i in 1..a.len() {
        out[i] = (b[i] - out[0] * a[i]) / a[0];
    }
}

/// Largest α ≥ 0 with z + α d ∈ L, for z inside L; infinite when the ray never leaves.
#[must_use]
pub fn step_to_boundary(z: &[f64], d: &[f64]) -> f64 {
    if z.len() == 1 {
        return if d[0] < 0.0 { -z[0] / d[0] } else { f64::INFINITY };
    }
    // aα² + 2bα + c = 0 with c > 0; the smallest positive root is where the ray meets the double cone.
    let a = d[0] * d[0] - tail_dot(d, d);
    let b = z[0] * d[0] - tail_dot(z, d);
    let c = determinant(z);
    let discriminant = b * b - a * c;
    let mut step = f64::INFINITY;
    if discriminant >= 0.0 {
        // Stable form: the root of smaller modulus is c / (−b ± √…), the other −(b ± √…)/a.
        let q = -(b + discriminant.sqrt().copysign(b));
        for root in [c / q, q / a] {
            if root > 0.0 && root < step {
                step = root;
            }
        }
    }
    // The apex: z₀ + α d₀ ≥ 0.
    if d[0] < 0.0 { step.min(-z[0] / d[0]) } else { step }
}

/// The Nesterov-Todd scaling of one block: the symmetric W with W⁻¹y = Wλ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaling {
    /// W = η [w₀ w₁ᵀ; w₁ I + w₁w₁ᵀ/(1+w₀)].
    eta: f64,
    w: [f64; MAX_DIM],
}

impl Scaling {
    /// The scaling of a pair strictly inside the cone; `None` if rounding has put either on the boundary.
    ///
    /// ȳ = y/√(yᵀJy), λ̄ = λ/√(λᵀJλ), g = √((1+ȳᵀλ̄)/2), w̄ = (ȳ + Jλ̄)/(2g), η = (yᵀJy/λᵀJλ)^¼.
    #[must_use]
    pub fn new(y: &[f64], lambda: &[f64]) -> Option<Self> {
        let mut w = [0.0; MAX_DIM];
        if y.len() == 1 {
            w[0] = 1.0;
            let eta = (y[0] / lambda[0]).sqrt();
            return (y[0] > 0.0 && lambda[0] > 0.0 && eta > 0.0 && eta.is_finite()).then_some(Self { eta, w });
        }
        let (det_y, det_l) = (determinant(y), determinant(lambda));
        if !(det_y > 0.0 && det_l > 0.0 && y[0] > 0.0 && lambda[0] > 0.0) {
            return None;
        }
        let (scale_y, scale_l) = (1.0 / det_y.sqrt(), 1.0 / det_l.sqrt());
        let product: f64 = y.iter().zip(lambda).map(|(y, l)| y * scale_y * (l * scale_l)).sum();
        let g = (0.5 * (1.0 + product)).sqrt();
        w[0] = (y[0] * scale_y + lambda[0] * scale_l) / (2.0 * g);
        for i in 1..y.len() {
            w[i] = (y[i] * scale_y - lambda[i] * scale_l) / (2.0 * g);
        }
        // w̄ᵀJw̄ = 1 holds by construction; imposed here so that W⁻¹ = JWJ/η² is exact to rounding.
        w[0] = (1.0 + w[1..].iter().map(|w| w * w).sum::<f64>()).sqrt();
        let eta = (scale_l / scale_y).sqrt();
        (eta > 0.0 && eta.is_finite() && w[0].is_finite()).then_some(Self { eta, w })
    }

    /// η and w̄.
    pub(crate) fn parts(&self) -> (f64, [f64; MAX_DIM]) {
        (self.eta, self.w)
    }

    /// `out = W x`.
    pub fn apply(&self, x: &[f64], out: &mut [f64]) {
        self.apply_signed(self.eta, 1.0, x, out);
    }

    /// `out = W⁻¹ x = J W J x / η²`.
    pub fn apply_inverse(&self, x: &[f64], out: &mut [f64]) {
        self.apply_signed(1.0 / self.eta, -1.0, x, out);
    }

    fn apply_signed(&self, scale: f64, sign: f64, x: &[f64], out: &mut [f64]) {
        let n = x.len();
        let w = &self.w[..n];
        let tail = tail_dot(w, x);
        let along = sign * x[0] + tail / (1.0 + w[0]);
        out[0] = scale * (w[0] * x[0] + sign * tail);
        for i in 1..n {
            out[i] = scale * (x[i] + along * w[i]);
        }
    }

    /// Entries of W⁻¹, row-major `n × n`.
    pub fn inverse_matrix(&self, n: usize, out: &mut [f64]) {
        self.matrix_signed(1.0 / self.eta, -1.0, n, out);
    }

    /// Entries of WᵀW = η²(2w̄w̄ᵀ − J), row-major `n × n`.
    pub fn square_matrix(&self, n: usize, out: &mut [f64]) {
        let scale = self.eta * self.eta;
        for i in 0..n {
            for j in 0..n {
                let reflection = if i != j {
                    0.0
                } else if i == 0 {
                    1.0
                } else {
                    -1.0
                };
                out[i * n + j] = scale * (2.0 * self.w[i] * self.w[j] - reflection);
            }
        }
    }

    fn matrix_signed(&self, scale: f64, sign: f64, n: usize, out: &mut [f64]) {
        out[0] = scale * self.w[0];
        for i in 1..n {
            out[i] = scale * sign * self.w[i];
            out[i * n] = out[i];
            for j in 1..n {
                let identity = f64::from(u8::from(i == j));
                out[i * n + j] = scale * (identity + self.w[i] * self.w[j] / (1.0 + self.w[0]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A point strictly inside L, from nearly on the boundary to central.
    fn inside() -> impl Strategy<Value = [f64; 3]> {
        (-2.0f64..2.0, -2.0f64..2.0, 1e-4f64..3.0).prop_map(|(a, b, m)| [a.hypot(b) + m, a, b])
    }
    fn any() -> impl Strategy<Value = [f64; 3]> {
        [-2.0f64..2.0, -2.0f64..2.0, -2.0f64..2.0]
    }

    proptest! {
        #[test]
        fn product_and_quotient_cancel(a in inside(), b in any()) {
            let (mut x, mut back) = ([0.0; 3], [0.0; 3]);
            divide(&a, &b, &mut x);
            product(&a, &x, &mut back);
            let size = x.iter().fold(1.0f64, |m, x| m.max(x.abs())) * a[0];
            prop_assert!((0..3).all(|i| (back[i] - b[i]).abs() < 1e-12 * size), "{back:?} {b:?}");
        }

        #[test]
        fn scaling_maps_both_points_to_the_same(y in inside(), l in inside()) {
            let w = Scaling::new(&y, &l).unwrap();
            let (mut from_y, mut from_l, mut back) = ([0.0; 3], [0.0; 3], [0.0; 3]);
            w.apply_inverse(&y, &mut from_y);
            w.apply(&l, &mut from_l);
            let size = from_y[0].max(from_l[0]);
            prop_assert!((0..3).all(|i| (from_y[i] - from_l[i]).abs() < 1e-7 * size), "{from_y:?} {from_l:?}");
            w.apply(&from_y, &mut back);
            prop_assert!((0..3).all(|i| (back[i] - y[i]).abs() < 1e-7 * y[0]));
            // The explicit matrices are those operations.
            let (mut square, mut inverse) = ([0.0; 9], [0.0; 9]);
            w.square_matrix(3, &mut square);
            w.inverse_matrix(3, &mut inverse);
            let (mut once, mut twice) = ([0.0; 3], [0.0; 3]);
            w.apply(&l, &mut once);
            w.apply(&once, &mut twice);
            let largest = square.iter().fold(0.0f64, |m, s| m.max(s.abs()));
            for i in 0..3 {
                let by_matrix: f64 = (0..3).map(|j| square[3 * i + j] * l[j]).sum();
                prop_assert!((by_matrix - twice[i]).abs() < 1e-13 * largest * l[0]);
                let by_matrix: f64 = (0..3).map(|j| inverse[3 * i + j] * y[j]).sum();
                prop_assert!((by_matrix - from_y[i]).abs() < 1e-12 * inverse[0] * y[0]);
            }
        }

        #[test]
        fn the_step_ends_on_the_boundary(z in inside(), d in any()) {
            let step = step_to_boundary(&z, &d);
            let at = |alpha: f64| -> [f64; 3] { std::array::from_fn(|i| z[i] + alpha * d[i]) };
            if step.is_finite() {
                prop_assert!(margin(&at(step)).abs() < 1e-9 * (1.0 + step), "{step} {}", margin(&at(step)));
                prop_assert!(margin(&at(0.999 * step)) > 0.0 || margin(&z) < 1e-12);
            } else {
                prop_assert!(margin(&at(1e6)) > 0.0);
            }
        }
    }

    #[test]
    fn one_dimension_is_the_half_line() {
        assert_eq!(step_to_boundary(&[2.0], &[-4.0]), 0.5);
        assert_eq!(step_to_boundary(&[2.0], &[4.0]), f64::INFINITY);
        let w = Scaling::new(&[8.0], &[2.0]).unwrap();
        let mut out = [0.0];
        w.apply(&[2.0], &mut out);
        assert_eq!(out, [4.0]);
        w.apply_inverse(&[8.0], &mut out);
        assert_eq!(out, [4.0]);
        assert!(Scaling::new(&[0.0], &[1.0]).is_none());
    }
}

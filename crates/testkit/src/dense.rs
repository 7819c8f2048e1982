//! A second method for small problems: projected Gauss-Seidel on the dense dual, slow, simple and independent.

/// What the force of a block may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum DenseContact {
    /// Any value: bilateral rows.
    Free,
    /// Each row ≥ 0.
    Unilateral,
    /// ‖tangents‖ ≤ μ normal.
    Friction(f64),
    /// Five rows: ‖tangents‖ ≤ μ normal and ‖rolling‖ ≤ μ_r normal.
    Rolling(f64, f64),
}

/// min ½gᵀNg + rᵀg over the blocks' sets.
#[derive(Clone, Debug, Default)]
pub struct DenseProblem {
    /// N, symmetric positive semi-definite.
    pub n: Vec<Vec<f64>>,
    /// r.
    pub r: Vec<f64>,
    /// Blocks in row order with their number of rows.
    pub blocks: Vec<(DenseContact, usize)>,
}

impl DenseProblem {
    /// N = J H⁻¹ Jᵀ + diag(e), r = −J H⁻¹ c − b, for dense H and J.
    #[must_use]
    pub fn from_velocity_form(
        h: &[Vec<f64>],
        c: &[f64],
        j: &[Vec<f64>],
        b: &[f64],
        e: &[f64],
        blocks: Vec<(DenseContact, usize)>,
    ) -> Self {
        let moved: Vec<Vec<f64>> = j.iter().map(|row| solve(h, row)).collect();
        let free = solve(h, c);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let n = (0..j.len())
            .map(|i| (0..j.len()).map(|k| dot(&j[i], &moved[k]) + if i == k { e[i] } else { 0.0 }).collect())
            .collect();
        let r = (0..j.len()).map(|i| -dot(&j[i], &free) - b[i]).collect();
        Self { n, r, blocks }
    }

    /// y = N g + r.
    #[must_use]
    pub fn relative_velocity(&self, g: &[f64]) -> Vec<f64> {
        self.n.iter().zip(&self.r).map(|(row, r)| r + row.iter().zip(g).map(|(n, g)| n * g).sum::<f64>()).collect()
    }

    /// Projected block Gauss-Seidel, `sweeps` times from zero. Relative velocities converge; impulses need not.
    #[must_use]
    pub fn gauss_seidel(&self, sweeps: usize) -> Vec<f64> {
        let mut g = vec![0.0; self.r.len()];
        for _ in 0..sweeps {
            let mut first = 0;
            for &(contact, rows) in &self.blocks {
                // The largest eigenvalue of the block is at most its trace: a safe step.
                let trace: f64 = (first..first + rows).map(|i| self.n[i][i]).sum();
                let y: Vec<f64> = (first..first + rows)
                    .map(|i| self.r[i] + self.n[i].iter().zip(&g).map(|(n, g)| n * g).sum::<f64>())
                    .collect();
                if trace > 0.0 {
                    (0..rows).for_each(|i| g[first + i] -= y[i] / trace);
                    project(contact, &mut g[first..first + rows]);
                }
                first += rows;
            }
        }
        g
    }
}

fn project(contact: DenseContact, g: &mut [f64]) {
    match contact {
        DenseContact::Free => {}
        DenseContact::Unilateral => g.iter_mut().for_each(|g| *g = g.max(0.0)),
        DenseContact::Friction(mu) => {
            // Distance along the two rays of the plane through the axis and the tangent.
            let tangent = g[1..].iter().map(|t| t * t).sum::<f64>().sqrt();
            let along = (g[0] + mu * tangent) / (1.0 + mu * mu);
            if tangent <= mu * g[0] {
            } else if along <= 0.0 {
                g.fill(0.0);
            } else {
                g[0] = along;
                g[1..].iter_mut().for_each(|t| *t *= mu * along / tangent);
            }
        }
        DenseContact::Rolling(mu, mu_r) => {
            let (t, r) = (g[1].hypot(g[2]), g[3].hypot(g[4]));
            let normal = bisected_normal(mu, mu_r, g[0], t, r);
            g[0] = normal;
            let cut = |length: f64, limit: f64| if length > limit { limit / length } else { 1.0 };
            let (cut_t, cut_r) = (cut(t, mu * normal), cut(r, mu_r * normal));
            g[1..3].iter_mut().for_each(|x| *x *= cut_t);
            g[3..].iter_mut().for_each(|x| *x *= cut_r);
        }
    }
}

/// The normal component x ≥ 0 of the nearest point: where the slope of its squared distance changes sign, by bisection.
fn bisected_normal(mu: f64, mu_r: f64, n: f64, t: f64, r: f64) -> f64 {
    let slope = |x: f64| (x - n) - mu * (t - mu * x).max(0.0) - mu_r * (r - mu_r * x).max(0.0);
    let mut low = n.max(0.0);
    if slope(low) >= 0.0 {
        return low;
    }
    // The slope grows at least as fast as x.
    let mut high = low - slope(low);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Gaussian elimination with partial pivoting.
fn solve(matrix: &[Vec<f64>], rhs: &[f64]) -> Vec<f64> {
    let n = rhs.len();
    let mut a: Vec<Vec<f64>> =
        matrix.iter().zip(rhs).map(|(row, b)| row.iter().copied().chain([*b]).collect()).collect();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap_or(k);
        a.swap(k, pivot);
        for i in k + 1..n {
            let factor = a[i][k] / a[k][k];
            for j in k..=n {
                a[i][j] -= factor * a[k][j];
            }
        }
    }
    let mut x = vec![0.0; n];
    for k in (0..n).rev() {
        x[k] = (a[k][n] - (k + 1..n).map(|j| a[k][j] * x[j]).sum::<f64>()) / a[k][k];
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_on_a_slope_slides_as_the_closed_form_says() {
        let (mu, slope) = (0.3f64, 30f64.to_radians());
        let unit = |i: usize| (0..3).map(|j| f64::from(u8::from(i == j))).collect::<Vec<f64>>();
        let identity: Vec<Vec<f64>> = (0..3).map(unit).collect();
        let c = [slope.cos(), -slope.sin(), 0.0];
        let problem = DenseProblem::from_velocity_form(
            &identity,
            &c,
            &identity,
            &[0.0; 3],
            &[0.0; 3],
            vec![(DenseContact::Friction(mu), 3)],
        );
        let y = problem.relative_velocity(&problem.gauss_seidel(500));
        let slide = (slope.sin() - mu * slope.cos()) / (1.0 + mu * mu);
        assert!((y[1] - slide).abs() < 1e-12 && (y[0] - mu * slide).abs() < 1e-12, "{y:?}");
    }

    /// Dykstra's alternating projections between the two cones converge to the nearest point of their intersection.
    fn dykstra(mu: f64, mu_r: f64, z: [f64; 5]) -> [f64; 5] {
        let mut x = z;
        let mut corrections = [[0.0; 5]; 2];
        for round in 0..200_000 {
            let (correction, rows, coefficient) = match round % 2 {
                0 => (&mut corrections[0], [0, 1, 2], mu),
                _ => (&mut corrections[1], [0, 3, 4], mu_r),
            };
            let start: [f64; 5] = std::array::from_fn(|i| x[i] + correction[i]);
            let mut part = rows.map(|row| start[row]);
            project(DenseContact::Friction(coefficient), &mut part);
            x = start;
            rows.iter().zip(part).for_each(|(&row, value)| x[row] = value);
            (0..5).for_each(|i| correction[i] = start[i] - x[i]);
        }
        x
    }

    #[test]
    fn the_rolling_projection_is_what_alternating_projections_find() {
        let mut state = 1_u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..60 {
            let (mu, mu_r) = (0.1 + random(), 0.1 + random());
            let z: [f64; 5] = std::array::from_fn(|_| 4.0 * random() - 2.0);
            let mut found = z;
            project(DenseContact::Rolling(mu, mu_r), &mut found);
            let expected = dykstra(mu, mu_r, z);
            let apart = found.iter().zip(expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(apart < 1e-5, "{mu} {mu_r} {z:?}: {found:?} {expected:?}");
        }
    }
}

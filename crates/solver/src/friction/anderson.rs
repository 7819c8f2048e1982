//! Anderson's acceleration of a fixed point z = F(z) [Anderson1965].
//!
//! With f = F(z) − z and the last m differences Δz, Δf as columns of Z and D, the next point is
//!
//! ```text
//! z⁺ = z + f − (Z + D) γ,     γ minimises ‖f − D γ‖
//! ```
//!
//! which is the step of a quasi-Newton method that fits F on the points seen. A few slow modes, typical of friction in piles
//! (97 % of the error left after each plain step), are gone after as many steps.

/// Differences remembered.
const MEMORY: usize = 8;
/// Columns of D this close to dependent, relative to the largest, are dropped by the regularisation of the normal equations.
const REGULARISATION: f64 = 1e-12;

/// The points seen, in memory that is kept from solve to solve.
#[derive(Default)]
pub(super) struct Anderson {
    /// z and f of the last point, if there was one.
    last: [Vec<f64>; 2],
    has_last: bool,
    /// (Δz, Δf), oldest first; the first `count` are in use.
    differences: Vec<[Vec<f64>; 2]>,
    count: usize,
    f: Vec<f64>,
}

impl Anderson {
    /// Forgets everything.
    pub(super) fn restart(&mut self) {
        self.has_last = false;
        self.count = 0;
    }

    /// Replaces z by the next point, given F(z).
    pub(super) fn advance(&mut self, z: &mut [f64], image: &[f64]) {
        self.f.clear();
        self.f.extend(image.iter().zip(&*z).map(|(image, z)| image - z));
        if self.has_last {
            self.remember(z);
        }
        let [last_z, last_f] = &mut self.last;
        for (kept, now) in [(last_z, &*z), (last_f, &self.f)] {
            kept.clear();
            kept.extend_from_slice(now);
        }
        self.has_last = true;
        let gamma = self.coefficients();
        for (row, z) in z.iter_mut().enumerate() {
            let seen = self.differences[..self.count].iter().zip(&gamma);
            let fitted: f64 = seen.map(|([dz, df], g)| g * (dz[row] + df[row])).sum();
            *z += self.f[row] - fitted;
        }
    }

    /// Takes note of the step from the last point to this one; the oldest step makes room.
    fn remember(&mut self, z: &[f64]) {
        if self.count == MEMORY {
            self.differences.rotate_left(1);
        } else {
            self.count += 1;
            if self.differences.len() < self.count {
                self.differences.push(Default::default());
            }
        }
        let [dz, df] = &mut self.differences[self.count - 1];
        let [last_z, last_f] = &self.last;
        for (difference, now, last) in [(dz, z, last_z), (df, &self.f, last_f)] {
            difference.clear();
            difference.extend(now.iter().zip(last).map(|(now, last)| now - last));
        }
    }

    /// γ by the normal equations, columns scaled to length 1; Gaussian elimination without pivoting (definite).
    fn coefficients(&self) -> [f64; MEMORY] {
        let m = self.count;
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let df = |i: usize| &self.differences[i][1];
        let (mut scale, mut gamma) = ([0.0; MEMORY], [0.0; MEMORY]);
        (0..m).for_each(|i| scale[i] = 1.0 / dot(df(i), df(i)).sqrt().max(f64::MIN_POSITIVE));
        let mut a = [[0.0; MEMORY + 1]; MEMORY];
        for i in 0..m {
            for j in 0..m {
                a[i][j] = scale[i] * scale[j] * dot(df(i), df(j));
            }
            a[i][i] += REGULARISATION;
            a[i][m] = scale[i] * dot(df(i), &self.f);
        }
        for column in 0..m {
            let pivot = a[column];
            for row in column + 1..m {
                let factor = a[row][column] / pivot[column];
                a[row].iter_mut().zip(&pivot).take(m + 1).skip(column).for_each(|(x, p)| *x -= factor * p);
            }
        }
        for row in (0..m).rev() {
            let sum: f64 = (row + 1..m).map(|j| a[row][j] * gamma[j]).sum();
            gamma[row] = (a[row][m] - sum) / a[row][row];
        }
        if gamma[..m].iter().all(|g| g.is_finite()) {
            (0..m).for_each(|i| gamma[i] *= scale[i]);
        } else {
            gamma = [0.0; MEMORY];
        }
        gamma
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A linear fixed point with modes 0.99, −0.9 and 0.5 in 40 dimensions ends after as many steps as it has modes.
    #[test]
    fn slow_modes_are_gone_after_as_many_steps() {
        let modes = [0.99, -0.9, 0.5];
        let image = |z: &[f64]| -> Vec<f64> {
            z.iter().enumerate().map(|(i, z)| 1.0 + i as f64 + modes[i % 3] * (z - 1.0 - i as f64)).collect()
        };
        let mut z = vec![0.0; 40];
        let mut anderson = Anderson::default();
        for _ in 0..6 {
            let f = image(&z);
            anderson.advance(&mut z, &f);
        }
        let error = z.iter().enumerate().map(|(i, z)| (z - 1.0 - i as f64).abs()).fold(0.0, f64::max);
        assert!(error < 1e-6, "{error}");
        anderson.restart();
        let mut plain = vec![0.0; 40];
        (0..6).for_each(|_| plain = image(&plain));
        assert!((plain[0] - 1.0).abs() > 0.9);
    }
}

//! Small random problems made around their own solution.

use super::Generator;
use crate::{Cone, ConeProblem, ProblemError};

/// Mixed cones, dense mass blocks, compliance and repeated rows, by seed.
///
/// A velocity v and for every block a complementary pair (λ, y) are chosen first (open, closed, sliding); then
/// c = Jᵀλ − H v and b = J v + E λ − y make them the solution. H ≻ 0, so v is the only velocity that solves it.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomProblem {
    /// Number of bodies, at least 1; each has 1 to 6 velocities.
    pub bodies: usize,
    /// Number of blocks.
    pub blocks: usize,
    /// Share of the blocks that repeat an earlier one.
    pub redundancy: f64,
    /// Share of the blocks that have compliance.
    pub softness: f64,
    /// Share of the blocks that resist rolling.
    pub rolling: f64,
    /// Chooses the numbers.
    pub seed: u64,
}

impl Default for RandomProblem {
    fn default() -> Self {
        Self { bodies: 4, blocks: 8, redundancy: 0.2, softness: 0.2, rolling: 0.0, seed: 1 }
    }
}

/// A problem and its solution. The velocity is unique, the impulses need not be.
#[derive(Clone, Debug, PartialEq)]
pub struct SolvedProblem {
    /// The problem.
    pub problem: ConeProblem,
    /// Its velocity.
    pub velocity: Vec<f64>,
    /// Impulses that go with it.
    pub impulse: Vec<f64>,
}

#[derive(Clone)]
struct Block {
    cone: Cone,
    rows: Vec<Vec<(usize, f64)>>,
    impulse: Vec<f64>,
    relative_velocity: Vec<f64>,
}

impl RandomProblem {
    /// Makes the problem.
    ///
    /// # Errors
    /// Never for positive sizes.
    pub fn generate(&self) -> Result<SolvedProblem, ProblemError> {
        let mut generator = Generator::new(self.seed);
        let mut builder = ConeProblem::builder();
        let mut start = vec![0];
        let mut momentum = Vec::new();
        let mut velocity = Vec::new();
        for body in 0..self.bodies {
            let n = 1 + generator.below(6);
            let mass = random_mass(&mut generator, n);
            let v: Vec<f64> = (0..n).map(|_| generator.uniform(-1.0, 1.0)).collect();
            momentum.extend(mass.chunks(n).map(|row| row.iter().zip(&v).map(|(h, v)| h * v).sum::<f64>()));
            builder.dense_body(n, &mass);
            velocity.extend(v);
            start.push(start[body] + n);
        }
        let mut c: Vec<f64> = momentum.iter().map(|p| -p).collect();
        let mut impulse = Vec::new();
        let mut blocks: Vec<Block> = Vec::new();
        for _ in 0..self.blocks {
            let repeat = !blocks.is_empty() && generator.uniform(0.0, 1.0) < self.redundancy;
            let block = match repeat {
                // The same rows and velocity; a multiple ≥ 0 of the impulse is complementary too.
                true => {
                    let mut block = blocks[generator.below(blocks.len())].clone();
                    let share = generator.uniform(0.1, 2.0);
                    block.impulse.iter_mut().for_each(|g| *g *= share);
                    block
                }
                false => random_block(&mut generator, &start, self.rolling),
            };
            let e = if generator.uniform(0.0, 1.0) < self.softness { generator.uniform(0.01, 1.0) } else { 0.0 };
            let mut b = Vec::new();
            for (r, row) in block.rows.iter().enumerate() {
                let speed: f64 = row.iter().map(|&(column, value)| value * velocity[column]).sum();
                b.push(speed + e * block.impulse[r] - block.relative_velocity[r]);
                row.iter().for_each(|&(column, value)| c[column] += value * block.impulse[r]);
            }
            let rows: Vec<&[(usize, f64)]> = block.rows.iter().map(Vec::as_slice).collect();
            builder.rows(block.cone, &rows, &b).compliance(e);
            impulse.extend(&block.impulse);
            blocks.push(block);
        }
        let problem = builder.linear(&c).build()?;
        Ok(SolvedProblem { problem, velocity, impulse })
    }
}

/// AAᵀ + I/2 of a random A: positive definite, moderately conditioned.
fn random_mass(generator: &mut Generator, n: usize) -> Vec<f64> {
    let a: Vec<f64> = (0..n * n).map(|_| generator.uniform(-1.0, 1.0)).collect();
    let entry = |i: usize, j: usize| (0..n).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
    (0..n * n).map(|e| entry(e / n, e % n) + if e / n == e % n { 0.5 } else { 0.0 }).collect()
}

/// Rows over one or two bodies, and a complementary pair of a random kind.
fn random_block(generator: &mut Generator, start: &[usize], rolling: f64) -> Block {
    let bodies = start.len() - 1;
    let (first, second) = (generator.below(bodies), generator.below(bodies));
    let mut columns: Vec<usize> = (start[first]..start[first + 1]).collect();
    if second != first {
        columns.extend(start[second]..start[second + 1]);
    }
    // No number is drawn for rolling where there is none: the problems of a seed stay what they are.
    let rolls = rolling > 0.0 && generator.uniform(0.0, 1.0) < rolling;
    let (cone, count) = match generator.below(4) {
        _ if rolls => (Cone::Rolling { mu: generator.uniform(0.05, 1.5), mu_r: generator.uniform(0.02, 1.0) }, 5),
        0 => (Cone::Free, 1 + generator.below(3)),
        1 => (Cone::NonNegative, 1 + generator.below(2)),
        2 => (Cone::Friction { mu: generator.uniform(0.05, 1.5) }, 2),
        _ => (Cone::Friction { mu: generator.uniform(0.05, 1.5) }, 3),
    };
    let rows =
        (0..count).map(|_| columns.iter().map(|&column| (column, generator.uniform(-1.0, 1.0))).collect()).collect();
    let (impulse, relative_velocity) = complementary_pair(generator, cone, count);
    Block { cone, rows, impulse, relative_velocity }
}

/// λ ∈ K, y ∈ K*, λ·y = 0.
fn complementary_pair(generator: &mut Generator, cone: Cone, count: usize) -> (Vec<f64>, Vec<f64>) {
    match cone {
        Cone::Free => ((0..count).map(|_| generator.uniform(-1.0, 1.0)).collect(), vec![0.0; count]),
        Cone::NonNegative => (0..count)
            .map(|_| match generator.below(2) {
                0 => (generator.uniform(0.1, 1.0), 0.0),
                _ => (0.0, generator.uniform(0.1, 1.0)),
            })
            .unzip(),
        Cone::Friction { mu } => {
            let angle = generator.uniform(0.0, std::f64::consts::TAU);
            // A unit tangent: ±1 in the plane.
            let tangent = match count {
                2 => vec![1.0f64.copysign(angle.cos())],
                _ => vec![angle.cos(), angle.sin()],
            };
            let along = |normal: f64, t: f64| -> Vec<f64> {
                std::iter::once(normal).chain(tangent.iter().map(|x| t * x)).collect()
            };
            let (size, share) = (generator.uniform(0.1, 1.0), generator.uniform(0.0, 0.9));
            match generator.below(3) {
                // Open: y inside K*. Sticking: λ inside K. Sliding: λ on the edge of K, y opposite on that of K*.
                0 => (vec![0.0; count], along(size, share * size / mu)),
                1 => (along(size, share * mu * size), vec![0.0; count]),
                _ => {
                    let speed = generator.uniform(0.1, 1.0);
                    (along(size, mu * size), along(mu * speed, -speed))
                }
            }
        }
        Cone::Rolling { mu, mu_r } => {
            let mut direction = || {
                let angle = generator.uniform(0.0, std::f64::consts::TAU);
                [angle.cos(), angle.sin()]
            };
            let (a, b) = (direction(), direction());
            let five = |n: f64, t: f64, r: f64| vec![n, t * a[0], t * a[1], r * b[0], r * b[1]];
            let size = generator.uniform(0.1, 1.0);
            let [t, r] = [generator.uniform(0.0, 0.9), generator.uniform(0.0, 0.9)];
            let [slide, roll] = [generator.uniform(0.1, 1.0), generator.uniform(0.1, 1.0)];
            match generator.below(5) {
                // Open, at rest, sliding, rolling, both.
                0 => (vec![0.0; count], five(size, 0.5 * t * size / mu, 0.5 * r * size / mu_r)),
                1 => (five(size, t * mu * size, r * mu_r * size), vec![0.0; count]),
                2 => (five(size, mu * size, r * mu_r * size), five(mu * slide, -slide, 0.0)),
                3 => (five(size, t * mu * size, mu_r * size), five(mu_r * roll, 0.0, -roll)),
                _ => (five(size, mu * size, mu_r * size), five(mu * slide + mu_r * roll, -slide, -roll)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{InteriorPoint, ResidualMeter, SolverSettings, Tolerance, solve};

    #[test]
    fn the_pair_a_problem_is_made_of_solves_it() {
        for seed in 0..200 {
            let made = RandomProblem { seed, rolling: 0.5, ..Default::default() }.generate().unwrap();
            let residuals =
                ResidualMeter::new(&made.problem).unwrap().measure(&made.problem, &made.velocity, &made.impulse);
            assert!(residuals.natural_map_relative < 1e-13, "seed {seed}: {residuals:?}");
        }
    }

    #[test]
    fn the_solver_finds_the_velocity_the_problem_was_made_of() {
        let mut misses = Vec::new();
        for seed in 0..200 {
            let rolling = if seed % 2 == 0 { 0.0 } else { 0.5 };
            let made = RandomProblem { seed, rolling, ..Default::default() }.generate().unwrap();
            let settings = SolverSettings::from(InteriorPoint::default()).to(Tolerance::Relative(1e-10));
            let solution = solve(&made.problem, &settings).unwrap();
            let error = solution.velocity().iter().zip(&made.velocity).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // The residual bounds the velocity error up to the conditioning of the rows, here below 1e4.
            if error.is_nan() || error >= 1e-6 {
                misses.push((seed, error, solution.report.residuals.natural_map_relative, solution.report.status));
            }
        }
        assert!(misses.is_empty(), "{} of 200: {misses:?}", misses.len());
    }
}

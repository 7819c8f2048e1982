//! The metric W in which a block steps and is projected: diagonal, W ≽ N_kk.

use crate::cone::Cone;
use crate::dual::{BlockMatrix, DualProblem, MAX_ROWS};
use crate::problem::Gram;
use signorini_linalg::Halves;

/// The metric W of one block. Rows are of three kinds: normal (and all rows of blocks of one row), tangential, rolling.
#[derive(Clone)]
pub(super) struct Metric {
    /// w of the normal row.
    pub(super) weight: f64,
    /// 1/w of each kind.
    pub(super) step: [f64; 3],
    /// √(w/w_n) of each kind, and its inverse.
    pub(super) stretch: [f64; 3],
    pub(super) shrink: [f64; 3],
    /// The cone of stretched impulses.
    pub(super) cone: Cone,
}

/// Which kind a row of a block is of.
pub(super) const KIND: [usize; MAX_ROWS] = [0, 1, 1, 2, 2];

impl Metric {
    /// That of no block yet.
    const NONE: Self = Self { weight: 1.0, step: [1.0; 3], stretch: [1.0; 3], shrink: [1.0; 3], cone: Cone::Free };

    /// The metric of a contact of three rows with this N_kk: [`Metric::new`] written out.
    fn of_contact(omega: f64, mu: f64, n: &Gram, softness: f64) -> Self {
        let [normal, tangent_1, tangent_2, coupling_1, coupling_2, between] = *n;
        let w = [normal, 0.5 * (tangent_1 + tangent_2)].map(|w| w.max(LEAST_WEIGHT * softness));
        let [root_n, root_t] = w.map(|w| w.sqrt().recip());
        let [coupling_1, coupling_2, between] = [coupling_1, coupling_2, between].map(f64::abs);
        let rows = [
            root_n * (normal * root_n + coupling_1 * root_t + coupling_2 * root_t),
            root_t * (coupling_1 * root_n + tangent_1 * root_t + between * root_t),
            root_t * (coupling_2 * root_n + between * root_t + tangent_2 * root_t),
        ];
        let bound = rows.into_iter().fold(1.0, f64::max) / omega;
        let [weight, tangential] = w.map(|w| w * bound);
        let stretch = (tangential / weight).sqrt();
        Self {
            weight,
            step: [weight.recip(), tangential.recip(), 1.0],
            stretch: [1.0, stretch, 1.0],
            shrink: [1.0, stretch.recip(), 1.0],
            cone: Cone::Friction { mu: mu * stretch },
        }
    }

    /// The metric of a block with N_kk = `n`, row-major; `softness` is its mean diagonal, above 0.
    fn new(omega: f64, cone: Cone, d: usize, n: &[f64], softness: f64) -> Self {
        let (mut sum, mut count) = ([0.0; 3], [0.0; 3]);
        for i in 0..d {
            sum[KIND[i]] += n[i * d + i];
            count[KIND[i]] += 1.0;
        }
        // A kind that moves nothing, or nothing to speak of, may have any weight.
        let w = std::array::from_fn::<_, 3, _>(|kind| {
            (sum[kind] / f64::max(count[kind], 1.0)).max(LEAST_WEIGHT * softness)
        });
        // W ≽ N: λ_max(W^-½ N W^-½) is at most the largest sum of a row.
        let root = w.map(|w| w.sqrt().recip());
        let row = |i: usize| root[KIND[i]] * (0..d).map(|j| n[i * d + j].abs() * root[KIND[j]]).sum::<f64>();
        let bound = (0..d).map(row).fold(1.0, f64::max) / omega;
        let w = w.map(|w| w * bound);
        let stretch = w.map(|weight| (weight / w[0]).sqrt());
        let cone = match cone {
            Cone::Friction { mu } => Cone::Friction { mu: mu * stretch[1] },
            Cone::Rolling { mu, mu_r } => Cone::Rolling { mu: mu * stretch[1], mu_r: mu_r * stretch[2] },
            other => other,
        };
        Self { weight: w[0], step: w.map(f64::recip), stretch, shrink: stretch.map(f64::recip), cone }
    }
}

impl Metric {
    /// Whether Π(z) = 0 for a friction cone: μ‖t‖ ≤ −n.
    #[inline(always)]
    pub(super) fn is_polar<const D: usize>(&self, z: &[f64; D]) -> bool {
        match self.cone {
            Cone::Friction { mu } => {
                let squared: f64 = (1..D).map(|i| z[i] * z[i]).sum();
                z[0] < 0.0 && mu * mu * squared <= z[0] * z[0]
            }
            _ => false,
        }
    }
}

/// A weight is no less than this share of the block's mean diagonal.
const LEAST_WEIGHT: f64 = 1e-6;

/// The metrics of all blocks.
#[derive(Default)]
pub(super) struct Metrics {
    /// Block by block.
    pub(super) list: Vec<Metric>,
}

/// Blocks one task works on: some 50 µs.
const BLOCKS: usize = 512;

impl Metrics {
    /// Takes over N_kk of a dual problem, whose N is in `matrix` unless H⁻¹ is local.
    pub(super) fn update(&mut self, omega: f64, dual: &DualProblem, matrix: &BlockMatrix) {
        let local = dual.is_local();
        self.list.resize(dual.blocks(), Metric::NONE);
        Halves::new(BLOCKS, dual.threads()).each(&mut self.list, &|k, metric| {
            let softness = dual.softness()[k];
            if let (Some(n), Cone::Friction { mu }) = (dual.gram(k), dual.cone(k)) {
                *metric = Metric::of_contact(omega, mu, n, softness);
                return;
            }
            let d = dual.rows_of(k).len();
            let mut own = [0.0; MAX_ROWS * MAX_ROWS];
            let n = if local {
                dual.diagonal_block(k, &mut own[..d * d]);
                &own[..d * d]
            } else {
                matrix.diagonal(k)
            };
            *metric = Metric::new(omega, dual.cone(k), d, n, softness);
        });
    }
}

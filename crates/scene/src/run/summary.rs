//! What all steps of a run say together.

use super::{Manifest, StepRow};
use serde::{Deserialize, Serialize};
use signorini_mechanics::{Broken, Energy, Promise, Work};

/// What all steps of a run say together. Made from rows of steps.csv, so that a resumed run goes on counting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Steps taken.
    pub steps: u64,
    /// Time reached \[s\].
    pub time_end: f64,
    /// Seconds it took, file writing included.
    pub wall_seconds: f64,
    /// The same divided by steps.
    pub wall_seconds_per_step: f64,
    /// Bodies, the fixed ones included.
    pub bodies: usize,
    /// Flexible bodies; all 0 without any.
    #[serde(default)]
    pub flexible: FlexibleCounts,
    /// Contacts in the problems.
    pub contacts: Contacts,
    /// How the problems were solved.
    pub solver: Solver,
    /// Sub-steps of smooth steppers.
    pub substeps: Substeps,
    /// With extrapolation, the error of positions since the start that was estimated and removed \[m, rad\].
    pub error_estimate: Option<[f64; 2]>,
    /// Deepest overlap after any step \[m\].
    pub penetration_max: f64,
    /// Worst violation of a joint, rope, limit or link after any step \[m\].
    pub joint_violation_max: f64,
    /// Worst violation of a joint, limit or link after any step \[rad\].
    pub joint_angle_violation_max: f64,
    /// Energy at the end.
    pub energy: EnergyRecord,
    /// Promises that steps broke, by kind; empty if all were kept.
    #[serde(default)]
    pub broken: Vec<BrokenSteps>,
    /// Hash of all numbers of the last state, 16 hexadecimal digits.
    pub state_hash: String,
    /// Seconds spent in the parts of all steps.
    pub seconds: Parts,
}

/// A promise that steps of a run broke.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BrokenSteps {
    /// What was promised.
    pub promise: Promise,
    /// How many steps broke it.
    pub steps: u64,
    /// The first of them; 0 in what earlier programs wrote.
    #[serde(default)]
    pub first_step: u64,
    /// The worst of them, compared with what was allowed.
    pub worst: Broken,
    /// When that was \[s\].
    pub at: f64,
}

/// Flexible bodies of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlexibleCounts {
    /// How many.
    pub bodies: usize,
    /// Nodes of all.
    pub nodes: usize,
    /// Elements of all.
    pub elements: usize,
}

impl FlexibleCounts {
    /// Those of a run.
    #[must_use]
    pub fn of(manifest: &Manifest) -> Self {
        let elements = manifest.flexible.iter().map(|body| body.elements).sum();
        Self { bodies: manifest.flexible.len(), nodes: manifest.nodes(), elements }
    }
}

/// Contacts in the problems of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Contacts {
    /// Mean over steps.
    pub mean: f64,
    /// Most in a step.
    pub max: usize,
    /// Sum over steps.
    #[serde(skip)]
    sum: u64,
}

/// Sub-steps of all steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Substeps {
    /// How many were taken.
    pub taken: u64,
    /// How often a step or sub-step was taken again.
    pub repeated: u64,
    /// The shortest \[s\].
    pub shortest: f64,
}

/// How the problems of a run were solved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Solver {
    /// The method asked for; `newton` and `explicit` for smooth steppers.
    pub name: String,
    /// Mean over steps.
    pub iterations_mean: f64,
    /// Most in a step.
    pub iterations_max: u32,
    /// Steps that kept every promise.
    pub steps_converged: u64,
    /// Largest natural map of any step \[m/s\].
    pub residual_worst: f64,
    /// Largest residual divided by tolerance of any step.
    pub tolerance_ratio_worst: f64,
    /// When that was \[s\].
    pub tolerance_ratio_worst_at: f64,
    /// Sum over steps.
    #[serde(skip)]
    iterations_sum: u64,
}

/// Energy \[J\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergyRecord {
    /// Of motion.
    pub kinetic: f64,
    /// Of position.
    pub potential: f64,
    /// Of flexible bodies.
    #[serde(default)]
    pub elastic: f64,
    /// All.
    pub total: f64,
    /// All, before the first step.
    pub start: f64,
    /// The least and the largest, before the first step and after all steps.
    pub range: [f64; 2],
    /// Where it went in all steps; none where steps do not say.
    #[serde(default)]
    pub work: Option<WorkRecord>,
}

/// Work of all steps \[J\]: what the energy at the start changed by to be that at the end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkRecord {
    /// The sums over all steps.
    #[serde(flatten)]
    pub sum: Work,
    /// The most that the method itself has put in in one step; 0 where it never did.
    pub numerical_most: f64,
}

impl WorkRecord {
    fn add(&mut self, work: &Work) {
        self.sum = self.sum + *work;
        self.numerical_most = self.numerical_most.max(work.numerical);
    }
}

/// Seconds spent in the parts of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parts {
    /// Finding contacts.
    pub collision: f64,
    /// Building problems.
    pub assembly: f64,
    /// Solving them.
    pub solve: f64,
}

impl Parts {
    /// All parts.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.collision + self.assembly + self.solve
    }
}

impl Summary {
    /// Nothing has happened yet: the run has the energy it starts with.
    #[must_use]
    pub fn start(manifest: &Manifest, energy: &Energy) -> Self {
        let (bodies, flexible) = (manifest.bodies.len(), FlexibleCounts::of(manifest));
        let solver = manifest.settings.solver_name();
        let solver = Solver { name: solver.to_owned(), ..Solver::default() };
        let total = energy.total();
        let Energy { kinetic, potential, elastic } = *energy;
        let energy = EnergyRecord { kinetic, potential, elastic, total, start: total, range: [total; 2], work: None };
        Self { bodies, flexible, solver, energy, ..Self::default() }
    }

    /// Steps that broke a promise.
    #[must_use]
    pub fn steps_missed(&self) -> u64 {
        self.steps - self.solver.steps_converged
    }

    /// Counts a step.
    pub fn add(&mut self, row: &StepRow) {
        self.steps += 1;
        self.time_end = row.time;
        let steps = self.steps as f64;
        self.contacts.sum += row.contacts as u64;
        self.contacts.mean = self.contacts.sum as f64 / steps;
        self.contacts.max = self.contacts.max.max(row.contacts);
        let solver = &mut self.solver;
        solver.iterations_sum += u64::from(row.iterations);
        solver.iterations_mean = solver.iterations_sum as f64 / steps;
        solver.iterations_max = solver.iterations_max.max(row.iterations);
        solver.steps_converged += u64::from(row.converged());
        solver.residual_worst = worse(solver.residual_worst, row.natural_map);
        let worst = worse(solver.tolerance_ratio_worst, row.tolerance_ratio);
        if worst.to_bits() != solver.tolerance_ratio_worst.to_bits() {
            (solver.tolerance_ratio_worst, solver.tolerance_ratio_worst_at) = (worst, row.time);
        }
        let substeps = &mut self.substeps;
        substeps.shortest =
            if substeps.taken == 0 { row.shortest_step } else { substeps.shortest.min(row.shortest_step) };
        substeps.taken += u64::from(row.substeps);
        substeps.repeated += u64::from(row.rounds);
        self.error_estimate = row.error_estimate;
        self.penetration_max = worse(self.penetration_max, row.penetration);
        self.joint_violation_max = worse(self.joint_violation_max, row.joint_violation);
        self.joint_angle_violation_max = worse(self.joint_angle_violation_max, row.joint_angle_violation);
        let total = row.total();
        let EnergyRecord { start, range: [least, largest], work: before, .. } = self.energy;
        let range = [least.min(total), largest.max(total)];
        let (kinetic, potential, elastic) = (row.kinetic, row.potential, row.elastic);
        // Sums over some of the steps only would say nothing.
        let before = if self.steps == 1 { Some(WorkRecord::default()) } else { before };
        let work = before.zip(row.work).map(|(mut sum, work)| {
            sum.add(&work);
            sum
        });
        self.energy = EnergyRecord { kinetic, potential, elastic, total, start, range, work };
        self.add_broken(row);
        let [collision, assembly, solve] = row.seconds;
        self.seconds.collision += collision;
        self.seconds.assembly += assembly;
        self.seconds.solve += solve;
    }

    /// Counts the promises a step broke; one that it broke twice, as a length and as an angle, counts once.
    fn add_broken(&mut self, row: &StepRow) {
        for (k, broken) in row.broken.iter().enumerate() {
            let is_first = row.broken[..k].iter().all(|other| other.promise != broken.promise);
            let (promise, steps) = (broken.promise, u64::from(is_first));
            match self.broken.iter_mut().find(|known| known.promise == promise) {
                None => self.broken.push(BrokenSteps {
                    promise,
                    steps,
                    first_step: row.step,
                    worst: broken.clone(),
                    at: row.time,
                }),
                Some(known) => {
                    known.steps += steps;
                    if broken.ratio() > known.worst.ratio() {
                        (known.worst, known.at) = (broken.clone(), row.time);
                    }
                }
            }
        }
        self.broken.sort_by_key(|known| known.promise);
    }

    /// Says how long all took.
    pub fn took(&mut self, wall_seconds: f64) {
        self.wall_seconds = wall_seconds;
        self.wall_seconds_per_step = if self.steps > 0 { wall_seconds / self.steps as f64 } else { 0.0 };
    }
}

/// The larger; NaN is worse than any number and stays.
fn worse(a: f64, b: f64) -> f64 {
    if a.is_nan() || a >= b { a } else { b }
}

#[cfg(test)]
mod tests {
    use super::worse;

    #[test]
    fn nan_is_the_worst_and_stays() {
        assert_eq!(worse(1.0, 2.0), 2.0);
        assert_eq!(worse(2.0, 1.0), 2.0);
        assert!(worse(1.0, f64::NAN).is_nan() && worse(f64::NAN, 3.0).is_nan());
    }
}

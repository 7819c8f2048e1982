//! Solver by problem: how many were solved, and the worst residual.

use super::outcome::{Comparison, FileRuns, Outcome};
use crate::verify::larger;

/// So many files have a line each; more are put together by family.
const FEW_FILES: usize = 12;

/// The matrix: `cells[problem][solver]`.
pub(crate) struct Matrix {
    pub(crate) problems: Vec<String>,
    pub(crate) cells: Vec<Vec<Cell>>,
}

/// One solver on one file or family.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// Runs made.
    pub(crate) runs: usize,
    /// Of these, problems the solver takes.
    pub(crate) accepted: usize,
    pub(crate) solved: usize,
    /// Answers that differ from the most accurate one by more than they should.
    pub(crate) differ: usize,
    /// The worst residual of an answer.
    pub(crate) worst: Option<f64>,
}

impl Matrix {
    pub(crate) fn new(comparison: &Comparison) -> Self {
        let by_family = comparison.files.len() > FEW_FILES;
        let mut matrix = Self { problems: Vec::new(), cells: Vec::new() };
        for file in &comparison.files {
            let problem = if by_family { family(&file.label).to_owned() } else { file.label.clone() };
            let row = matrix.problems.iter().position(|known| *known == problem).unwrap_or_else(|| {
                matrix.problems.push(problem);
                matrix.cells.push(vec![Cell::default(); comparison.solvers.len()]);
                matrix.problems.len() - 1
            });
            matrix.cells[row].iter_mut().enumerate().for_each(|(solver, cell)| cell.add(comparison, file, solver));
        }
        if by_family || matrix.problems.len() > 1 {
            let all = (0..comparison.solvers.len()).map(|solver| {
                let mut sum = Cell::default();
                comparison.files.iter().for_each(|file| sum.add(comparison, file, solver));
                sum
            });
            matrix.cells.push(all.collect());
            matrix.problems.push("all".into());
        }
        matrix
    }
}

impl Cell {
    pub(crate) fn add(&mut self, comparison: &Comparison, file: &FileRuns, solver: usize) {
        let Some(run) = file.runs.get(solver) else { return };
        self.runs += 1;
        self.accepted += usize::from(!matches!(run.outcome, Outcome::NotAccepted(_)));
        self.solved += usize::from(run.reached().is_some());
        self.differ += usize::from(run.differs());
        if let Some(answer) = run.answer() {
            self.worst = Some(larger(self.worst.unwrap_or(0.0), comparison.residual(&answer.residuals)));
        }
    }

    /// Solved of accepted, and the worst residual.
    pub(crate) fn text(&self) -> String {
        match (self.accepted, self.worst) {
            (0, _) => "-".into(),
            (accepted, None) => format!("{}/{accepted}", self.solved),
            (accepted, Some(worst)) => format!("{}/{accepted} {worst:.0e}", self.solved),
        }
    }
}

/// What the names of related files start with: all before the first digit, hyphen or underscore.
fn family(label: &str) -> &str {
    let file = label.rsplit(['/', '\\']).next().unwrap_or(label);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let end = stem.find(|c: char| c == '-' || c == '_' || c.is_ascii_digit()).filter(|end| *end > 0);
    end.map_or(stem, |end| &stem[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_family_share_the_start_of_their_names() {
        for (label, expected) in [
            ("Rover1039.hdf5", "Rover"),
            ("Box_Stacks-i0122-82-5.hdf5", "Box"),
            ("Capsules-i100.hdf5", "Capsules"),
            ("pile.hdf5", "pile"),
            ("../set.1/Rover2.hdf5", "Rover"),
            ("0001.hdf5", "0001"),
            ("example:pile-frictionless", "example:pile"),
        ] {
            assert_eq!(family(label), expected);
        }
    }

    #[test]
    fn a_cell_says_solved_of_accepted_and_the_worst_residual() {
        let cell = Cell { runs: 3, accepted: 2, solved: 1, differ: 0, worst: Some(3.2e-4) };
        assert_eq!(cell.text(), "1/2 3e-4");
        assert_eq!(Cell { runs: 3, ..Cell::default() }.text(), "-");
    }
}

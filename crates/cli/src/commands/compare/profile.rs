//! Performance profiles (Dolan and Moré, 2002): which share of the problems a solver solves within τ times the cost of the
//! best solver of each problem.

/// The profile of every solver from `costs[problem][solver]`, `None` where it did not solve: (τ, share) in rising order, one
/// entry for every τ at which the share grows. Problems nobody solved say nothing about the solvers and are left out.
pub(crate) fn profiles(costs: &[Vec<Option<f64>>]) -> Vec<Vec<(f64, f64)>> {
    let solvers = costs.first().map_or(0, Vec::len);
    let mut ratios: Vec<Vec<f64>> = vec![Vec::new(); solvers];
    let mut problems = 0;
    for costs in costs {
        let Some(best) = costs.iter().flatten().copied().min_by(f64::total_cmp) else { continue };
        problems += 1;
        for (ratios, cost) in ratios.iter_mut().zip(costs) {
            ratios.extend(cost.map(|cost| cost / best));
        }
    }
    ratios.into_iter().map(|ratios| steps(ratios, problems)).collect()
}

fn steps(mut ratios: Vec<f64>, problems: usize) -> Vec<(f64, f64)> {
    ratios.sort_by(f64::total_cmp);
    let mut steps: Vec<(f64, f64)> = Vec::new();
    for (k, ratio) in ratios.into_iter().enumerate() {
        let share = (k + 1) as f64 / problems as f64;
        match steps.last_mut() {
            Some((last, shared)) if *last == ratio => *shared = share,
            _ => steps.push((ratio, share)),
        }
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand. Costs of A and B on four problems, and on one that neither solves:
    ///   1 | 2,   4 | 2,   3 | 3,   8 | -,   - | -.
    /// Ratios of A: 1, 2, 1, 1, of B: 2, 1, 1. So A solves 3/4 at τ = 1 and all at 2; B 2/4 at 1 and 3/4 at 2.
    #[test]
    fn profiles_are_those_computed_by_hand() {
        let costs = [
            vec![Some(1.0), Some(2.0)],
            vec![Some(4.0), Some(2.0)],
            vec![Some(3.0), Some(3.0)],
            vec![Some(8.0), None],
            vec![None, None],
        ];
        assert_eq!(profiles(&costs), [vec![(1.0, 0.75), (2.0, 1.0)], vec![(1.0, 0.5), (2.0, 0.75)]]);
    }

    #[test]
    fn without_problems_there_is_nothing_to_show() {
        assert!(profiles(&[]).is_empty());
        assert_eq!(profiles(&[vec![None, None]]), [vec![], vec![]]);
    }
}

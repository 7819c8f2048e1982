//! IP-5: stacks of spheres with equal and with odd masses.

use super::counts::count_from;
use super::{THESIS, scenes};
use crate::fit;
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::{Settings, Stepper};
use signorini_solver::{FrictionLaw, InteriorPoint, Tolerance, WarmStart};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "IP-5",
    title: "Stacked spheres: mass ratios up to 10 a level",
    source: THESIS,
    description: "n frictionless spheres of 1000 kg/m³ on one vertical axis, each held to it by two bilateral rows, at rest on a floor, h = 0.05 s, \
                  10 steps from a cold start: equal masses of 100, 1e6 and 1e12 kg, and spheres of 10, 100, … 10ⁿ kg, each ten times as heavy \
                  as the one below. The absolute rules of the papers mean nothing at 1e12 kg: a step ends when the natural map is 1e-8 of \
                  the free motion; interior point only, no finish by Newton's method.",
    seconds: [0.1, 0.2],
    run,
};

/// Equal masses \[kg\].
const EQUAL: [f64; 3] = [100.0, 1e6, 1e12];
/// Levels that were published to work with growing masses.
const PUBLISHED_LEVELS: usize = 15;
const STEPS: u32 = 10;
/// Iterations that grow with a smaller power of the height than this do not depend on it: 1.6 times as many on a hundred times the height.
const INDEPENDENT: f64 = 0.1;

/// Heights and mean iterations of a kind of stack; only heights at which all steps converged.
struct Sweep {
    name: String,
    points: Vec<[f64; 2]>,
    /// The largest height up to which every step of every stack converged.
    works_to: usize,
    /// The largest height tried.
    tried: usize,
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let heights: Vec<usize> = context.choose(vec![2, 5, 10, 15, 20], vec![2, 3, 5, 7, 10, 12, 15, 18, 20, 25, 30]);
    // "A huge number" of equal spheres.
    let higher: Vec<usize> = context.choose(vec![50], vec![50, 100, 200]);
    let equal: Vec<usize> = heights.iter().chain(&higher).copied().collect();
    let mut table = DataTable::new(
        "stacks",
        "Iterations a step by height and mass",
        &["masses", "spheres", "mean iterations", "most iterations", "steps missed", "worst violation of a guide [m]"],
    );
    let mut sweeps = Vec::new();
    for mass in EQUAL {
        sweeps.push(sweep(context, &format!("{mass:.0e} kg each"), &equal, |_| mass, &mut table)?);
    }
    let growing = sweep(context, "10ⁿ kg", &heights, |level| 10f64.powi(level as i32 + 1), &mut table)?;
    let mut rows: Vec<Row> = sweeps.iter().map(independent).collect();
    rows.push(by_mass(&sweeps));
    rows.push(works(&growing));
    rows.push(linear(&growing));
    sweeps.push(growing);
    let figure = Figure {
        name: "iterations".into(),
        title: "Iterations a step against the number of spheres".into(),
        x: "spheres".into(),
        y: "iterations".into(),
        series: sweeps.iter().map(|sweep| Series::new(&sweep.name, sweep.points.iter().copied()).with_dots()).collect(),
        ..Figure::default()
    };
    Ok(Outcome { rows, tables: vec![table], figures: vec![figure], notes: Vec::new() })
}

fn sweep(
    context: &Context<'_>,
    name: &str,
    heights: &[usize],
    mass: impl Fn(usize) -> f64,
    table: &mut DataTable,
) -> Result<Sweep> {
    let mut sweep = Sweep { name: name.to_owned(), points: Vec::new(), works_to: 0, tried: 0 };
    let mut has_failed = false;
    for &height in heights {
        let masses: Vec<f64> = (0..height).map(&mass).collect();
        let method = InteriorPoint { warm_start: WarmStart::None, polish: false, ..InteriorPoint::default() };
        let (friction, tolerance) = (FrictionLaw::Relaxed, Some(Tolerance::Relative(1e-8)));
        let settings = Settings {
            step: 0.05,
            stepper: Stepper::DviEuler,
            method: method.into(),
            friction,
            tolerance,
            ..Settings::default()
        };
        let what = format!("{name}, {height} spheres");
        let counts = count_from(context, &what, scenes::stack(&masses)?, settings, STEPS)?;
        table.push(vec![
            name.into(),
            height.into(),
            counts.mean().into(),
            counts.most().into(),
            counts.missed.into(),
            counts.joint_violation.into(),
        ]);
        sweep.tried = height;
        has_failed |= counts.missed > 0;
        if !has_failed {
            sweep.works_to = height;
            sweep.points.push([height as f64, counts.mean()]);
        }
    }
    Ok(sweep)
}

/// Equal masses: iterations are independent of the height.
fn independent(sweep: &Sweep) -> Row {
    let power = fit::power(&sweep.points);
    let (least, most) = range(&sweep.points);
    let verdict = Verdict::holds(power <= INDEPENDENT && sweep.points.len() > 1);
    let note = match verdict {
        Verdict::Short => format!(
            "They grow from {least:.0} to {most:.0} over all heights, with the power {power:.2} of the height, of which up to {INDEPENDENT} would \
             count as none. The thesis shows a figure without numbers to compare the counts with."
        ),
        _ => String::new(),
    };
    Row {
        quantity: format!(
            "{}: iterations do not depend on the number of spheres (exponent p of iterations ~ nᵖ, at most 0.1)",
            sweep.name
        ),
        published: "independent of n".into(),
        ours: format!("p = {power:.2}: {least:.1} to {most:.1} iterations up to n = {}", sweep.works_to),
        ratio: None,
        verdict,
        command: "signorini reproduce IP-5".into(),
        note,
    }
}

fn range(points: &[[f64; 2]]) -> (f64, f64) {
    let fold = |pick: fn(f64, f64) -> f64, start: f64| points.iter().map(|point| point[1]).fold(start, pick);
    (fold(f64::min, f64::INFINITY), fold(f64::max, 0.0))
}

/// Equal masses: how iterations change from one mass to another at equal height.
fn by_mass(sweeps: &[Sweep]) -> Row {
    let lengths = sweeps.iter().map(|sweep| sweep.points.len());
    let common = lengths.min().unwrap_or(0);
    let change = (0..common).map(|k| {
        let (least, most) = range(&sweeps.iter().map(|sweep| sweep.points[k]).collect::<Vec<_>>());
        most - least
    });
    let change = change.fold(0.0, f64::max);
    Row {
        quantity: "equal masses: most iterations more of one mass (100, 1e6, 1e12 kg) than of another".into(),
        published: "iterations change with the mass".into(),
        ours: format!("{change:.1}"),
        ratio: None,
        // Fewer than one iteration: the method does not see the unit of mass, which the published one did.
        verdict: if common > 0 && change < 1.0 { Verdict::Better } else { Verdict::holds(common > 0) },
        command: "signorini reproduce IP-5".into(),
        note: if common > 0 { String::new() } else { "No stack of equal masses converges.".into() },
    }
}

/// Growing masses: how many levels.
fn works(sweep: &Sweep) -> Row {
    let verdict = Verdict::more_is_better(sweep.works_to as f64, PUBLISHED_LEVELS as f64);
    Row {
        quantity: format!("{}: spheres up to which every step converges", sweep.name),
        published: PUBLISHED_LEVELS.to_string(),
        ours: if sweep.works_to == sweep.tried {
            format!("{} (the most tried)", sweep.tried)
        } else {
            sweep.works_to.to_string()
        },
        ratio: Some(sweep.works_to as f64 / PUBLISHED_LEVELS as f64),
        verdict,
        command: "signorini reproduce IP-5".into(),
        note: if verdict == Verdict::Short {
            "Higher stacks have steps that do not converge.".into()
        } else {
            String::new()
        },
    }
}

/// Growing masses: at most linear growth of iterations.
fn linear(sweep: &Sweep) -> Row {
    let power = fit::power(&sweep.points);
    let a_level = fit::slope(&sweep.points);
    Row {
        quantity: format!("{}: iterations grow at most linearly: exponent p of iterations ~ nᵖ", sweep.name),
        published: "1 (linear)".into(),
        ours: format!("{power:.2}, {a_level:.2} iterations a level"),
        ratio: None,
        verdict: if sweep.points.len() > 1 { Verdict::less_is_better(power, 1.0) } else { Verdict::Short },
        command: "signorini reproduce IP-5".into(),
        note: if sweep.points.len() > 1 { String::new() } else { "Too few heights converge to fit a line.".into() },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(points: &[[f64; 2]]) -> Sweep {
        let works_to = points.last().map_or(0, |point| point[0] as usize);
        Sweep { name: "test".into(), points: points.to_vec(), works_to, tried: works_to }
    }

    #[test]
    fn flat_is_independent_and_a_rise_is_not() {
        assert_eq!(independent(&of(&[[1.0, 8.0], [10.0, 9.0], [20.0, 8.5]])).verdict, Verdict::AtPublished);
        let rising = independent(&of(&[[1.0, 8.0], [10.0, 17.0], [20.0, 27.0]]));
        assert!(rising.verdict == Verdict::Short && !rising.note.is_empty());
        assert_eq!(independent(&of(&[])).verdict, Verdict::Short);
    }

    #[test]
    fn growth_is_judged_by_its_power() {
        assert_eq!(linear(&of(&[[1.0, 2.0], [10.0, 20.0], [20.0, 40.0]])).verdict, Verdict::AtPublished);
        assert_eq!(linear(&of(&[[1.0, 1.0], [10.0, 100.0], [20.0, 400.0]])).verdict, Verdict::Short);
        assert_eq!(linear(&of(&[[1.0, 5.0], [10.0, 6.0], [20.0, 7.0]])).verdict, Verdict::Better);
        assert_eq!(works(&of(&[[14.0, 5.0]])).verdict, Verdict::AtPublished);
        assert_eq!(works(&of(&[[7.0, 5.0]])).verdict, Verdict::Short);
    }
}

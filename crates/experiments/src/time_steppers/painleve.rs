//! TS-5: Painlevé's rod: no force satisfies the laws, an impulse does.
//!
//! A rod touches the floor with its lower end at r = (r_x, r_z) from its centre and slides along −x. A normal force N comes with friction μN along +x
//! and gives the end the normal acceleration
//!
//! ```text
//! a = p N + q,   p = 1/m + r_x²/I − μ r_x r_z/I,   q = −g − ω² r_z'
//! ```
//!
//! (r_z' of the middle of its round end). Of 0 ≤ N ⊥ a ≥ 0 there is one solution for p > 0, none for p < 0 and q < 0, and two for p < 0 and q > 0.

use crate::rules::{ClosedForm, reproduce};
use crate::scene_run::{SceneRun, body};
use crate::{Context, DataTable, Experiment, Figure, Outcome, Row, Series, Verdict};
use anyhow::Result;
use signorini_mechanics::{Body, Simulation};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "TS-5",
    title: "Painlevé's rod: no solution at acceleration level, one at impulse level",
    source: "notes on time-steppers",
    description: "A slender rod slides on a rough floor, its lower end ahead (gallery: painleve-rod, friction 2, 60°, 5 m/s). At acceleration level the laws of rigid \
                  bodies and Coulomb friction are a linear complementarity problem in the normal force: its solutions are counted in closed form. Our steps \
                  solve for impulses: every one must have its answer, and the first is compared with the closed form of one contact.",
    seconds: [0.1, 0.1],
    run,
};

const GRAVITY: f64 = 9.81;
/// Of the scene.
const FRICTION: f64 = 2.0;
const SPEED: f64 = 5.0;
const RADIUS: f64 = 0.005;
const HALF: f64 = 0.5;
const STEP: f64 = 1e-3;

/// The rod on its lower end at an angle from the floor.
struct Rod {
    mass: f64,
    /// About y, through its centre.
    inertia: f64,
    /// From the centre to the point of contact \[m\].
    arm: [f64; 2],
}

impl Rod {
    fn of(body: &Body, angle: f64) -> Self {
        let arm = [-HALF * angle.cos(), -HALF * angle.sin() - RADIUS];
        Self { mass: body.mass, inertia: body.inertia.y_axis.y, arm }
    }

    /// p and q of a = pN + q while its end slides along −x and it turns at ω.
    fn law(&self, friction: f64, omega: f64) -> [f64; 2] {
        let [x, z] = self.arm;
        let p = 1.0 / self.mass + (x * x - friction * x * z) / self.inertia;
        [p, -GRAVITY - omega * omega * (z + RADIUS)]
    }

    /// The impulse (along x, z) that stops the end of a rod that arrives with speed −v along x and −gh along z: W g = −u, if the cone has it.
    fn jam(&self, speed: f64, step: f64) -> Option<[f64; 2]> {
        let [x, z] = self.arm;
        let (mass, inertia) = (1.0 / self.mass, 1.0 / self.inertia);
        // u = (u_x, u_z) of the end by impulses at the end.
        let w = [[mass + z * z * inertia, -x * z * inertia], [-x * z * inertia, mass + x * x * inertia]];
        let u = [-speed, -GRAVITY * step];
        let determinant = w[0][0] * w[1][1] - w[0][1] * w[1][0];
        let along = (-u[0] * w[1][1] + u[1] * w[0][1]) / determinant;
        let upwards = (-u[1] * w[0][0] + u[0] * w[1][0]) / determinant;
        (upwards > 0.0 && along.abs() <= FRICTION * upwards).then_some([along, upwards])
    }
}

/// The solutions N of 0 ≤ N ⊥ pN + q ≥ 0.
fn solutions([p, q]: [f64; 2]) -> Vec<f64> {
    let mut found = Vec::new();
    if q >= 0.0 {
        found.push(0.0);
    }
    let pushed = -q / p;
    if pushed > 0.0 && pushed.is_finite() {
        found.push(pushed);
    }
    found
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let scene = SceneRun::of("painleve-rod").scene()?;
    let start = Simulation::new(scene.model, scene.settings)?;
    let at = body(&start, "rod")?;
    let rod = Rod::of(&start.model().bodies()[at], 60_f64.to_radians());
    let mut outcome = Outcome { rows: acceleration_level(context, &rod), ..Outcome::default() };
    impulse_level(context, &rod, at, &mut outcome)?;
    outcome.figures.insert(0, paradox(&start.model().bodies()[at]));
    Ok(outcome)
}

fn acceleration_level(context: &Context<'_>, rod: &Rod) -> Vec<Row> {
    // Turning at 8 rad/s it lifts its end off: q > 0.
    let cases = [(FRICTION, 0.0, 0, "none"), (FRICTION, 8.0, 2, "two"), (0.5, 0.0, 1, "one (below the paradox)")];
    cases
        .map(|(friction, omega, count, published)| {
            let law = rod.law(friction, omega);
            let found = solutions(law);
            Row {
                quantity: format!("solutions at acceleration level, friction {friction}, 60°, {omega} rad/s"),
                published: published.into(),
                ours: format!("{} (p = {:.3} 1/kg, q = {:.2} m/s²)", found.len(), law[0], law[1]),
                ratio: None,
                verdict: Verdict::holds(found.len() == count),
                command: reproduce(context, "TS-5"),
                note: "Closed form with mass and inertia of the scene's rod.".into(),
            }
        })
        .to_vec()
}

fn impulse_level(context: &Context<'_>, rod: &Rod, at: usize, outcome: &mut Outcome) -> Result<()> {
    let run = SceneRun::of("painleve-rod").step(STEP).until(context.choose(0.3, 1.0)).tolerance(1e-9);
    let mut table = DataTable::new(
        "painleve-rod",
        "Painlevé's rod, steps of 1 ms",
        &["time [s]", "height [m]", "speed along x [m/s]", "normal impulse [N s]", "residual [m/s]", "energy [J]"],
    );
    let (mut first, mut worst, mut before, mut gained) = ([f64::NAN; 2], 0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
    let (mut heights, mut impulses) = (Vec::new(), Vec::new());
    let finished = run.follow(context, |simulation, report| {
        let force =
            simulation.contact_forces().fold([0.0; 2], |[x, z], contact| [x + contact.force.x, z + contact.force.z]);
        // On the rod, upwards, whichever of the two it is.
        let sign = if force[1] < 0.0 { -STEP } else { STEP };
        let impulse = force.map(|force| sign * force);
        if report.step == 1 {
            first = impulse;
        }
        worst = worst.max(report.residuals.natural_map);
        gained = gained.max(report.energy.total() - before);
        before = report.energy.total();
        let state = simulation.state();
        let (place, velocity) = (state.poses[at].position, state.velocities[at]);
        heights.push([report.time, place.z]);
        impulses.push([report.time, impulse[1]]);
        let cells = [report.time, place.z, velocity.x, impulse[1], report.residuals.natural_map, before];
        table.push(cells.map(Into::into).to_vec());
    })?;
    let command = run.command();
    outcome.rows.push(Row {
        quantity: "steps solved at impulse level".into(),
        published: "a solution exists".into(),
        ours: format!("{} of {}, residual at most {worst:.1e} m/s", finished.steps - finished.missed, finished.steps),
        ratio: Some((finished.steps - finished.missed) as f64 / finished.steps as f64),
        verdict: Verdict::holds(finished.missed == 0 && worst <= 1e-9),
        command: command.clone(),
        note: "Asked: every step, to 1e-9 m/s.".into(),
    });
    if let Some([along, upwards]) = rod.jam(SPEED, STEP) {
        for (quantity, exact, found) in [("upwards", upwards, first[1]), ("along x", along, first[0])] {
            let form = ClosedForm {
                quantity: &format!("impulse of the first step {quantity}: the end jams"),
                formula: "−W⁻¹u, within the cone",
                unit: "N s",
                exact,
                found,
                slack: 1e-6 * exact.abs(),
                because: "steps are solved to 1e-9 m/s of 5 m/s",
            };
            outcome.rows.push(form.row(command.clone()));
        }
    }
    outcome.rows.push(Row {
        quantity: "largest gain of energy in a step".into(),
        published: "none".into(),
        ours: format!("{gained:.1e} J of {:.1} J", 0.5 * rod.mass * SPEED * SPEED),
        ratio: None,
        verdict: Verdict::holds(gained <= 1e-6),
        command,
        note: "Asked: at most 1e-6 J.".into(),
    });
    outcome.tables.push(table);
    outcome.figures.push(Figure {
        name: "painleve-rod".into(),
        title: "Painlevé's rod: height of its middle".into(),
        x: "time [s]".into(),
        y: "height [m]".into(),
        series: vec![Series::new("height", heights)],
        ..Figure::default()
    });
    outcome.figures.push(Figure {
        name: "painleve-impulses".into(),
        title: "Painlevé's rod: normal impulse of every step of 1 ms".into(),
        x: "time [s]".into(),
        y: "impulse [N s]".into(),
        series: vec![Series::new("impulse", impulses)],
        ..Figure::default()
    });
    Ok(())
}

/// p m against the angle: below 0 is the paradox.
fn paradox(body: &Body) -> Figure {
    let curve = |friction: f64| {
        let points = (1..90).map(|degrees| {
            let rod = Rod::of(body, f64::from(degrees).to_radians());
            [f64::from(degrees), rod.mass * rod.law(friction, 0.0)[0]]
        });
        Series::new(&format!("friction {friction}"), points)
    };
    Figure {
        name: "painleve-paradox".into(),
        title: "Normal acceleration by a normal force, times the mass: negative is the paradox".into(),
        x: "angle from the floor [degrees]".into(),
        y: "p m".into(),
        series: [0.5, 4.0 / 3.0, 2.0, 3.0].map(|friction: f64| curve((friction * 1000.0).round() / 1000.0)).to_vec(),
        rules: vec![("paradox below".into(), 0.0)],
        ..Figure::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solutions_are_those_of_a_search() {
        for law in [[1.0, -2.0], [-1.0, -2.0], [-1.0, 2.0], [1.0, 2.0]] {
            // A fine grid of forces: complementarity to the width of the grid.
            let fits = |n: &f64| {
                let a = law[0] * n + law[1];
                a >= -1e-9 && (n * a).abs() < 1e-9
            };
            let grid: Vec<f64> = (0..=500).map(|k| 0.01 * f64::from(k)).filter(fits).collect();
            let found = solutions(law);
            assert_eq!(found.len(), grid.len(), "{law:?} {found:?} {grid:?}");
        }
    }

    #[test]
    fn a_slender_rod_has_its_paradox_beyond_friction_four_thirds() {
        // The least p m of a thin rod is that at tan 2θ = −1/μ...: 1 + 3/2 − 3/2 √(1 + μ²), zero for μ = 4/3.
        let least = |friction: f64| {
            let at = |degrees: u32| {
                let angle = f64::from(degrees).to_radians();
                let rod =
                    Rod { mass: 1.0, inertia: HALF * HALF / 3.0, arm: [-HALF * angle.cos(), -HALF * angle.sin()] };
                rod.law(friction, 0.0)[0]
            };
            (1..90).map(at).fold(f64::INFINITY, f64::min)
        };
        assert!(least(1.3) > 0.0 && least(1.4) < 0.0, "{} {}", least(1.3), least(1.4));
        assert!((least(4.0 / 3.0)).abs() < 1e-3);
    }
}

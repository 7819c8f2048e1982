//! ME-7: billiards and Newton's cradle.

use super::BEYOND;
use crate::rules::{ClosedForm, reproduce};
use crate::scene_run::SceneRun;
use crate::{Context, Experiment, Figure, Outcome, Series};
use anyhow::Result;
use signorini_mechanics::{Body, Collider, Material, Model, Settings, Shape, Simulation, Vec3};
use signorini_solver::Tolerance;

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-7",
    title: "Billiards and Newton's cradle",
    source: BEYOND,
    description: "Two equal balls without friction meet off-centre: of the struck ball's motion along the line of centres, (1 + e)/2 v cos β; with e = 1 \
                  they part at a right angle. Newton's cradle (gallery: newtons-cradle): the last ball leaves with the speed of the first.",
    seconds: [0.2, 1.0],
    run,
};

const RADIUS: f64 = 0.03;
const SPEED: f64 = 2.0;
const STEP: f64 = 1e-3;

fn run(context: &Context<'_>) -> Result<Outcome> {
    let mut outcome = Outcome::default();
    for restitution in [0.0, 0.5, 0.95, 1.0] {
        context.at(&format!("billiards, restitution {restitution}"))?;
        let [struck, striker] = billiards(restitution)?;
        // Where they meet the line of centres n leans from x by β; the law along n, nothing across it.
        let lean = 0.5_f64.asin();
        let form = ClosedForm {
            quantity: &format!("struck ball after an impact at 30°, restitution {restitution}"),
            formula: "(1 + e)/2 v cos β",
            unit: "m/s",
            exact: 0.5 * (1.0 + restitution) * SPEED * lean.cos(),
            found: struck.length(),
            slack: 0.02 * SPEED,
            because: "contact is found with the normal of the start of the step, off by up to v h/2r of a radian",
        };
        outcome.rows.push(form.row(reproduce(context, "ME-7")));
        if restitution == 1.0 {
            let form = ClosedForm {
                quantity: "angle between the balls, restitution 1",
                formula: "a right angle",
                unit: "rad",
                exact: std::f64::consts::FRAC_PI_2,
                found: struck.angle_between(striker),
                slack: 1e-6,
                because: "equal masses and kept energy, whatever the normal",
            };
            outcome.rows.push(form.row(reproduce(context, "ME-7")));
        }
        let form = ClosedForm {
            quantity: &format!("momentum of both along x over m, restitution {restitution}"),
            formula: "v",
            unit: "m/s",
            exact: SPEED,
            found: struck.x + striker.x,
            slack: 1e-9,
            because: "kept to rounding",
        };
        outcome.rows.push(form.row(reproduce(context, "ME-7")));
    }
    cradle(context, &mut outcome)?;
    Ok(outcome)
}

/// Velocities of the struck ball and of the striker after they met; the striker's path misses the centre by one radius.
fn billiards(restitution: f64) -> Result<[Vec3; 2]> {
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let ivory = model.material(Material { friction: 0.0, restitution, ..Material::new("ivory") });
    let shape = Shape::Sphere { radius: RADIUS };
    let start = Vec3::new(-0.2, -RADIUS, 0.0);
    let striker = model.body(Body::of_shape("striker", &shape, 1700.0)?.at(start).moving(SPEED * Vec3::X, Vec3::ZERO));
    let struck = model.body(Body::of_shape("struck", &shape, 1700.0)?);
    for ball in [striker, struck] {
        model.collider(ball, Collider::new(shape.clone(), ivory));
    }
    let settings = Settings {
        step: STEP,
        tolerance: Some(Tolerance::Velocity(1e-11)),
        restitution_threshold: Some(0.01),
        ..Settings::default()
    };
    let mut simulation = Simulation::new(model.build()?, settings)?;
    for _ in 0..200 {
        simulation.step()?;
    }
    Ok([struck, striker].map(|ball| simulation.state().velocities[ball.index()]))
}

fn cradle(context: &Context<'_>, outcome: &mut Outcome) -> Result<()> {
    let run = SceneRun::of("newtons-cradle").until(context.choose(0.4, 2.0));
    let scene = run.scene()?;
    let of = |name: &str| scene.model.body_named(name).map_or(0, |body| body.index());
    let ends = [of("striker"), of("ball-0004")];
    let (mut fastest, mut others, mut seen) = ([0.0_f64; 2], 0.0_f64, [Vec::new(), Vec::new()]);
    run.follow(context, |simulation, report| {
        let v = &simulation.state().velocities;
        for k in 0..2 {
            fastest[k] = fastest[k].max(v[ends[k]].length());
            seen[k].push([report.time, v[ends[k]].x]);
        }
        // Half a swing after the impact the others should hang still.
        if (0.32..0.38).contains(&report.time) {
            others = others.max(v[ends[0]].length());
        }
    })?;
    let speed = (2.0 * 9.81 * 0.3 * (1.0 - 30_f64.to_radians().cos())).sqrt();
    // A ball about its own centre takes 2/5 r²/l² of the energy.
    let speed = speed / (1.0 + 0.4 * (0.02_f64 / 0.3).powi(2)).sqrt();
    let forms = [
        (
            "cradle: speed of the striker when it hits",
            "√(2 g l (1 − cos φ)/(1 + 2r²/5l²))",
            speed,
            fastest[0],
            0.01 * speed,
        ),
        ("cradle: speed of the last ball", "that of the striker", fastest[0], fastest[1], 0.02 * speed),
        ("cradle: striker after the impact", "at rest", 0.0, others, 0.02 * speed),
    ];
    for (quantity, formula, exact, found, slack) in forms {
        let because = "the gaps between the balls are a step's flight wide, and steps of 0.2 ms are of first order";
        outcome
            .rows
            .push(ClosedForm { quantity, formula, unit: "m/s", exact, found, slack, because }.row(run.command()));
    }
    let [first, last] = seen;
    outcome.figures.push(Figure {
        name: "cradle".into(),
        title: "Newton's cradle".into(),
        x: "time [s]".into(),
        y: "velocity along x [m/s]".into(),
        series: vec![Series::new("first ball", first), Series::new("last ball", last)],
        ..Figure::default()
    });
    Ok(())
}

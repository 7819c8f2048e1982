//! ME-11: a chain that hangs between two supports.

use super::BEYOND;
use crate::rules::{ClosedForm, reproduce};
use crate::{Context, Experiment, Figure, Outcome, Series};
use anyhow::Result;
use signorini_mechanics::analysis::{EquilibriumSettings, static_equilibrium};
use signorini_mechanics::joint::{Anchors, Revolute};
use signorini_mechanics::{Body, BodyId, Mat3, Model, Pose, Quat, State, Vec3};

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "ME-11",
    title: "A hanging chain",
    source: BEYOND,
    description: "Equal links on hinges between two supports on one level, from a zigzag of the same span to rest (static equilibrium). tan θ of a link is the vertical \
                  force in its middle over the horizontal one, which closes the span; for many links it is the catenary.",
    seconds: [0.1, 10.7],
    run,
};

/// m, kg, m.
const LENGTH: f64 = 2.25;
const MASS: f64 = 13.5;
const SPAN: f64 = 1.6;

/// Slope of link i of so many for a horizontal force.
fn slope(links: usize, i: usize, horizontal: f64) -> f64 {
    (i as f64 + 0.5 - 0.5 * links as f64) * MASS * 9.81 / links as f64 / horizontal
}

/// The horizontal force that closes the span, by bisection.
fn horizontal(links: usize) -> f64 {
    let width = |h: f64| (0..links).map(|i| LENGTH / links as f64 * slope(links, i, h).atan().cos()).sum::<f64>();
    let (mut low, mut high) = (1e-3, 1e4);
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if width(middle) > SPAN { high = middle } else { low = middle }
    }
    0.5 * (low + high)
}

/// A zigzag between the supports: links lean up and down in turn.
fn model(links: usize) -> Result<(Model, Vec<BodyId>)> {
    let mut model = Model::builder();
    let ground = model.body(Body::fixed("ground"));
    let (length, mass) = (LENGTH / links as f64, MASS / links as f64);
    let lean = (SPAN / LENGTH).acos();
    let about_y = |point: Vec3| Pose::new(point, Quat::from_rotation_arc(Vec3::Z, Vec3::Y));
    let (mut before, mut pose_before, mut corner) = (ground, Pose::IDENTITY, Vec3::ZERO);
    let mut bodies = Vec::new();
    for i in 0..links {
        let angle = if i % 2 == 0 { -lean } else { lean };
        let end = corner + length * Vec3::new(angle.cos(), 0.0, angle.sin());
        let pose = Pose::new(0.5 * (corner + end), Quat::from_rotation_y(-angle));
        let across = mass * length * length / 12.0;
        let inertia = Mat3::from_diagonal(Vec3::new(0.01 * across, across, across));
        let link = model.body(Body::new(format!("link-{i}"), mass, inertia).posed(pose));
        let anchors = Anchors::from_world([before, link], [&pose_before, &pose], about_y(corner));
        model.joint(format!("hinge-{i}"), Revolute::new(anchors));
        bodies.push(link);
        (before, pose_before, corner) = (link, pose, end);
    }
    let anchors = Anchors::from_world([before, ground], [&pose_before, &Pose::IDENTITY], about_y(corner));
    model.joint("end", Revolute::new(anchors));
    Ok((model.build()?, bodies))
}

fn run(context: &Context<'_>) -> Result<Outcome> {
    let (mut rows, mut series) = (Vec::new(), Vec::new());
    // An even number: the zigzag ends on the level it starts from.
    for &links in context.choose(&[10_usize][..], &[10, 40]) {
        context.at(&format!("{links} links"))?;
        let (model, bodies) = model(links)?;
        let found = static_equilibrium(&model, &State::start_of(&model), &EquilibriumSettings::default())?;
        let force = horizontal(links);
        let (mut corner, mut worst, mut shape) = (Vec3::ZERO, 0.0_f64, Vec::new());
        for (i, body) in bodies.iter().enumerate() {
            let angle = slope(links, i, force).atan();
            let end = corner + LENGTH / links as f64 * Vec3::new(angle.cos(), 0.0, angle.sin());
            let place = found.state.poses[body.index()].position;
            let miss = (place - 0.5 * (corner + end)).length();
            worst = if miss <= worst { worst } else { miss };
            shape.push([place.x, place.z]);
            corner = end;
        }
        let pull = found.reactions.first().map_or(f64::NAN, |reaction| reaction.force.x.abs());
        let forms = [
            ClosedForm {
                quantity: &format!("{links} links: largest distance of a link from its place"),
                formula: "tan θ_i = V_i/H, distance",
                unit: "m",
                exact: 0.0,
                found: worst,
                slack: 1e-8,
                because: "forces are in balance to 1e-9",
            },
            ClosedForm {
                quantity: &format!("{links} links: horizontal force"),
                formula: "H closes the span",
                unit: "N",
                exact: force,
                found: pull,
                slack: 1e-7 * force,
                because: "forces are in balance to 1e-9",
            },
        ];
        rows.extend(forms.iter().map(|form| form.row(reproduce(context, "ME-11"))));
        series.push(Series::new(&format!("{links} links"), shape).with_dots());
    }
    // z = c (cosh((x − ½ span)/c) − cosh(½ span/c)) with 2 c sinh(½ span/c) = length.
    let (mut low, mut high) = (0.05, 10.0);
    for _ in 0..200 {
        let c: f64 = 0.5 * (low + high);
        if 2.0 * c * (0.5 * SPAN / c).sinh() > LENGTH { low = c } else { high = c }
    }
    let catenary = |k: u32| {
        let x = SPAN * f64::from(k) / 100.0;
        [x, low * (((x - 0.5 * SPAN) / low).cosh() - (0.5 * SPAN / low).cosh())]
    };
    series.push(Series::new("catenary", (0..=100).map(catenary)));
    let figure = Figure {
        name: "hanging-chain".into(),
        title: "A chain between two supports".into(),
        x: "x [m]".into(),
        y: "z [m]".into(),
        series,
        ..Figure::default()
    };
    Ok(Outcome { rows, figures: vec![figure], ..Outcome::default() })
}

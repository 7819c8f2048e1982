//! Iterations of the interior point in time-stepping, as the thesis and the paper of 2015 count them (IP-1, IP-2, IP-3).

use super::balls::{DENSITY, RADIUS};
use crate::table::{Table, Value};
use anyhow::Result;
use signorini_mechanics::{Body, Collider, Material, Model, Settings, Shape, Simulation, Vec3};
use signorini_solver::{FrictionLaw, InteriorPoint, Stopping, WarmStart};
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Most balls in the container; the published sizes above it are left out
    #[arg(long, default_value_t = 1190)]
    balls: usize,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Published mean iterations a step: balls (n_v = 6 a ball), thesis.
const IP_1: [(usize, f64); 4] = [(64, 17.2), (280, 17.9), (595, 17.7), (1190, 17.8)];
/// The same by the rule of 2015; the matrix sizes published stand for about these numbers of balls.
const IP_2: [(usize, f64); 4] = [(64, 16.7), (280, 18.6), (595, 19.4), (1190, 18.9)];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let mut table =
        Table::new(&["id", "scene", "warm start", "steps", "iterations", "published", "a step", "most", "contacts"]);
    let sizes = |published: [(usize, f64); 4]| published.into_iter().filter(|(balls, _)| *balls <= arguments.balls);
    for (id, stopping, published) in [("IP-1", Stopping::Thesis, IP_1), ("IP-2", Stopping::Paper, IP_2)] {
        for (balls, mean) in sizes(published) {
            let scene = format!("{balls} balls in a container");
            let steps = 50;
            table.push(row(id, &scene, container(balls)?, steps, stopping, WarmStart::None, mean * f64::from(steps))?);
        }
    }
    let starts = [WarmStart::None, WarmStart::Partial, WarmStart::Full];
    for (warm, published) in starts.into_iter().zip([935.0, 927.0, 747.0]) {
        let balls = arguments.balls.min(280);
        let scene = format!("{balls} balls in a container");
        table.push(row("IP-3", &scene, container(balls)?, 50, Stopping::Paper, warm, published)?);
    }
    for (warm, published) in starts.into_iter().zip([720.0, 515.0, 90.0]) {
        table.push(row(
            "IP-3",
            "a ball",
            at_rest(Shape::Sphere { radius: 0.1 }, 0.1)?,
            100,
            Stopping::Paper,
            warm,
            published,
        )?);
    }
    for (warm, published) in starts.into_iter().zip([499.0, 370.0, 81.0]) {
        let brick = Shape::Cuboid { half: Vec3::new(0.2, 0.1, 0.05) };
        table.push(row("IP-3", "a brick", at_rest(brick, 0.05)?, 100, Stopping::Paper, warm, published)?);
    }
    table.finish(arguments.csv.as_deref())
}

fn row(
    id: &str,
    scene: &str,
    model: Model,
    steps: u32,
    stopping: Stopping,
    warm_start: WarmStart,
    published: f64,
) -> Result<Vec<Value>> {
    let method = InteriorPoint { stopping, warm_start, polish: false, ..InteriorPoint::default() };
    // No friction: all laws are one, and the papers' stopping rules belong to the convex one.
    let friction = FrictionLaw::Relaxed;
    let settings = Settings { step: 0.02, method: method.into(), friction, ..Settings::default() };
    let mut simulation = Simulation::new(model, settings)?;
    let (mut iterations, mut most, mut contacts) = (0, 0, 0);
    for _ in 0..steps {
        let report = simulation.step()?;
        iterations += report.iterations;
        most = most.max(report.iterations);
        contacts = contacts.max(report.contacts);
    }
    let warm = match warm_start {
        WarmStart::None => "none",
        WarmStart::Partial => "partial",
        WarmStart::Full => "full",
    };
    Ok(vec![
        Value::text(id),
        Value::text(scene),
        Value::text(warm),
        Value::Count(steps as usize),
        Value::Count(iterations as usize),
        Value::Ratio(published),
        Value::Ratio(f64::from(iterations) / f64::from(steps)),
        Value::Count(most as usize),
        Value::Count(contacts),
    ])
}

/// Frictionless balls falling into a cylinder of 1 m diameter.
fn container(balls: usize) -> Result<Model> {
    let mut model = Model::builder();
    let smooth = model.material(Material::new("smooth"));
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, smooth));
    let wall = model.body(Body::fixed("wall"));
    model.collider(wall, Collider::new(Shape::InsideCylinder { radius: 0.5, half_height: 100.0 }, smooth));
    let shape = Shape::Sphere { radius: RADIUS };
    let spacing = 2.1 * RADIUS;
    // Places of a square grid whose balls fit into the cylinder, shifted a little from layer to layer.
    let side = (1.0 / spacing) as i32;
    let mut places = Vec::new();
    for i in 0..side * side {
        let place = |k: i32| (f64::from(k) - 0.5 * f64::from(side - 1)) * spacing;
        let (x, y) = (place(i % side), place(i / side));
        if x.hypot(y) + RADIUS < 0.48 {
            places.push((x, y));
        }
    }
    for k in 0..balls {
        let (x, y) = places[k % places.len()];
        let layer = (k / places.len()) as f64;
        let shift = 0.2 * RADIUS * (2.4 * layer).sin();
        let at = Vec3::new(x + shift, y + 0.5 * shift, RADIUS + layer * spacing);
        let ball = model.body(Body::of_shape(format!("ball-{k}"), &shape, DENSITY)?.at(at));
        model.collider(ball, Collider::new(shape.clone(), smooth));
    }
    Ok(model.build()?)
}

/// One body at rest on a floor.
fn at_rest(shape: Shape, height: f64) -> Result<Model> {
    let mut model = Model::builder();
    let smooth = model.material(Material::new("smooth"));
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, smooth));
    let body = model.body(Body::of_shape("body", &shape, DENSITY)?.at(Vec3::Z * height));
    model.collider(body, Collider::new(shape, smooth));
    Ok(model.build()?)
}

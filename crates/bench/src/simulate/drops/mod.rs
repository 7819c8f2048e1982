//! Mixed bodies dropped into containers, closed meshes and onto hills, judged from outside: every body by points of its surface against the walls, every two bodies by their
//! reaches, with code that shares nothing with the contact detection.

mod bodies;
mod vessel;

use crate::table::{Table, Value};
use anyhow::{Result, ensure};
use bodies::{Kind, Piece};
use signorini_mechanics::{Body, Collider, Material, Model, Settings, Simulation, Vec3};
use signorini_testkit::outside::{Place, Random, overlap};
use std::path::PathBuf;
use std::time::Instant;
use vessel::Vessel;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// What they fall into
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = Vessel::HOLD)]
    into: Vec<Vessel>,
    /// What falls
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Kind::Mixed])]
    bodies: Vec<Kind>,
    /// How many of them
    #[arg(long, default_value_t = 200)]
    count: usize,
    /// Scenes per container and kind, each with a seed of its own
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Simulated seconds
    #[arg(long, default_value_t = 2.5)]
    seconds: f64,
    /// Length of a step in seconds
    #[arg(long, default_value_t = 0.005)]
    step: f64,
    /// Every so many steps are judged
    #[arg(long, default_value_t = 1)]
    every: usize,
    /// One row per scene, instead of one per container and kind
    #[arg(long)]
    each: bool,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Points per edge of a body.
const FINE: usize = 6;
/// Overlaps up to this are right, whatever the size of the bodies \[m\].
const RIGHT: f64 = 1e-4;
/// Overlaps up to this share of the smaller body are right, too.
const RIGHT_SHARE: f64 = 1e-3;
/// Coulomb's coefficient.
const FRICTION: f64 = 0.4;
/// kg/m³.
const DENSITY: f64 = 1000.0;

/// What was seen in some scenes; the worst of them.
#[derive(Clone, Default)]
struct Seen {
    scenes: usize,
    /// Scenes with an overlap that is not right.
    wrong: usize,
    /// Deepest point behind a wall \[m\], and overlap of two bodies \[m\].
    deepest: [f64; 2],
    /// The same where the scene ends.
    at_end: [f64; 2],
    /// The largest overlap over what is right: at most 1.
    over: f64,
    /// Bodies whose centre has left.
    lost: usize,
    /// Steps that broke a promise.
    broken: usize,
    /// Collision, and whole steps, per body and step \[s\].
    collision: f64,
    step: f64,
    /// Parts of steps, rounds and iterations, per step.
    effort: [f64; 3],
    /// Largest speed where the scene ends \[m/s\].
    speed: f64,
    /// Deepest overlap as the simulation reports it \[m\].
    reported: f64,
    /// Seed, step and bodies of the largest overlap over what is right.
    worst: String,
}

impl Seen {
    fn with(self, other: Self) -> Self {
        let worst = if other.over > self.over { other.worst } else { self.worst };
        let larger = |a: [f64; 2], b: [f64; 2]| [a[0].max(b[0]), a[1].max(b[1])];
        let mean = |a: f64, b: f64| {
            (a * self.scenes as f64 + b * other.scenes as f64) / (self.scenes + other.scenes).max(1) as f64
        };
        Self {
            scenes: self.scenes + other.scenes,
            wrong: self.wrong + other.wrong,
            deepest: larger(self.deepest, other.deepest),
            at_end: larger(self.at_end, other.at_end),
            over: self.over.max(other.over),
            lost: self.lost + other.lost,
            broken: self.broken + other.broken,
            collision: mean(self.collision, other.collision),
            step: mean(self.step, other.step),
            effort: std::array::from_fn(|k| mean(self.effort[k], other.effort[k])),
            speed: self.speed.max(other.speed),
            reported: self.reported.max(other.reported),
            worst,
        }
    }

    fn row(&self, head: Vec<Value>) -> Vec<Value> {
        let mut row = head;
        row.extend([Value::Count(self.scenes), Value::Count(self.wrong), Value::Count(self.lost)]);
        row.push(Value::Count(self.broken));
        row.extend([self.deepest[0], self.deepest[1], self.at_end[0], self.at_end[1], self.over].map(Value::Small));
        row.push(Value::Small(self.reported));
        row.push(Value::Small(self.speed));
        row.extend([self.collision, self.step].map(Value::Seconds));
        row.extend(self.effort.map(Value::Ratio));
        row.push(Value::text(&self.worst));
        row
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let titles = [
        "into",
        "bodies",
        "scenes",
        "wrong",
        "left",
        "steps missed",
        "behind walls [m]",
        "overlap [m]",
        "behind at end",
        "overlap at end",
        "over right",
        "reported [m]",
        "speed at end",
        "collision",
        "step per body",
        "parts",
        "rounds",
        "iterations",
        "worst",
    ];
    let mut table = Table::new(&titles);
    for vessel in &arguments.into {
        for kind in &arguments.bodies {
            let mut all = Seen::default();
            for seed in arguments.seed..arguments.seed + arguments.seeds {
                let seen = drop_into(*vessel, *kind, seed, arguments)?;
                if arguments.each {
                    table.push(seen.row(vec![Value::text(format!("{vessel:?} {seed}")), Value::text(kind.word())]));
                }
                all = all.with(seen);
            }
            if !arguments.each {
                table.push(all.row(vec![Value::text(vessel.word()), Value::text(kind.word())]));
            }
        }
    }
    table.finish(arguments.csv.as_deref())
}

/// Drops bodies and looks at all of them every few steps.
fn drop_into(vessel: Vessel, kind: Kind, seed: u64, arguments: &Arguments) -> Result<Seen> {
    let mut random = Random::new(seed);
    let (ground, walls) = vessel.build(&mut random)?;
    let mut model = Model::builder();
    let material = model.material(Material { friction: FRICTION, ..Material::new("matter") });
    let fixed = model.body(Body::fixed("vessel"));
    for (shape, pose) in walls {
        model.collider(fixed, Collider::new(shape, material).at(pose));
    }
    let mut pieces: Vec<Piece> = Vec::new();
    for (k, place) in vessel.places(arguments.count, &mut random).into_iter().enumerate() {
        let piece = Piece::random(kind, &mut random);
        let body = model.body(
            piece.body(format!("body-{k}"), DENSITY)?.posed(signorini_mechanics::Pose::new(place, random.rotation())),
        );
        model.collider(body, Collider::new(piece.shape(), material).at(piece.collider_pose()));
        pieces.push(piece);
    }
    let moving = pieces.len();
    let settings = Settings { step: arguments.step, ..Settings::default() };
    let mut simulation = Simulation::new(model.build()?, settings)?;
    let points: Vec<Vec<Vec3>> = pieces.iter().map(|piece| piece.points(FINE)).collect();
    let steps = (arguments.seconds / arguments.step).round() as usize;
    ensure!(steps > 0 && arguments.every > 0, "there is nothing to measure");
    let mut seen = Seen { scenes: 1, ..Seen::default() };
    for k in 1..=steps {
        let started = Instant::now();
        let report = simulation.step()?;
        seen.step += started.elapsed().as_secs_f64();
        seen.collision += report.timings.collision;
        seen.broken += usize::from(!report.converged());
        let effort = [report.substeps, report.rounds, report.iterations];
        seen.effort.iter_mut().zip(effort).for_each(|(sum, more)| *sum += f64::from(more) / steps as f64);
        seen.reported = seen.reported.max(report.penetration);
        if !k.is_multiple_of(arguments.every) && k != steps {
            continue;
        }
        let poses = &simulation.state().poses[1..];
        let places: Vec<Place> =
            poses.iter().map(|pose| Place { position: pose.position, rotation: pose.rotation }).collect();
        let mut now = [0.0_f64; 2];
        for (body, piece) in pieces.iter().enumerate() {
            let depth = points[body].iter().map(|point| ground.depth(places[body].of(*point))).fold(0.0, f64::max);
            now[0] = now[0].max(depth);
            let over = depth / RIGHT.max(RIGHT_SHARE * piece.size());
            if over > seen.over {
                let known = known_gap(&simulation, [0, body as u32 + 1]);
                (seen.over, seen.worst) =
                    (over, format!("seed {seed}, step {k}: {} {body}, gap {known:.1e}", piece.name()));
            }
        }
        for [a, b] in close_pairs(&pieces, &places) {
            let right = RIGHT.max(RIGHT_SHARE * pieces[a].size().min(pieces[b].size()));
            for (solid, own) in pieces[a].parts() {
                for (other, its) in pieces[b].parts() {
                    let depth = overlap(solid, &places[a].then(own), other, &places[b].then(its), 1e-7);
                    now[1] = now[1].max(depth);
                    if depth / right > seen.over {
                        let names = [a, b].map(|body| format!("{} {body}", pieces[body].name()));
                        let known = known_gap(&simulation, [a as u32 + 1, b as u32 + 1]);
                        let worst = format!("seed {seed}, step {k}: {}, gap {known:.1e}", names.join(", "));
                        (seen.over, seen.worst) = (depth / right, worst);
                    }
                }
            }
        }
        seen.deepest = [seen.deepest[0].max(now[0]), seen.deepest[1].max(now[1])];
        seen.at_end = now;
        if k == steps {
            seen.lost = places.iter().filter(|place| ground.depth(place.position) > 0.0).count();
        }
    }
    let state = simulation.state();
    seen.speed = state.velocities.iter().map(|v| v.length()).fold(0.0, f64::max);
    seen.wrong = usize::from(seen.over > 1.0);
    let body_steps = (moving * steps) as f64;
    (seen.collision, seen.step) = (seen.collision / body_steps, seen.step / body_steps);
    Ok(seen)
}

/// The least gap of two bodies that the simulation knows of \[m\].
fn known_gap(simulation: &Simulation, bodies: [u32; 2]) -> f64 {
    let of_both = simulation.contacts().iter().filter(|contact| contact.bodies == bodies);
    of_both.map(|contact| contact.gap).fold(f64::INFINITY, f64::min)
}

/// Bodies whose balls meet, by sorting along x.
fn close_pairs(pieces: &[Piece], places: &[Place]) -> Vec<[usize; 2]> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    let largest = pieces.iter().map(Piece::radius).fold(0.0, f64::max);
    order.sort_by(|a, b| places[*a].position.x.total_cmp(&places[*b].position.x));
    let mut pairs = Vec::new();
    for (k, &a) in order.iter().enumerate() {
        for &b in &order[k + 1..] {
            let between = places[b].position - places[a].position;
            if between.x > pieces[a].radius() + largest {
                break;
            }
            if between.length() < pieces[a].radius() + pieces[b].radius() {
                pairs.push([a.min(b), a.max(b)]);
            }
        }
    }
    pairs
}

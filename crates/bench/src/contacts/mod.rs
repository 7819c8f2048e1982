//! Contact detection of a packed bed: our detector against parry's tree of boxes with refit.
//!
//! Both are given the same places step by step and write the same contacts, of the same formula. What parry writes is not
//! sorted; ours is. The whole sequence is repeated; every step counts with its shortest time, and a row with the mean of its
//! steps, those that search for pairs and those that need not.

mod bed;
mod tree;

use crate::table::{Table, Value};
use anyhow::{Result, ensure};
use bed::Bed;
use signorini_collision::{BroadPhase, Contact, Detector};
use std::path::PathBuf;
use std::time::Instant;
use tree::{Refit, TreeDetector};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Spheres
    #[arg(long, default_value_t = 100_000)]
    bodies: usize,
    /// Largest radius over smallest
    #[arg(long, default_value_t = 1.2)]
    spread: f64,
    /// How many of the spheres are ten times as large
    #[arg(long, default_value_t = 0)]
    giants: usize,
    /// Motion of a step in radii, separated by commas
    #[arg(long, value_delimiter = ',', default_value = "0.001,0.01,0.1", value_name = "X,…")]
    motion: Vec<f64>,
    /// Timed steps
    #[arg(long, default_value_t = 30)]
    steps: usize,
    /// Times the steps are repeated
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Leave parry out and compare our grid, our tree and the choice between them
    #[arg(long)]
    choices: bool,
    /// Write the table as CSV, all digits
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
}

/// Steps before the timed ones: buffers grow, trees are put in order.
const WARM_UP: usize = 2;

/// Something that writes contacts of a bed, with the time every step took.
struct Runner {
    name: &'static str,
    threads: usize,
    pool: rayon::ThreadPool,
    kind: Kind,
    seconds: Vec<f64>,
    contacts: Vec<Contact>,
}

enum Kind {
    Ours {
        detector: Box<Detector>,
        /// Search for pairs in every step.
        forget: bool,
    },
    Tree(Box<TreeDetector>),
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let columns =
        ["method", "threads", "bodies", "motion", "contacts", "pairs", "searches", "step", "ratio", "bytes per body"];
    let mut table = Table::new(&columns);
    for &motion in &arguments.motion {
        let mut shortest: Vec<Vec<f64>> = Vec::new();
        let (mut bed, mut runners) = measure(arguments, motion)?;
        for repetition in 0..arguments.repeat.max(1) {
            if repetition > 0 {
                (bed, runners) = measure(arguments, motion)?;
            }
            shortest.resize_with(runners.len(), || vec![f64::INFINITY; arguments.steps]);
            for (shortest, runner) in shortest.iter_mut().zip(&runners) {
                shortest.iter_mut().zip(&runner.seconds).for_each(|(least, now)| *least = least.min(*now));
            }
        }
        let means: Vec<f64> = shortest.iter().map(|steps| steps.iter().sum::<f64>() / steps.len() as f64).collect();
        let rivals = runners.iter().zip(&means).filter(|(runner, _)| matches!(runner.kind, Kind::Tree(_)));
        let fastest = rivals.map(|(_, seconds)| *seconds).fold(f64::INFINITY, f64::min);
        for (runner, seconds) in runners.iter().zip(&means) {
            table.push(runner.row(&bed, motion, *seconds, fastest));
        }
    }
    table.finish(arguments.csv.as_deref())
}

/// One sequence of steps, all methods in turn in each.
fn measure(arguments: &Arguments, motion: f64) -> Result<(Bed, Vec<Runner>)> {
    let mut bed = Bed::new(arguments.bodies, arguments.giants, arguments.spread, motion);
    let mut runners = if arguments.choices { choices(&bed)? } else { contest(&bed)? };
    for step in 0..arguments.steps + WARM_UP {
        bed.step();
        for runner in &mut runners {
            runner.step(&bed, step >= WARM_UP);
        }
        compare(&runners)?;
    }
    Ok((bed, runners))
}

fn contest(bed: &Bed) -> Result<Vec<Runner>> {
    Ok(vec![
        Runner::new("parry, refit", 1, Kind::Tree(Box::new(TreeDetector::new(bed, Refit::Ordered))))?,
        Runner::new("parry, refit in place", 1, Kind::Tree(Box::new(TreeDetector::new(bed, Refit::InPlace))))?,
        Runner::new("ours", 1, ours(bed, BroadPhase::Auto, false)?)?,
        Runner::new("ours", 2, ours(bed, BroadPhase::Auto, false)?)?,
        Runner::new("ours, search every step", 1, ours(bed, BroadPhase::Auto, true)?)?,
        Runner::new("ours, search every step", 2, ours(bed, BroadPhase::Auto, true)?)?,
    ])
}

fn choices(bed: &Bed) -> Result<Vec<Runner>> {
    Ok(vec![
        Runner::new("grid", 1, ours(bed, BroadPhase::Grid, true)?)?,
        Runner::new("tree", 1, ours(bed, BroadPhase::Tree, true)?)?,
        Runner::new("auto", 1, ours(bed, BroadPhase::Auto, true)?)?,
    ])
}

fn ours(bed: &Bed, broad_phase: BroadPhase, forget: bool) -> Result<Kind> {
    let mut detector = Box::new(bed.detector()?);
    detector.set_broad_phase(broad_phase);
    Ok(Kind::Ours { detector, forget })
}

/// The same contacts from all: as many, and with the same sum of gaps but for the order of summation.
fn compare(runners: &[Runner]) -> Result<()> {
    let sum = |runner: &Runner| runner.contacts.iter().map(|contact| contact.gap).sum::<f64>();
    for runner in &runners[1..] {
        let (first, own) = (&runners[0], runner);
        ensure!(
            first.contacts.len() == own.contacts.len() && (sum(first) - sum(own)).abs() <= 1e-9 * sum(first).abs(),
            "{} found {} contacts, {} found {}",
            first.name,
            first.contacts.len(),
            own.name,
            own.contacts.len()
        );
    }
    Ok(())
}

impl Runner {
    fn new(name: &'static str, threads: usize, kind: Kind) -> Result<Self> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { name, threads, pool, kind, seconds: Vec::new(), contacts: Vec::new() })
    }

    fn step(&mut self, bed: &Bed, timed: bool) {
        let Self { pool, kind, contacts, .. } = self;
        let start = Instant::now();
        match kind {
            Kind::Ours { detector, forget } => {
                if *forget {
                    detector.forget();
                }
                pool.install(|| detector.detect(&bed.poses, &bed.reach, bed.envelope, contacts));
            }
            Kind::Tree(tree) => tree.detect(bed, contacts),
        }
        if timed {
            self.seconds.push(start.elapsed().as_secs_f64());
        }
    }

    fn row(&self, bed: &Bed, motion: f64, seconds: f64, fastest_rival: f64) -> Vec<Value> {
        let (bytes, pairs, searches) = match &self.kind {
            Kind::Ours { detector, .. } => {
                let statistics = detector.statistics();
                let searches = Value::Count(statistics.searches as usize);
                (detector.memory_bytes(), Value::Count(statistics.candidates), searches)
            }
            Kind::Tree(tree) => (tree.bytes(), Value::Count(tree.pairs()), Value::Missing),
        };
        let ratio = fastest_rival / seconds;
        vec![
            Value::text(self.name),
            Value::Count(self.threads),
            Value::Count(bed.poses.len()),
            Value::Small(motion),
            Value::Count(self.contacts.len()),
            pairs,
            searches,
            Value::Seconds(seconds),
            if ratio.is_finite() { Value::Ratio(ratio) } else { Value::Missing },
            Value::Count(bytes / bed.poses.len().max(1)),
        ]
    }
}

//! Runs experiments and prints their rows.
#![allow(clippy::print_stdout)]
use signorini_experiments::{Context, Effort, find};
fn main() {
    let stop = std::sync::atomic::AtomicBool::new(false);
    let mut effort = Effort::Quick;
    for id in std::env::args().skip(1) {
        if id == "--full" {
            effort = Effort::Full;
            continue;
        }
        let e = find(&id).unwrap();
        let t = std::time::Instant::now();
        match (e.run)(&Context { effort, stop: &stop, progress: &|_| () }) {
            Ok(o) => {
                for r in &o.rows {
                    println!(
                        "{id} | {:?} | {} | {} | {} | {:?} | {} | {}",
                        r.verdict, r.quantity, r.published, r.ours, r.ratio, r.command, r.note
                    );
                }
            }
            Err(e) => println!("{id} ERROR {e:#}"),
        }
        println!("{id}: {:.2} s\n", t.elapsed().as_secs_f64());
    }
}

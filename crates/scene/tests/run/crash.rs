//! Runs that are killed or stopped go on to the same bits.

use crate::support::{Folder, STEPS, TEXT, copy, scene, start, steps_without_timings};
use serde_json::Value;
use signorini_mechanics::{Energy, State, StepReport};
use signorini_scene::run::{Ending, EnergyRecord, Observer, Run, RunFolder, RunOptions, RunStatus};
use signorini_scene::{Overrides, Scene, parse};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything is written, with checkpoints every seven steps.
fn busy_scene() -> Scene {
    let mut scene = scene();
    scene.output.contacts = true;
    scene.output.forces = true;
    scene.output.vtk = true;
    scene.output.every = 3;
    scene.output.checkpoint_every = Some(7);
    scene
}

/// Keeps what is on the disk after every step: what a process that is killed then would leave.
struct Snapshots<'a> {
    run: &'a Path,
    taken: Vec<PathBuf>,
    target: PathBuf,
}

impl Observer for Snapshots<'_> {
    fn step(&mut self, report: &StepReport) {
        let copy_to = self.target.join(report.step.to_string());
        copy(self.run, &copy_to);
        self.taken.push(copy_to);
    }
}

fn append(path: &Path, bytes: &[u8]) {
    fs::File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

fn assert_same_results(a: &Path, b: &Path) {
    for name in ["trajectory.bin", "contacts.csv", "forces.csv", "checkpoint.bin"] {
        let (left, right) = (fs::read(a.join(name)).unwrap(), fs::read(b.join(name)).unwrap());
        // The checkpoint holds the length of steps.csv, whose timings differ; its state is compared below.
        assert!(name == "checkpoint.bin" || left == right, "{name} of {} differs", b.display());
    }
    assert_eq!(steps_without_timings(a), steps_without_timings(b));
    let (a_run, b_run) = (RunFolder::open(a).unwrap(), RunFolder::open(b).unwrap());
    let (left, right) = (a_run.checkpoint().unwrap(), b_run.checkpoint().unwrap());
    assert_eq!((&left.state, &left.warm), (&right.state, &right.warm));
    let hash = |run: &RunFolder| run.manifest().summary.clone().unwrap().state_hash;
    assert_eq!(hash(&a_run), hash(&b_run));
    let counted = |run: &RunFolder| {
        let summary = run.manifest().summary.clone().unwrap();
        (summary.steps, summary.contacts, summary.solver, summary.penetration_max.to_bits(), summary.energy)
    };
    assert_eq!(format!("{:?}", counted(&a_run)), format!("{:?}", counted(&b_run)));
    for entry in fs::read_dir(a.join("vtk")).unwrap() {
        let name = entry.unwrap().file_name();
        let (left, right) = (fs::read(a.join("vtk").join(&name)), fs::read(b.join("vtk").join(&name)));
        assert_eq!(left.unwrap(), right.unwrap(), "{name:?}");
    }
}

#[test]
fn a_killed_run_is_readable_at_its_last_step_and_resumes_to_the_same_bits() {
    let folder = Folder::new();
    let whole = folder.join("whole");
    let mut run = start(&whole, busy_scene());
    let mut snapshots = Snapshots { run: &whole, taken: Vec::new(), target: folder.join("killed") };
    run.go(None, &mut snapshots).unwrap();
    drop(run);
    assert_eq!(snapshots.taken.len() as u64, STEPS);
    let before = Energy::of(&scene().model, &State::start_of(&scene().model));
    for (k, killed) in snapshots.taken.iter().enumerate() {
        let open = RunFolder::open(killed).unwrap();
        assert_eq!(open.manifest().status, RunStatus::Running);
        assert_eq!(open.last_step().unwrap(), k as u64 + 1);
        assert_eq!(open.frames().unwrap().len(), 1 + (k as u64 + 1) / 3);
        // The observer is told before the checkpoint of the same step is written.
        assert_eq!(open.checkpoint().unwrap().state.step, k as u64 / 7 * 7);
        let energy = open.summary().unwrap().energy;
        assert_eq!((energy.start, energy.total), (before.total(), open.steps().unwrap()[k].total()));
        assert!(open.contacts().unwrap().unwrap().iter().all(|contact| contact.step % 3 == 0));
        assert_eq!(open.forces().unwrap().unwrap().len(), 1 + (k + 1) / 3);
    }
    for &step in &[1, 7, 25, 40] {
        let killed = &snapshots.taken[step - 1];
        // What a write that was cut short leaves.
        append(&killed.join("trajectory.bin"), &[7; 100]);
        append(&killed.join("steps.csv"), b"26,0.26,3,");
        append(&killed.join("contacts.csv"), b"26,0.26,\"floor");
        append(&killed.join("forces.csv"), b"26,0.26,joint,hi");
        fs::write(killed.join(".checkpoint.bin.tmp"), b"SIGNCK").unwrap();
        assert_eq!(RunFolder::open(killed).unwrap().last_step().unwrap(), step as u64);
        let mut resumed = Run::resume(killed, None, None).unwrap();
        assert_eq!(resumed.go(None, &mut ()).unwrap(), Ending::Finished);
        assert_same_results(&whole, killed);
    }
}

#[test]
fn a_line_cut_short_anywhere_is_left_out() {
    let folder = Folder::new();
    let path = folder.join("a");
    start(&path, scene()).go(None, &mut ()).unwrap();
    let text = fs::read(path.join("steps.csv")).unwrap();
    let last = text[..text.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap() + 1;
    for length in (last..text.len()).chain([0, 5]) {
        fs::write(path.join("steps.csv"), &text[..length]).unwrap();
        let found = RunFolder::open(&path).unwrap().last_step().unwrap();
        assert_eq!(found, if length < last { 0 } else { STEPS - 1 }, "{length}");
    }
}

/// Stops a run from outside after a number of steps.
struct StopAfter<'a>(u64, &'a AtomicBool);

impl Observer for StopAfter<'_> {
    fn step(&mut self, report: &StepReport) {
        self.1.store(report.step >= self.0, Ordering::Relaxed);
    }
}

#[test]
fn an_interrupted_run_goes_on_from_where_it_was_also_beyond_its_end() {
    let folder = Folder::new();
    let (whole, parts) = (folder.join("whole"), folder.join("parts"));
    let mut longer = busy_scene();
    longer.until = 0.5;
    start(&whole, longer).go(None, &mut ()).unwrap();

    let cancel = AtomicBool::new(false);
    let mut run = start(&parts, busy_scene());
    assert_eq!(run.go(Some(&cancel), &mut StopAfter(11, &cancel)).unwrap(), Ending::Interrupted);
    drop(run);
    let open = RunFolder::open(&parts).unwrap();
    assert_eq!((open.manifest().status, open.last_step().unwrap()), (RunStatus::Interrupted, 11));
    assert_eq!(open.checkpoint().unwrap().state.step, 11);

    assert_eq!(Run::resume(&parts, None, None).unwrap().go(None, &mut ()).unwrap(), Ending::Finished);
    assert_eq!(RunFolder::open(&parts).unwrap().last_step().unwrap(), STEPS);
    // Nothing left to do; then ten steps more, on one thread.
    assert_eq!(Run::resume(&parts, None, None).unwrap().go(None, &mut ()).unwrap(), Ending::Finished);
    Run::resume(&parts, Some(50), Some(false)).unwrap().go(None, &mut ()).unwrap();
    assert_same_results(&whole, &parts);
}

#[test]
fn a_controlled_run_remembers_its_integral_across_a_stop() {
    let motor = r#"
[forces.motor]
type = "motor"
bodies = ["floor, the", "arm"]
axis = [0, 1, 0]
pid = { proportional = 2, integral = 20, derivative = 0.2, target = -0.5, limit = 3 }
"#;
    let scene = || {
        let mut scene = parse(&format!("{TEXT}{motor}"), "driven.toml", None, &Overrides::default()).unwrap();
        scene.output.forces = true;
        scene
    };
    let folder = Folder::new();
    let (whole, parts) = (folder.join("whole"), folder.join("parts"));
    start(&whole, scene()).go(None, &mut ()).unwrap();
    let cancel = AtomicBool::new(false);
    let mut run = start(&parts, scene());
    assert_eq!(run.go(Some(&cancel), &mut StopAfter(11, &cancel)).unwrap(), Ending::Interrupted);
    drop(run);
    let kept = RunFolder::open(&parts).unwrap().checkpoint().unwrap().state.memory;
    assert!(kept.len() == 1 && kept[0] != 0.0, "{kept:?}");
    assert_eq!(Run::resume(&parts, None, None).unwrap().go(None, &mut ()).unwrap(), Ending::Finished);
    let ends = [&whole, &parts].map(|path| RunFolder::open(path).unwrap().checkpoint().unwrap());
    assert_eq!((&ends[0].state, &ends[0].warm), (&ends[1].state, &ends[1].warm));
    for name in ["trajectory.bin", "forces.csv"] {
        assert_eq!(fs::read(whole.join(name)).unwrap(), fs::read(parts.join(name)).unwrap(), "{name}");
    }
}

#[test]
fn a_run_killed_before_its_first_files_is_no_obstacle() {
    let folder = Folder::new();
    let path = folder.join("a");
    fs::create_dir_all(&path).unwrap();
    fs::write(path.join(".run.json.tmp"), b"{").unwrap();
    fs::write(path.join(".lock"), b"").unwrap();
    fs::write(path.join("trajectory.bin"), [0; 77]).unwrap();
    fs::write(path.join("checkpoint.bin"), b"SIGNCKPT").unwrap();
    assert!(RunFolder::open(&path).unwrap_err().to_string().contains("is no run folder"));
    assert_eq!(start(&path, scene()).go(None, &mut ()).unwrap(), Ending::Finished);
}

/// The hash of the model of [`TEXT`] that the program wrote before hashes covered all numbers.
const EARLIER_HASH: &str = "53a3b7907d297aee";

/// A folder as programs wrote it that judged steps by their residuals alone: no column `broken`, three columns of work, no account of
/// energy, a hash of the model that leaves out numbers, no energy before the first step, no inertia.
fn as_earlier_programs_wrote(folder: &Path) {
    let steps = folder.join("steps.csv");
    let text = fs::read_to_string(&steps).unwrap();
    let gone = ["work_damping_J", "work_numerical_J", "broken"];
    let names: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let without = |line: &str| {
        let kept = line.split(',').zip(&names).filter(|(_, name)| !gone.contains(&name.as_str()));
        let kept = kept.map(|(field, _)| if field == "work_drives_J" { "work_rest_J" } else { field });
        kept.collect::<Vec<_>>().join(",") + "\n"
    };
    let text: String = text.lines().map(without).collect();
    fs::write(&steps, &text).unwrap();
    let manifest = folder.join("run.json");
    let mut run: Value = serde_json::from_slice(&fs::read(&manifest).unwrap()).unwrap();
    run["model_hash"] = EARLIER_HASH.into();
    run.as_object_mut().unwrap().remove("energy_at_start").unwrap();
    for body in run["bodies"].as_array_mut().unwrap() {
        let body = body.as_object_mut().unwrap();
        assert!(body.remove("inertia").is_some() && body.remove("centre_of_mass").is_some());
    }
    fs::write(&manifest, run.to_string()).unwrap();
    let checkpoint = folder.join("checkpoint.bin");
    let mut bytes = fs::read(&checkpoint).unwrap();
    // Four numbers of the account, how bodies have rested and the checksum; before them four lengths, that of steps.csv first.
    let bodies = RunFolder::open(folder).unwrap().checkpoint().unwrap().warm.rest.len();
    bytes.truncate(bytes.len() - 40 - 8 - 20 * bodies);
    let lengths = bytes.len() - 32;
    bytes[lengths..lengths + 8].copy_from_slice(&(text.len() as u64).to_le_bytes());
    let fnv = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    let sum = bytes.iter().fold(0xcbf2_9ce4_8422_2325, fnv);
    bytes.extend(sum.to_le_bytes());
    fs::write(&checkpoint, bytes).unwrap();
}

#[test]
fn a_folder_of_an_earlier_program_is_read_and_resumed() {
    let folder = Folder::new();
    let (whole, half) = (folder.join("whole"), folder.join("half"));
    let overrides = Overrides::default();
    let options = |steps| RunOptions { steps: Some(steps), ..RunOptions::default() };
    Run::create(&whole, scene(), &overrides, &options(STEPS)).unwrap().go(None, &mut ()).unwrap();
    Run::create(&half, scene(), &overrides, &options(STEPS / 2)).unwrap().go(None, &mut ()).unwrap();
    as_earlier_programs_wrote(&half);
    let read = RunFolder::open(&half).unwrap();
    assert!(read.steps().unwrap().iter().all(|row| row.converged()));
    assert_eq!(read.checkpoint().unwrap().warm.energy, None);
    assert_eq!(read.manifest().energy_at_start, None);
    assert_eq!(read.summary().unwrap().energy.start, read.steps().unwrap()[0].total());
    let mut run = Run::resume(&half, Some(STEPS), None).unwrap();
    run.go(None, &mut ()).unwrap();
    assert_eq!(run.summary().steps, STEPS);
    drop(run);
    let (read, other) = (RunFolder::open(&half).unwrap(), RunFolder::open(&whole).unwrap());
    assert_eq!(read.steps().unwrap().len() as u64, STEPS);
    let energy = |run: &RunFolder| run.manifest().summary.clone().unwrap().energy;
    // What the first half says about its work meant something else, so that there is no sum.
    assert!(energy(&other).work.is_some());
    let expected = EnergyRecord { work: None, ..energy(&other) };
    assert_eq!(energy(&read), expected, "the books start before the first step again");
    assert_eq!(read.checkpoint().unwrap().state.hash(), other.checkpoint().unwrap().state.hash());
    assert!(fs::read_to_string(half.join("steps.csv")).unwrap().lines().next().unwrap().contains(",broken,"));
}

/// Steps with all promises, but three columns of work: as the program wrote them before its books closed.
#[test]
fn a_folder_with_other_columns_of_work_is_resumed_with_those_of_this_program() {
    let folder = Folder::new();
    let (whole, half) = (folder.join("whole"), folder.join("half"));
    let overrides = Overrides::default();
    let options = |steps| RunOptions { steps: Some(steps), ..RunOptions::default() };
    Run::create(&whole, scene(), &overrides, &options(STEPS)).unwrap().go(None, &mut ()).unwrap();
    Run::create(&half, scene(), &overrides, &options(STEPS / 2)).unwrap().go(None, &mut ()).unwrap();
    let steps = half.join("steps.csv");
    let text = fs::read_to_string(&steps).unwrap();
    let names: Vec<String> = text.lines().next().unwrap().split(',').map(str::to_owned).collect();
    let earlier = |line: &str| {
        let kept =
            line.split(',').zip(&names).filter(|(_, name)| *name != "work_damping_J" && *name != "work_numerical_J");
        let kept = kept.map(|(field, _)| if field == "work_drives_J" { "work_rest_J" } else { field });
        kept.collect::<Vec<_>>().join(",") + "\n"
    };
    fs::write(&steps, text.lines().map(earlier).collect::<String>()).unwrap();
    Run::resume(&half, Some(STEPS), None).unwrap().go(None, &mut ()).unwrap();
    let (read, other) = (RunFolder::open(&half).unwrap(), RunFolder::open(&whole).unwrap());
    let (rows, expected) = (read.steps().unwrap(), other.steps().unwrap());
    assert_eq!(rows.len(), expected.len());
    let first = STEPS as usize / 2;
    assert!(rows[..first].iter().all(|row| row.work.is_none()));
    assert!(rows[first..].iter().zip(&expected[first..]).all(|(row, other)| row.work == other.work));
    assert_eq!(read.checkpoint().unwrap().state.hash(), other.checkpoint().unwrap().state.hash());
}

//! Folders that are incomplete, damaged or of another version.

use crate::runs::{Folder, balls, gallery};
use proptest::prelude::*;
use signorini_scene::run::RunFolder;
use signorini_view::{PageOptions, ViewError};
use std::fs;
use std::sync::OnceLock;

/// Ten bodies: 131 numbers a frame.
const FRAME: usize = 8 * (1 + 13 * 10);

fn spoil(folder: &Folder, name: &str, change: impl FnOnce(&mut Vec<u8>)) {
    let path = folder.file(name);
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    fs::write(path, bytes).unwrap();
}

fn notes(folder: &Folder) -> (u64, String) {
    let (report, page) = folder.show(&PageOptions::default()).unwrap();
    assert!(report.is_damaged, "{:?}", report.notes);
    assert_eq!(page.at("/notes").as_array().unwrap().len(), report.notes.len());
    (report.frames, report.notes.join("\n"))
}

fn refusal(folder: &Folder) -> ViewError {
    folder.show(&PageOptions::default()).err().unwrap()
}

#[test]
fn frames_are_shown_up_to_the_last_good_one() {
    let whole = balls();
    let name = RunFolder::open(&whole.0).unwrap().manifest().bodies[3].name.clone();
    for (number, value, said) in [
        (0, f64::NAN, "the time is NaN s"),
        (0, 0.01, "the time is 0.01 s, expected more than 0.11"),
        (1 + 13 * 3 + 1, f64::INFINITY, "position of body `NAME` has the component inf"),
        (1 + 13 * 3 + 3, 4.0, "the quaternion of body `NAME` has length"),
        (1 + 13 * 3 + 8, 1e200, "velocity of body `NAME` has the component 1e200"),
    ] {
        let folder = whole.copy();
        let at = 12 * FRAME + 8 * number;
        spoil(&folder, "trajectory.bin", |bytes| bytes[at..at + 8].copy_from_slice(&value.to_le_bytes()));
        let (frames, notes) = notes(&folder);
        assert_eq!(frames, 12, "{notes}");
        let where_it_is = "trajectory.bin is damaged in the frame after step 12: ";
        assert!(notes.contains(where_it_is) && notes.contains("shown up to step 11, the last good one"), "{notes}");
        assert!(notes.contains(&said.replace("NAME", &name)), "{said}: {notes}");
    }
    let folder = whole.copy();
    spoil(&folder, "trajectory.bin", |bytes| bytes.truncate(5 * FRAME + 100));
    let (frames, notes) = notes(&folder);
    assert_eq!(frames, 5);
    assert!(notes.contains("it has 5 of 31 frames; shown up to step 4, the last good one"), "{notes}");
}

#[test]
fn nothing_to_show_is_an_error_that_names_the_file() {
    let whole = balls();
    let folder = whole.copy();
    spoil(&folder, "trajectory.bin", |bytes| bytes.truncate(100));
    let error = refusal(&folder);
    assert!(
        error.to_string().contains("trajectory.bin: there is nothing to show: it has no complete frame"),
        "{error}"
    );
    assert!(error.hint().is_some());
    fs::remove_file(folder.file("trajectory.bin")).unwrap();
    assert!(refusal(&folder).to_string().contains("cannot read") && refusal(&folder).hint().is_some());
    let folder = whole.copy();
    spoil(&folder, "run.json", |bytes| bytes.truncate(bytes.len() / 2));
    assert!(refusal(&folder).to_string().contains("run.json is damaged"));
    fs::remove_file(folder.file("run.json")).unwrap();
    assert!(refusal(&folder).to_string().contains("is no run folder"));
}

#[test]
fn other_versions_are_shown_if_older_and_told_if_newer() {
    let whole = balls();
    let with = |format: &str, change: &dyn Fn(&mut serde_json::Value)| {
        let folder = whole.copy();
        spoil(&folder, "run.json", |bytes| {
            let mut value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
            value["format"] = format.parse::<u64>().unwrap().into();
            change(&mut value);
            *bytes = serde_json::to_vec(&value).unwrap();
        });
        folder
    };
    let error = refusal(&with("4", &|_| {}));
    assert!(error.to_string().ends_with("run.json has format 4, expected 3"), "{error}");
    assert!(error.hint().unwrap().contains("newer"));
    // As format 1 was: no flexible bodies, no joints, no forces, fewer columns.
    let folder = with("1", &|value| {
        let value = value.as_object_mut().unwrap();
        value.remove("flexible");
        value.remove("joints");
        value["output"].as_object_mut().unwrap().remove("forces");
    });
    let gone = [
        "elastic_J",
        "work_contacts_J",
        "work_joints_J",
        "work_drives_J",
        "work_damping_J",
        "work_numerical_J",
        "substeps",
        "shortest_step_s",
        "error_m",
        "error_rad",
    ];
    spoil(&folder, "steps.csv", |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
        let kept = |line: &str| {
            let fields = line.split(',').zip(&names).filter(|(_, name)| !gone.contains(name));
            fields.map(|(field, _)| field).collect::<Vec<_>>().join(",") + "\n"
        };
        *bytes = text.lines().map(kept).collect::<String>().into_bytes();
    });
    let (report, page) = folder.show(&PageOptions::default()).unwrap();
    assert!(!report.is_damaged && report.frames == 31, "{:?}", report.notes);
    assert!(report.notes[0].contains("the run has format 1, this program writes 3"), "{:?}", report.notes);
    assert_eq!(page.f64s("/series_time").len(), 30);
}

#[test]
fn steps_contacts_forces_and_meshes_are_shown_as_far_as_they_go() {
    let whole = balls();
    let folder = whole.copy();
    spoil(&folder, "steps.csv", |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let spoilt = lines[9].replacen(",", ",x", 1);
        *bytes = [&lines[..9], &[&spoilt], &lines[10..]].concat().join("\n").into_bytes();
        bytes.push(b'\n');
    });
    let (report, page) = folder.show(&PageOptions::default()).unwrap();
    assert!(report.is_damaged && report.frames == 31);
    assert!(report.notes[0].contains("steps.csv is damaged: line 10: time_s is `x"), "{:?}", report.notes);
    assert!(report.notes[0].contains("plots end with step 8") && page.f64s("/series_time").len() == 8);
    fs::remove_file(folder.file("steps.csv")).unwrap();
    let (frames, said) = notes(&folder);
    assert!(frames == 31 && said.contains("steps.csv") && said.contains("there are no plots"), "{said}");

    let folder = whole.copy();
    spoil(&folder, "contacts.csv", |bytes| bytes.truncate(bytes.len() - 30));
    let (_, said) = notes(&folder);
    assert!(said.contains("contacts.csv was cut short; contacts end with step 30"), "{said}");
    spoil(&folder, "contacts.csv", |bytes| {
        let text = String::from_utf8(bytes.clone()).unwrap();
        *bytes = text.replace(",floor,", ",flor,").into_bytes();
    });
    let (_, said) = notes(&folder);
    assert!(said.contains("there is no body `flor` in run.json"), "{said}");
    fs::remove_file(folder.file("contacts.csv")).unwrap();
    let (_, said) = notes(&folder);
    assert!(said.contains("contacts are not shown: cannot read"), "{said}");

    let folder = whole.copy();
    spoil(&folder, "forces.csv", |bytes| bytes.truncate(bytes.len() / 2));
    let (_, said) = notes(&folder);
    assert!(said.contains("forces.csv was cut short; forces of joints end with step "), "{said}");
    fs::remove_file(folder.file("forces.csv")).unwrap();
    let (_, said) = notes(&folder);
    assert!(said.contains("forces of joints are not shown: cannot read"), "{said}");

    let folder = gallery("falling-elastic-block", 1);
    spoil(&folder, "flexible.json", |bytes| bytes.truncate(1000));
    let (_, said) = notes(&folder);
    assert!(said.contains("flexible bodies are not shown: ") && said.contains("flexible.json is damaged"), "{said}");
}

const FILES: [&str; 5] = ["run.json", "trajectory.bin", "steps.csv", "contacts.csv", "forces.csv"];

fn sample() -> &'static Folder {
    static WHOLE: OnceLock<Folder> = OnceLock::new();
    WHOLE.get_or_init(balls)
}

fn elastic() -> &'static Folder {
    static WHOLE: OnceLock<Folder> = OnceLock::new();
    WHOLE.get_or_init(|| gallery("falling-elastic-block", 1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn files_cut_anywhere_never_stop_the_program(file in 0..FILES.len(), share in 0.0..1.0_f64) {
        let folder = sample().copy();
        spoil(&folder, FILES[file], |bytes| bytes.truncate((share * bytes.len() as f64) as usize));
        match folder.show(&PageOptions::default()) {
            Ok((report, _)) => prop_assert!(report.frames >= 1),
            Err(error) => prop_assert!(error.to_string().contains(FILES[file]), "{error}"),
        }
    }

    #[test]
    fn bytes_overwritten_anywhere_never_stop_the_program(
        file in 0..FILES.len(), share in 0.0..1.0_f64, new in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let folder = sample().copy();
        spoil(&folder, FILES[file], |bytes| {
            let at = (share * (bytes.len() - new.len()) as f64) as usize;
            bytes[at..at + new.len()].copy_from_slice(&new);
        });
        if let Ok((report, page)) = folder.show(&PageOptions::default()) {
            prop_assert!(report.frames >= 1);
            // Nothing that is not finite comes through.
            prop_assert!(page.at("/contacts").is_null() || page.f32s("/contacts/point").iter().all(|x| x.is_finite()));
        }
    }

    #[test]
    fn digits_changed_in_texts_never_stop_the_program(share in 0.0..1.0_f64, digit in b'0'..=b'9', mesh in any::<bool>()) {
        let folder = if mesh { elastic().copy() } else { sample().copy() };
        spoil(&folder, if mesh { "flexible.json" } else { "run.json" }, |bytes| {
            let start = (share * bytes.len() as f64) as usize;
            if let Some(at) = (start..bytes.len()).find(|at| bytes[*at].is_ascii_digit()) {
                bytes[at] = digit;
            }
        });
        let _ = folder.show(&PageOptions::default());
    }
}

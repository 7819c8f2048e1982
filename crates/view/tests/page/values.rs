//! What the page says is what the run folder says.

use crate::decoder::Page;
use crate::runs::{Folder, balls, gallery};
use signorini_mechanics::Vec3;
use signorini_scene::run::{Frame, RunFolder, export_vtk};
use signorini_view::{PageOptions, Recording, ViewError, write_page};

fn frames(folder: &Folder) -> Vec<Frame> {
    let mut frames = RunFolder::open(&folder.0).unwrap().frames().unwrap();
    (0..frames.len()).map(|k| frames.get(k).unwrap()).collect()
}

/// Half a unit, and rounding.
const HALF: f64 = 0.5 + 1e-6;

fn check_motion(page: &Page, frames: &[Frame]) {
    let moving = page.u32s("/motion/bodies");
    let (position, unit) = page.quantised("/motion/position", "/motion/low", "/motion/high", 3);
    let rotation = page.signed("/motion/rotation", 1.0);
    let scale = |name: &str| page.at(name).as_f64().unwrap();
    let velocity = page.signed("/motion/velocity", scale("/motion/velocity_scale"));
    let angular = page.signed("/motion/angular", scale("/motion/angular_scale"));
    assert_eq!(position.len(), frames.len() * moving.len() * 3);
    for (f, frame) in frames.iter().enumerate() {
        for (b, body) in moving.iter().enumerate() {
            let (body, at) = (&frame.bodies[*body as usize], f * moving.len() + b);
            for k in 0..3 {
                let error = (position[3 * at + k] - body.pose.position[k]).abs();
                assert!(error <= HALF * unit[k], "{error} {}", unit[k]);
                let error = (velocity[3 * at + k] - body.velocity[k]).abs();
                assert!(error <= HALF * scale("/motion/velocity_scale") / 32767.0);
                let error = (angular[3 * at + k] - body.angular_velocity[k]).abs();
                assert!(error <= HALF * scale("/motion/angular_scale") / 32767.0);
            }
            let q = &rotation[4 * at..4 * at + 4];
            let expected = body.pose.rotation.to_array();
            let sign = if q.iter().zip(expected).map(|(a, b)| a * b).sum::<f64>() < 0.0 { -1.0 } else { 1.0 };
            assert!(q.iter().zip(expected).all(|(a, b)| (sign * a - b).abs() <= HALF / 32767.0), "{q:?} {expected:?}");
        }
    }
}

/// Contacts have 15 bits after the leading one.
fn assert_coarse(found: f32, expected: f64) {
    assert!((f64::from(found) - expected).abs() <= expected.abs() / 65536.0 * 1.01, "{found} {expected}");
}

#[test]
fn motion_contacts_joints_and_series_are_those_of_the_folder() {
    let folder = balls();
    let (report, page) = folder.show(&PageOptions::default()).unwrap();
    let (frames, run) = (frames(&folder), RunFolder::open(&folder.0).unwrap());
    assert_eq!((report.frames, report.frames_recorded, report.is_damaged), (31, 31, false));
    assert_eq!(report.notes, Vec::<String>::new());
    assert_eq!(page.f64s("/frames/time"), frames.iter().map(|frame| frame.time).collect::<Vec<_>>());
    assert_eq!(page.u32s("/frames/step"), (0..31).collect::<Vec<u32>>());
    check_motion(&page, &frames);

    let names: Vec<&str> = run.manifest().names().collect();
    let rows = run.contacts().unwrap().unwrap();
    let (start, bodies) = (page.u32s("/contacts/start"), page.u32s("/contacts/bodies"));
    assert!(rows.len() > 20 && start.len() == 32 && start[31] as usize == rows.len());
    let arrays = ["point", "normal", "force", "gap"].map(|name| page.f32s(&format!("/contacts/{name}")));
    for (k, row) in rows.iter().enumerate() {
        assert!((start[row.step as usize]..start[row.step as usize + 1]).contains(&(k as u32)));
        assert_eq!([names[bodies[2 * k] as usize], names[bodies[2 * k + 1] as usize]], [&row.body_a, &row.body_b]);
        let vectors = [[row.x, row.y, row.z], [row.nx, row.ny, row.nz], [row.fx, row.fy, row.fz]];
        for (array, vector) in arrays.iter().zip(vectors) {
            (0..3).for_each(|i| assert_coarse(array[3 * k + i], vector[i]));
        }
        assert_coarse(arrays[3][k], row.gap);
    }

    // The hinge: its two points coincide, its axis is the world's y, its forces are those of forces.csv.
    let joint = page.at("/joints/0");
    assert_eq!((&joint["name"], &joint["type"]), (&"hinge".into(), &"revolute".into()));
    let vector = |value: &serde_json::Value| Vec3::from_array([0, 1, 2].map(|k| value[k].as_f64().unwrap()));
    let [a, b] = [0, 1].map(|k| frames[0].bodies[joint["bodies"][k].as_u64().unwrap() as usize].pose);
    let points = [a * vector(&joint["points"][0]), b * vector(&joint["points"][1])];
    assert!(points.iter().all(|point| (*point - Vec3::new(1.0, 0.0, 1.0)).length() < 1e-12), "{points:?}");
    assert!((b.rotation * vector(&joint["axis"]) - Vec3::Y).length() < 1e-12);
    let forces = run.forces().unwrap().unwrap();
    for (name, of) in [("force", 0), ("torque", 1)] {
        let found = page.f32s(&format!("/joint_forces/{name}"));
        for row in &forces {
            let expected = [row.force, row.torque][of].unwrap_or_default().map(|x| x as f32);
            assert_eq!(found[3 * row.step as usize..3 * row.step as usize + 3], expected);
        }
    }

    let steps = run.steps().unwrap();
    assert_eq!(page.f64s("/series_time"), steps.iter().map(|row| row.time).collect::<Vec<_>>());
    let total = page.f64s("/series/0/curves/2/values");
    assert_eq!(total, steps.iter().map(|row| row.kinetic + row.potential).collect::<Vec<_>>());
    assert_eq!(page.at("/series/0/curves/2/name"), "total");
}

#[test]
fn text_of_a_scene_cannot_become_markup() {
    let folder = balls();
    let (_, page) = folder.show(&PageOptions::default()).unwrap();
    assert_eq!(page.at("/title"), "Balls </script><b> & a pendulum");
    assert!(!page.html.contains("<b> & a pendulum") && !page.html.contains("@@SIGNORINI"));
    assert!(page.html.contains("<title>balls - Signorini</title>"));
}

#[test]
fn elastic_fields_are_those_of_vtk() {
    let folder = gallery("elastic-cantilever", 4);
    let (_, page) = folder.show(&PageOptions::default()).unwrap();
    let vtk = Folder::new();
    export_vtk(&RunFolder::open(&folder.0).unwrap(), &vtk.0, |_| {}).unwrap();
    let nodes = page.at("/flexible/0/nodes").as_u64().unwrap() as usize;
    let names: Vec<_> = (0..3).map(|k| page.at(&format!("/flexible/0/fields/{k}/name")).clone()).collect();
    assert_eq!(names, ["displacement", "speed", "von Mises stress"]);
    let field = |k: usize| {
        let base = format!("/flexible/0/fields/{k}/");
        page.quantised(&(base.clone() + "values"), &(base.clone() + "low"), &(base + "high"), 1)
    };
    let position = page.quantised("/flexible/0/position", "/flexible/0/low", "/flexible/0/high", 3);
    let fields = [field(0), field(1), field(2)];
    let mut files: Vec<_> = std::fs::read_dir(&vtk.0).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.to_string_lossy().contains("flexible") && path.extension().is_some_and(|e| e == "vtu"));
    files.sort();
    assert_eq!(files.len(), 5);
    for (frame, file) in files.iter().enumerate() {
        let bytes = std::fs::read(file).unwrap();
        let lengths = |name: &str| -> Vec<f64> {
            raw(&bytes, name).chunks(3).map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt()).collect()
        };
        let expected = [lengths("displacement"), lengths("velocity"), raw(&bytes, "von_mises")];
        for ((values, unit), expected) in fields.iter().zip(expected) {
            for (k, expected) in expected.iter().enumerate() {
                let error = (values[frame * nodes + k] - expected).abs();
                // Stress is kept in single precision between the two readings.
                assert!(error <= HALF * unit[0] + 1e-7 * expected.abs(), "{error} {}", unit[0]);
            }
        }
        for (k, expected) in raw(&bytes, "Points").iter().enumerate() {
            assert!((position.0[frame * 3 * nodes + k] - expected).abs() <= HALF * position.1[k % 3]);
        }
    }
    // The surface is closed: Euler's characteristic of a ball, V − E + F = 2.
    let triangles = page.u32s("/flexible/0/triangles");
    let mut corners = triangles.clone();
    corners.sort_unstable();
    corners.dedup();
    let faces = triangles.len() / 3;
    assert_eq!(corners.len() + faces, 2 + faces * 3 / 2);
}

/// The first array of a name in the raw data at the end of a VTU file.
fn raw(bytes: &[u8], name: &str) -> Vec<f64> {
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes.windows(mark.len()).position(|part| part == mark).unwrap() + mark.len();
    let text = String::from_utf8_lossy(&bytes[..start]);
    let line = text.lines().find(|line| line.contains(&format!("Name=\"{name}\""))).unwrap();
    let offset: usize = line.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    let at = start + offset;
    let length = u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    bytes[at + 8..at + 8 + length].as_chunks::<8>().0.iter().map(|eight| f64::from_le_bytes(*eight)).collect()
}

#[test]
fn fewer_frames_are_every_kth_with_both_ends_and_the_page_says_so() {
    let folder = balls();
    let all = frames(&folder);
    let show = |options| folder.show(&options).unwrap();
    let (report, page) = show(PageOptions { every: Some(7), ..PageOptions::default() });
    assert_eq!(page.u32s("/frames/step"), [0, 7, 14, 21, 28, 30]);
    let said = "every 7th of 31 frames and the last are shown, 6 in all; --max-size, --frames or --every change that";
    assert_eq!(report.notes, [said]);
    assert_eq!(page.at("/notes/0"), said);
    let kept: Vec<Frame> = [0, 7, 14, 21, 28, 30].map(|k: usize| all[k].clone()).to_vec();
    check_motion(&page, &kept);
    let (_, page) = show(PageOptions { frames: Some(3), ..PageOptions::default() });
    assert_eq!(page.u32s("/frames/step"), [0, 15, 30]);
    // A small page has few contacts, the strongest of each frame.
    let most_bytes = 24_000;
    let (report, page) = show(PageOptions { most_bytes, ..PageOptions::default() });
    assert!(report.data_bytes <= most_bytes + 4000, "{}", report.data_bytes);
    assert!(report.frames < 31 && report.notes.iter().any(|note| note.contains("of 31 frames")), "{:?}", report.notes);
    let start = page.u32s("/contacts/start");
    let rows = RunFolder::open(&folder.0).unwrap().contacts().unwrap().unwrap();
    let force = page.f32s("/contacts/force");
    for (frame, step) in page.u32s("/frames/step").iter().enumerate() {
        let shown = (start[frame + 1] - start[frame]) as usize;
        let size = |f: [f64; 3]| f.iter().map(|x| x * x).sum::<f64>().sqrt();
        let now = rows.iter().filter(|row| row.step == u64::from(*step));
        let mut sizes: Vec<f64> = now.map(|row| size([row.fx, row.fy, row.fz])).collect();
        sizes.sort_by(|a, b| b.total_cmp(a));
        let mut found: Vec<f64> = (start[frame] as usize..start[frame] as usize + shown)
            .map(|k| size([0, 1, 2].map(|axis| f64::from(force[3 * k + axis]))))
            .collect();
        found.sort_by(|a, b| b.total_cmp(a));
        assert!(
            found.iter().zip(&sizes).all(|(a, b)| (a - b).abs() <= b.abs() / 65536.0 * 1.01),
            "{found:?} {sizes:?}"
        );
    }
    let error = folder.show(&PageOptions { most_bytes: 100, ..PageOptions::default() }).err().unwrap();
    assert!(matches!(error, ViewError::TooLarge { most: 100, .. }), "{error}");
}

#[test]
fn a_page_that_is_interrupted_or_cannot_be_written_leaves_nothing() {
    let folder = balls();
    let mut recording = Recording::open(&folder.0).unwrap();
    let before: Vec<_> = std::fs::read_dir(&folder.0).unwrap().collect();
    for stop in [0, 20, 61, 62] {
        let mut go_on = |done: u64, _| done < stop;
        let outcome = write_page(&mut recording, &PageOptions::default(), &folder.file("view.html"), &mut go_on);
        assert!(matches!(outcome, Err(ViewError::Interrupted)), "{stop}");
    }
    let nowhere = folder.file("none/view.html");
    let error = write_page(&mut recording, &PageOptions::default(), &nowhere, &mut |_, _| true).unwrap_err();
    assert!(error.to_string().contains("none/view.html"), "{error}");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), before.len());
}

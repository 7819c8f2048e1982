//! VTK files, read by a reader of our own that trusts nothing.

use crate::support::{Folder, scene, start};
use signorini_mechanics::Vec3;
use signorini_scene::run::{RunFolder, export_csv, export_vtk};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The arrays of a grid, by name and by section/name, as numbers.
pub(crate) struct Grid {
    pub(crate) points: usize,
    pub(crate) cells: usize,
    arrays: BTreeMap<String, (usize, Vec<f64>)>,
}

/// Asserts that tags open and close in pairs; returns name and attributes of every tag that opens.
pub(crate) fn tags(xml: &str) -> Vec<(String, BTreeMap<String, String>)> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    let mut rest = xml.trim_start().strip_prefix("<?xml version=\"1.0\"?>").unwrap();
    while let Some(start) = rest.find('<') {
        assert_eq!(rest[..start].trim(), "", "text between tags");
        let end = rest.find('>').unwrap();
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let mut parts = tag.splitn(2, ' ');
        let name = parts.next().unwrap().to_owned();
        let mut attributes = BTreeMap::new();
        let mut text = parts.next().unwrap_or("").trim();
        while !text.is_empty() {
            let (key, after) = text.split_once("=\"").unwrap();
            let (value, after) = after.split_once('"').unwrap();
            assert!(attributes.insert(key.trim().to_owned(), value.to_owned()).is_none());
            text = after.trim();
        }
        if !is_empty {
            open.push(name.clone());
        }
        found.push((name, attributes));
    }
    assert!(open.is_empty(), "{open:?} not closed");
    found
}

pub(crate) fn grid(path: &Path) -> Grid {
    let bytes = fs::read(path).unwrap();
    let marker = b"<AppendedData encoding=\"raw\">\n_";
    let at = bytes.windows(marker.len()).position(|window| window == marker).unwrap() + marker.len();
    let end = b"\n</AppendedData>\n</VTKFile>\n";
    let data = bytes[at..].strip_suffix(end).unwrap();
    // Without the data, which need not be text, it must be XML.
    let xml = String::from_utf8([&bytes[..at], end].concat()).unwrap().replace("\n_\n", "\n");
    let tags = tags(&xml);
    let file = &tags[0].1;
    assert_eq!((file["byte_order"].as_str(), file["header_type"].as_str()), ("LittleEndian", "UInt64"));
    let piece = &tags.iter().find(|(name, _)| name == "Piece").unwrap().1;
    let (points, cells): (usize, usize) =
        (piece["NumberOfPoints"].parse().unwrap(), piece["NumberOfCells"].parse().unwrap());
    let mut arrays = BTreeMap::new();
    let mut expected_offset = 0;
    let mut section = "";
    let mut by_offset: Vec<(usize, &str, _)> = Vec::new();
    for (name, array) in &tags {
        match name.as_str() {
            "DataArray" => by_offset.push((array["offset"].parse().unwrap(), section, array)),
            other => section = other,
        }
    }
    by_offset.sort_by_key(|(offset, ..)| *offset);
    for (offset, section, array) in by_offset {
        assert_eq!(offset, expected_offset, "arrays follow each other without gaps");
        let length = u64::from_le_bytes(data[offset..offset + 8].try_into().unwrap()) as usize;
        let raw = &data[offset + 8..offset + 8 + length];
        expected_offset = offset + 8 + length;
        let numbers: Vec<f64> = match array["type"].as_str() {
            "Float64" => raw.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect(),
            "Float32" => raw.chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "Int32" => raw.chunks_exact(4).map(|b| i32::from_le_bytes(b.try_into().unwrap()).into()).collect(),
            "UInt8" => raw.iter().map(|b| f64::from(*b)).collect(),
            other => panic!("{other}"),
        };
        let components = array["NumberOfComponents"].parse().unwrap();
        let size = if section == "PointData" { points } else { cells };
        if section.ends_with("Data") {
            assert_eq!(numbers.len(), components * size, "{section} {}", array["Name"]);
        }
        arrays.insert(format!("{section}/{}", array["Name"]), (components, numbers.clone()));
        arrays.insert(array["Name"].clone(), (components, numbers));
    }
    assert_eq!(expected_offset, data.len(), "nothing after the last array");
    let grid = Grid { points, cells, arrays };
    assert_eq!(grid.of("Points").len(), 3 * points);
    assert_eq!((grid.of("offsets").len(), grid.of("types").len()), (cells, cells));
    assert!(grid.of("connectivity").iter().all(|&corner| corner >= 0.0 && corner < points as f64));
    assert!(grid.of("offsets").windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(grid.of("offsets").last().copied().unwrap_or(0.0), grid.of("connectivity").len() as f64);
    grid
}

impl Grid {
    pub(crate) fn of(&self, name: &str) -> &[f64] {
        &self.arrays[name].1
    }
    pub(crate) fn vectors(&self, name: &str) -> Vec<Vec3> {
        assert_eq!(self.arrays[name].0, 3);
        self.of(name).chunks_exact(3).map(Vec3::from_slice).collect()
    }
}

pub(crate) fn listed(path: &Path) -> Vec<(f64, String)> {
    let text = fs::read_to_string(path).unwrap();
    let sets = tags(&text).into_iter().filter(|(name, _)| name == "DataSet");
    sets.map(|(_, set)| (set["timestep"].parse().unwrap(), set["file"].clone())).collect()
}

#[test]
fn exported_series_hold_what_the_run_recorded_and_equal_those_written_during_it() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut to_run = scene();
    (to_run.output.contacts, to_run.output.vtk, to_run.output.every) = (true, true, 4);
    start(&path, to_run).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let target = folder.join("export/deep");
    assert_eq!(export_vtk(&run, &target, |_| {}).unwrap(), 11);
    for entry in fs::read_dir(&target).unwrap() {
        let name = entry.unwrap().file_name();
        assert_eq!(fs::read(target.join(&name)).unwrap(), fs::read(path.join("vtk").join(&name)).unwrap(), "{name:?}");
    }
    let mut frames = run.frames().unwrap();
    let forces = run.contacts().unwrap().unwrap();
    let bodies = run.manifest().bodies.len();
    let mut contacts_seen = 0;
    for series in ["bodies", "surfaces", "contacts"] {
        let files = listed(&target.join(format!("{series}.pvd")));
        assert_eq!(files.len(), 11);
        for (k, (time, name)) in files.iter().enumerate() {
            let (frame, grid) = (frames.get(k as u64).unwrap(), grid(&target.join(name)));
            assert_eq!(*time, frame.time);
            match series {
                "bodies" => {
                    assert_eq!((grid.points, grid.cells), (bodies, bodies));
                    let positions: Vec<Vec3> = frame.bodies.iter().map(|body| body.pose.position).collect();
                    let speeds: Vec<Vec3> = frame.bodies.iter().map(|body| body.velocity).collect();
                    assert_eq!((grid.vectors("Points"), grid.vectors("velocity")), (positions, speeds));
                    let turn = frame.bodies[1].pose.rotation;
                    assert_eq!(grid.of("orientation")[4..8], [turn.w, turn.x, turn.y, turn.z]);
                }
                "surfaces" => {
                    // Points of a body are as far from its centre as its shape reaches.
                    let owners = grid.of("body");
                    assert!(owners.iter().all(|&owner| owner >= 0.0 && owner < bodies as f64));
                    assert!(grid.vectors("Points").iter().chain(&grid.vectors("velocity")).all(|v| v.is_finite()));
                }
                _ => {
                    let now: Vec<_> = forces.iter().filter(|contact| contact.step == 4 * k as u64).collect();
                    let expected: Vec<Vec3> = now.iter().map(|c| Vec3::new(c.fx, c.fy, c.fz)).collect();
                    assert_eq!(grid.vectors("force"), expected);
                    contacts_seen += expected.len();
                }
            }
        }
    }
    assert_eq!(contacts_seen, forces.len());
    assert!(contacts_seen > 0);
}

#[test]
fn exported_csv_has_a_line_a_body_and_frame() {
    let folder = Folder::new();
    let path = folder.join("a");
    let mut to_run = scene();
    to_run.output.every = 10;
    start(&path, to_run).go(None, &mut ()).unwrap();
    let run = RunFolder::open(&path).unwrap();
    let target = folder.join("all.csv");
    assert_eq!(export_csv(&run, &target, |_| {}).unwrap(), 5);
    let mut reader = csv::Reader::from_path(&target).unwrap();
    let mut frames = run.frames().unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let bodies = &run.manifest().bodies;
    assert_eq!(rows.len(), 5 * bodies.len());
    for (at, row) in rows.iter().enumerate() {
        let frame = frames.get((at / bodies.len()) as u64).unwrap();
        assert_eq!(row[1], bodies[at % bodies.len()].name);
        let body = &frame.bodies[at % bodies.len()];
        let number = |column: usize| row[column].parse::<f64>().unwrap();
        assert_eq!((number(0), number(4)), (frame.time, body.pose.position.z));
        assert_eq!((number(8), number(14)), (body.pose.rotation.w, body.angular_velocity.z));
    }
}

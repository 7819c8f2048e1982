//! Damaged files: whatever the bytes, a mesh or an error with a line of the file, never a panic.

use super::writers::{gmsh_2, gmsh_4, vtk_4, vtk_5, vtu};
use super::{VolumeMeshFileError, VolumeMeshFormat, parse_volume_mesh};
use crate::fuzz::Numbers;
use glam::DVec3;
use signorini_mechanics::flexible::mesh::{ElementKind, Surface, box_mesh};

/// Texts that readers stumble over.
const NASTY: [&str; 22] = [
    "nan",
    "inf",
    "0",
    "-1",
    "1",
    "2",
    "3",
    "4",
    "12",
    "1e308",
    "1e400",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "99999999999999999999999",
    "$",
    "$End",
    "<",
    ">",
    "\"",
    "é",
    "\u{feff}",
];

fn check(bytes: &[u8], format: VolumeMeshFormat) -> bool {
    match parse_volume_mesh(bytes, format, "fuzz") {
        Ok(mesh) => {
            mesh.check_references().unwrap();
            assert!(Surface::of(&mesh).unwrap().area() > 0.0);
            true
        }
        Err(VolumeMeshFileError::Content { line, problem, .. }) => {
            let lines = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
            assert!(line >= 1 && line <= lines && !problem.is_empty(), "{line} of {lines}: {problem}");
            false
        }
        Err(error) => {
            assert!(matches!(error, VolumeMeshFileError::Mesh { .. }), "{error}");
            false
        }
    }
}

fn samples() -> Vec<(String, VolumeMeshFormat)> {
    let mut samples = Vec::new();
    for kind in ElementKind::ALL {
        let mesh = box_mesh(kind, DVec3::ONE, [2, 1, 1]).unwrap();
        samples.push((gmsh_2(&mesh), VolumeMeshFormat::Gmsh));
        samples.push((gmsh_4(&mesh), VolumeMeshFormat::Gmsh));
        samples.push((vtk_4(&mesh), VolumeMeshFormat::Vtk));
        samples.push((vtk_5(&mesh), VolumeMeshFormat::Vtk));
        samples.push((vtu(&mesh), VolumeMeshFormat::Vtu));
    }
    samples
}

#[test]
fn damaged_files_are_read_or_refused_with_a_line() {
    let mut numbers = Numbers(0x5161_0121_d5ea_5eed);
    let samples = samples();
    let mut read = 0;
    for case in 0..6000 {
        let (text, format) = &samples[numbers.below(samples.len())];
        let mut words: Vec<&str> = text.split_inclusive([' ', '\n', '"']).collect();
        for _ in 0..1 + numbers.below(3) {
            let (at, other) = (numbers.below(words.len()), numbers.below(words.len()));
            match (case + numbers.below(2)) % 6 {
                0 => drop(words.remove(at)),
                1 => words.insert(at, words[other]),
                2 => words[at] = words[other],
                3 => words.swap(at, other),
                4 => words.truncate(at.max(1)),
                _ => words.splice(at..=at, [NASTY[numbers.below(NASTY.len())], " "]).for_each(drop),
            }
        }
        read += usize::from(check(words.concat().as_bytes(), *format));
    }
    // Some damage does none: else this would test the first lines only.
    assert!(read > 100, "{read}");
}

#[test]
fn files_cut_anywhere_and_files_with_any_byte_changed_are_read_or_refused() {
    let mut numbers = Numbers(3);
    for (text, format) in samples() {
        for _ in 0..150 {
            check(&text.as_bytes()[..numbers.below(text.len())], format);
            let mut bytes = text.clone().into_bytes();
            let at = numbers.below(bytes.len());
            bytes[at] = numbers.next() as u8;
            check(&bytes, format);
        }
    }
}

#[test]
fn noise_is_refused() {
    let mut numbers = Numbers(7);
    for _ in 0..200 {
        let bytes: Vec<u8> = (0..numbers.below(300)).map(|_| numbers.next() as u8).collect();
        for format in [VolumeMeshFormat::Gmsh, VolumeMeshFormat::Vtk, VolumeMeshFormat::Vtu] {
            assert!(!check(&bytes, format));
        }
    }
}

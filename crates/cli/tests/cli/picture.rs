//! `signorini render` and `signorini plot`.

use crate::support::Folder;
use std::fs;

fn ran() -> Folder {
    let folder = Folder::new();
    folder.run(&["run", "single-ball", "--out", "r", "--steps", "20", "--contacts", "--quiet"]).exits(0);
    folder
}

/// Width and height in the header of a PNG file.
fn png_size(bytes: &[u8]) -> [u32; 2] {
    assert_eq!(bytes[..8], *b"\x89PNG\r\n\x1a\n");
    [16, 20].map(|at| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()))
}

#[test]
fn stills_and_films_are_written_with_the_size_asked_for() {
    let folder = ran();
    folder.run(&["render", "r", "--size", "160x90"]).exits(0).shows("1 picture to r.png");
    assert_eq!(png_size(&fs::read(folder.path().join("r.png")).unwrap()), [160, 90]);
    let args = ["render", "r", "--frames", "4", "--size", "64x64", "--out", "film", "--json", "--contacts"];
    let film = &folder.run(&args).exits(0).objects()[0];
    assert_eq!(film["files"].as_array().map(Vec::len), Some(4));
    assert_eq!(png_size(&fs::read(folder.path().join("film/00003.png")).unwrap()), [64, 64]);
    folder.run(&["render", "r", "--gif", "--frames", "5", "--size", "64x48", "--quiet"]).exits(0);
    assert_eq!(fs::read(folder.path().join("r.gif")).unwrap()[..6], *b"GIF89a");
    let two = folder.run(&["render", "r", "--at", "0", "--at", "0.02", "--size", "64x64", "--json"]).exits(0).objects();
    assert_eq!(two[0]["times"][0], 0.0);
}

#[test]
fn the_same_picture_for_any_number_of_threads() {
    let folder = ran();
    for threads in ["1", "3"] {
        let out = format!("{threads}.png");
        folder.run(&["render", "r", "--size", "120x80", "--threads", threads, "--out", &out]).exits(0);
    }
    let [one, three] = ["1.png", "3.png"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(one, three);
}

#[test]
fn what_cannot_be_drawn_is_said() {
    let folder = ran();
    folder.run(&["render", "r", "--at", "99"]).exits(2).says("there is no frame at 99 s: the run has frames from 0 to");
    folder.run(&["render", "r", "--at", "nan"]).exits(2).says("expected a number of seconds");
    folder.run(&["render", "single-ball"]).exits(2).says("`signorini run single-ball --out DIR` makes a run folder");
    folder.run(&["render", "nothing-here"]).exits(2).says("nothing-here");
    folder.run(&["render", "r", "--size", "9x9"]).exits(2).says("9 × 9 pixels, expected 16 to 8192");
    folder.run(&["render", "r", "--colour", "stress"]).exits(2).says("no flexible bodies");
    folder
        .run(&["render", "r", "--frames", "3", "--from", "0.05", "--to", "0.01"])
        .exits(2)
        .says("expected an end after");
    folder.bytes("file", b"").run(&["render", "r", "--out", "file/a.png"]).exits(2).says("file");
}

#[test]
fn plots_are_svg_and_png_files() {
    let folder = ran();
    let args = ["plot", "r", "--what", "energy,body:ball.z,residual", "--format", "svg,png", "--out", "p"];
    folder.run(&args).exits(0).shows("6 plots to p");
    assert!(folder.read("p/ball-z.svg").starts_with("<svg xmlns="));
    assert_eq!(png_size(&fs::read(folder.path().join("p/energy.png")).unwrap())[0], 920);
    folder.run(&["plot", "r", "--what", "body:bal.z"]).exits(2).says("no body `bal`; nearest: ball");
    folder.run(&["plot", "r", "--what", "body:ball.zz"]).exits(2).says("`zz` is no motion of a body");
    folder.run(&["plot", "r", "--what", "energie"]).exits(2).says("there is no plot `energie`; nearest: energy");
}

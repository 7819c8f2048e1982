//! Meshes from files: good ones give the body its weight, bad ones are refused by name.

use signorini_scene::{Overrides, Scene, SceneErrors, parse};
use std::path::{Path, PathBuf};

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data")
}

fn scene(folder: &Path, file: &str) -> Result<Scene, SceneErrors> {
    let text = format!(
        "signorini = 1\n[bodies.a]\ndensity = 2\nshape = {{ type = \"mesh\", file = \"{file}\", scale = 3 }}\n"
    );
    parse(&text, "a.toml", Some(folder), &Overrides::default())
}

/// Writes a file for a test and gives its folder.
fn folder_with(test: &str, file: &str, bytes: &[u8]) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&folder).expect("a file");
    std::fs::write(folder.join(file), bytes).expect("a file");
    folder
}

/// The triangles of the text file as a binary one.
fn binary_cube() -> Vec<u8> {
    let text = std::fs::read_to_string(data().join("cube.stl")).expect("a file");
    let corners: Vec<f32> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("vertex "))
        .flat_map(|line| line.split(' ').map(|x| x.parse::<f32>().expect("a number")).collect::<Vec<_>>())
        .collect();
    // Headers that start like a text have misled readers.
    let mut bytes = b"solid but binary".to_vec();
    bytes.resize(80, 0);
    bytes.extend((corners.len() as u32 / 9).to_le_bytes());
    for triangle in corners.chunks(9) {
        bytes.extend([0.0_f32; 3].iter().chain(triangle).flat_map(|x| x.to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

fn assert_is_cube(scene: &Scene) {
    // Side 3, density 2: m = 54, I = m·3²/6, the centre in the middle.
    let body = &scene.model.bodies()[0];
    assert!((body.mass - 54.0).abs() < 1e-12);
    assert!((body.inertia.x_axis.x - 81.0).abs() < 1e-11 && body.inertia.x_axis.y.abs() < 1e-11);
    assert!((body.start.position - glam::DVec3::splat(1.5)).length() < 1e-12);
    let (_, collider) = &scene.model.colliders()[0];
    assert!((collider.pose.position + glam::DVec3::splat(1.5)).length() < 1e-12);
}

#[test]
fn text_stl_binary_stl_and_obj_give_the_same_cube() {
    for file in ["cube.stl", "cube.obj"] {
        assert_is_cube(&scene(&data(), file).unwrap_or_else(|errors| panic!("{errors}")));
    }
    let folder = folder_with("binary", "cube.stl", &binary_cube());
    assert_is_cube(&scene(&folder, "cube.stl").unwrap_or_else(|errors| panic!("{errors}")));
}

#[test]
fn bad_mesh_files_are_refused_with_their_path() {
    let binary = binary_cube();
    let mut infinite = binary.clone();
    infinite[96..100].copy_from_slice(&f32::INFINITY.to_le_bytes());
    let mut announced = binary.clone();
    announced[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    announced[0] = 0;
    let mut last = binary.clone();
    let at = last.len() - 6;
    last[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
    let mut flat = binary.clone();
    // The second corner of the fourth triangle becomes its first.
    flat.copy_within(84 + 3 * 50 + 12..84 + 3 * 50 + 24, 84 + 3 * 50 + 24);
    let facet = |vertices: &str| format!("solid x\nfacet normal 0 0 1\nouter loop\n{vertices}endloop\nendfacet\n");
    let nan_text = facet("vertex 0 0 0\nvertex 1 0 0\nvertex 0 nan 0\n") + "endsolid\n";
    let two_corners = facet("vertex 0 0 0\nvertex 1 0 0\n") + "endsolid\n";
    let flat_text = facet("vertex 0 0 0\nvertex 1 1 0\nvertex 2 2 0\n") + "endsolid\n";
    let unfinished = facet("vertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n");
    let cases: [(&str, &[u8], &str); 24] = [
        ("cut.stl", &binary[..300], "cut.stl: is cut off"),
        ("header.stl", &[1; 20], "is cut off"),
        ("announced.stl", &announced, "is cut off: 12 of 4294967295 triangles"),
        ("infinite.stl", &infinite, "infinite.stl: triangle 1 of 12, counted from 1: corners are [inf, "),
        ("last.stl", &last, "last.stl: triangle 12 of 12, counted from 1: corners are ["),
        ("flat.stl", &flat, "flat.stl: triangle 4 of 12, counted from 1: a triangle has no area"),
        ("none.stl", b"solid none\nendsolid none\n", "contains no triangles"),
        ("text.stl", b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "text.stl:4: has 2 numbers, expected 3"),
        ("nan-text.stl", nan_text.as_bytes(), "nan-text.stl:6: a coordinate is NaN, expected a finite number"),
        ("two.stl", two_corners.as_bytes(), "two.stl:7: a facet has 2 vertices, expected 3"),
        ("flat-text.stl", flat_text.as_bytes(), "flat-text.stl:8: a triangle has no area"),
        ("unfinished.stl", unfinished.as_bytes(), "unfinished.stl:8: the file ends before `endsolid`"),
        ("words.stl", b"solid x\nv 1 2 3\n", "words.stl:2: `v` was found where a line of an STL file"),
        ("none.obj", b"v 0 0 0\n", "contains no triangles"),
        ("empty.obj", b"", "contains no triangles"),
        ("range.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "range.obj:4: a face uses vertex 9, but there are 3"),
        ("zero.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 1 2\n", "zero.obj:4: `0` was found where the number of a vertex"),
        ("before.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf -4 1 2\n", "before.obj:4: `-4` was found where one of the 3"),
        ("number.obj", b"v 0 0 x\nf 1 1 1\n", "number.obj:1: `x` was found where a number was expected"),
        ("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "nan.obj:1: a coordinate is NaN"),
        ("inf.obj", b"v 0 0 0\nv 1 -1e999 0\nv 0 1 0\nf 1 2 3\n", "inf.obj:2: a coordinate is -inf"),
        ("far.obj", b"v 0 0 0\nv 5e8 0 0\nv 0 1 0\nf 1 2 3\n", "far.obj:4: a corner is [1500000000, 0, 0], expected"),
        (
            "flat.obj",
            b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n",
            "flat.obj:6: a triangle has no area, its corners are [0, 0, 0], [3, 0, 0] and [6, 0, 0] m; 1 of 2 triangles",
        ),
        ("part.ply", b"ply", "expected .stl or .obj"),
    ];
    for (file, bytes, message) in cases {
        let folder = folder_with("bad", file, bytes);
        let errors = scene(&folder, file).err().unwrap_or_else(|| panic!("{file} was read")).0;
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(errors[0].message.contains(message), "{}", errors[0]);
        assert_eq!((errors[0].line, errors[0].column), (4, 33), "{}", errors[0]);
    }
    let missing = scene(&data(), "missing.stl").unwrap_err().to_string();
    assert!(missing.contains("missing.stl: ") && missing.contains("(a.toml:4:33)"), "{missing}");
    let folder = scene(&data(), "../data/.").unwrap_err().to_string();
    assert!(folder.contains("expected .stl or .obj"), "{folder}");
}

#[test]
fn corners_of_obj_files_are_named_in_every_way_the_format_has() {
    // Numbers from the start and from the end, with textures and normals, faces before their vertices, names in Latin-1, and
    // digits that 32 bits do not hold.
    let text = b"o caf\xe9\nf 1 3 2\nv 0 0 0\nv 0.1234567890123 0 0 1\nv 0 1 0 0.5 0.5 0.5\nv 0 0 1\n\
        vt 0 0\nvn 0 0 1\nl 1 2\nf -4/1 -3/1 -1/1\nf 2//1 3//1 4//1\nf 1/1/1 4/1/1 3/1/1\n";
    let folder = folder_with("obj", "tetrahedron.obj", text);
    let scene = scene(&folder, "tetrahedron.obj").unwrap_or_else(|errors| panic!("{errors}"));
    // Volume 27 · 0.123…/6, density 2.
    let mass = 2.0 * 27.0 * 0.123_456_789_012_3 / 6.0;
    assert!((scene.model.bodies()[0].mass / mass - 1.0).abs() < 1e-14, "{}", scene.model.bodies()[0].mass);
    assert!(scene.warnings.is_empty(), "{:?}", scene.warnings);
}

#[test]
fn damaged_mesh_files_never_panic() {
    let obj = std::fs::read(data().join("cube.obj")).expect("a file");
    let text = std::fs::read(data().join("cube.stl")).expect("a file");
    let binary = binary_cube();
    let mut number = 0x1234_5678_9abc_def1_u64;
    let mut next = |end: usize| {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        (number % end as u64) as usize
    };
    for case in 0..300 {
        let (file, original) = [("d.obj", &obj), ("d.stl", &text), ("d.stl", &binary)][case % 3];
        let mut bytes = original.clone();
        for _ in 0..1 + next(5) {
            let at = next(bytes.len());
            match next(3) {
                0 => bytes[at] = next(256) as u8,
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let folder = folder_with("damaged", file, &bytes);
        _ = scene(&folder, file);
        // What looks wrong with a fixed surface is looked for as well.
        let fixed =
            format!("signorini = 1\n[bodies.a]\nfixed = true\nshape = {{ type = \"mesh\", file = \"{file}\" }}\n");
        _ = parse(&fixed, "a.toml", Some(&folder), &Overrides::default());
    }
}

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
    let cases: [(&str, &[u8], &str); 12] = [
        ("cut.stl", &binary[..300], "cut.stl: is cut off"),
        ("header.stl", &[1; 20], "is cut off"),
        ("announced.stl", &announced, "is cut off: 12 of 4294967295 triangles"),
        ("infinite.stl", &infinite, "infinite.stl"),
        ("none.stl", b"solid none\nendsolid none\n", "contains no triangles"),
        ("text.stl", b"solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0\n", "is no STL file"),
        ("none.obj", b"v 0 0 0\n", "contains no triangles"),
        ("empty.obj", b"", "contains no triangles"),
        ("range.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n", "range.obj"),
        ("number.obj", b"v 0 0 x\nf 1 1 1\n", "is no OBJ file"),
        ("nan.obj", b"v 0 0 nan\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", "nan.obj"),
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
    }
}

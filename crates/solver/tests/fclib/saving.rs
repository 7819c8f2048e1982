//! Files on disk.

use std::fs;
use std::path::PathBuf;

use signorini_linalg::CscMatrix;
use signorini_solver::fclib::{self, FclibFile, FclibProblem, Info, LocalProblem};

fn file(mu: f64) -> FclibFile {
    let problem = LocalProblem {
        dimension: 2,
        w: CscMatrix::diagonal(&[1.0, 2.0]),
        v: None,
        r: None,
        q: vec![-1.0, 0.0],
        s: None,
        mu: vec![mu],
        mu_r: None,
    };
    FclibFile::new(FclibProblem::Local(problem), Info { title: "one contact".into(), ..Info::default() })
}

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("fclib-{name}"));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn names(folder: &PathBuf) -> Vec<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    let folder = folder("replace");
    let path = folder.join("a.hdf5");
    fclib::write(&path, &file(0.25)).unwrap();
    fclib::write(&path, &file(0.5)).unwrap();
    assert_eq!(fclib::read(&path).unwrap(), file(0.5));
    let error = fclib::write(&path, &file(-1.0)).unwrap_err().to_string();
    assert!(error.starts_with(&path.display().to_string()) && error.contains("mu[0] is -1"), "{error}");
    assert_eq!(fclib::read(&path).unwrap(), file(0.5), "the old file must stay");
    assert_eq!(names(&folder), ["a.hdf5"], "nothing else may be left");
}

#[test]
fn system_errors_name_the_path() {
    let folder = folder("refused");
    let shown = folder.display();
    let read = fclib::read(&folder).unwrap_err().to_string();
    assert_eq!(read, format!("{shown}: cannot read it: it is a folder, expected a file"));
    let written = fclib::write(&folder, &file(0.5)).unwrap_err().to_string();
    assert_eq!(written, format!("{shown}: cannot write it: it is a folder"));
    let absent = folder.join("absent").join("a.hdf5");
    for error in [fclib::read(&absent).unwrap_err(), fclib::write(&absent, &file(0.5)).unwrap_err()] {
        assert!(error.to_string().starts_with(&format!("{}: cannot ", absent.display())), "{error}");
    }
    assert!(names(&folder).is_empty());
}

#[cfg(unix)]
#[test]
fn a_link_stays_a_link() {
    let folder = folder("link");
    let (target, link) = (folder.join("target.hdf5"), folder.join("link.hdf5"));
    fclib::write(&target, &file(0.25)).unwrap();
    std::os::unix::fs::symlink(&target, &link).unwrap();
    fclib::write(&link, &file(0.5)).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fclib::read(&target).unwrap(), file(0.5));
}

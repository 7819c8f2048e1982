//! HDF5 files made data set by data set, so that tests can break each of them.

use std::collections::BTreeMap;

use hdf5_pure::{FileBuilder, GroupBuilder};

/// Contents of one data set.
#[derive(Clone)]
pub(crate) enum Data {
    Ints(Vec<i32>),
    LongInts(Vec<i64>),
    Reals(Vec<f64>),
    Singles(Vec<f32>),
    Text(&'static str),
    /// Reals with a shape of more than one dimension.
    Table(Vec<f64>, Vec<u64>),
    /// A group without members.
    Empty,
}

/// Data sets by path, without the leading slash.
pub(crate) type Contents = BTreeMap<String, Data>;

pub(crate) fn bytes(contents: &Contents) -> Vec<u8> {
    let mut file = FileBuilder::new();
    let names: Vec<&str> = first_parts(contents.keys().map(String::as_str));
    for name in names {
        match contents.get(name) {
            Some(Data::Empty) => {
                let group = file.create_group(name).finish();
                file.add_group(group);
            }
            Some(data) => fill(file.create_dataset(name), data),
            None => {
                let mut group = file.create_group(name);
                add_members(&mut group, &format!("{name}/"), contents);
                file.add_group(group.finish());
            }
        }
    }
    file.finish().unwrap()
}

fn first_parts<'a>(paths: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut names: Vec<&str> = paths.map(|path| path.split('/').next().unwrap()).collect();
    names.dedup();
    names
}

fn add_members(group: &mut GroupBuilder, prefix: &str, contents: &Contents) {
    for name in first_parts(contents.keys().filter_map(|path| path.strip_prefix(prefix))) {
        match contents.get(&format!("{prefix}{name}")) {
            Some(Data::Empty) => {
                let inner = group.create_group(name).finish();
                group.add_group(inner);
            }
            Some(data) => fill(group.create_dataset(name), data),
            None => {
                let mut inner = group.create_group(name);
                add_members(&mut inner, &format!("{prefix}{name}/"), contents);
                group.add_group(inner.finish());
            }
        }
    }
}

fn fill(dataset: &mut hdf5_pure::DatasetBuilder, data: &Data) {
    match data {
        Data::Ints(values) => dataset.with_i32_data(values),
        Data::LongInts(values) => dataset.with_i64_data(values),
        Data::Reals(values) => dataset.with_f64_data(values),
        Data::Singles(values) => dataset.with_f32_data(values),
        Data::Text(text) => dataset.with_ascii_strings(&[text]).unwrap(),
        Data::Table(values, shape) => dataset.with_f64_data(values).with_shape(shape),
        Data::Empty => unreachable!("a group"),
    };
}

/// A 2 × 2 matrix [1 3; 2 4] and more rows and columns up to `size` without entries.
pub(crate) fn columns(contents: &mut Contents, group: &str, size: i32) {
    let pointers = [0, 2].into_iter().chain((2..=size).map(|_| 4)).collect();
    for (name, data) in [
        ("m", Data::Ints(vec![size])),
        ("n", Data::Ints(vec![size])),
        ("nz", Data::Ints(vec![-1])),
        ("nzmax", Data::Ints(vec![4])),
        ("p", Data::Ints(pointers)),
        ("i", Data::Ints(vec![0, 1, 0, 1])),
        ("x", Data::Reals(vec![1.0, 2.0, 3.0, 4.0])),
    ] {
        contents.insert(format!("{group}/{name}"), data);
    }
}

/// A valid local problem: two contacts in space.
pub(crate) fn local() -> Contents {
    let mut contents = Contents::new();
    contents.insert("fclib_local/spacedim".into(), Data::Ints(vec![3]));
    contents.insert("fclib_local/vectors/q".into(), Data::Reals(vec![-1.0, 0.5, 0.0, -2.0, 0.0, 0.25]));
    contents.insert("fclib_local/vectors/mu".into(), Data::Reals(vec![0.3, 0.4]));
    columns(&mut contents, "fclib_local/W", 6);
    contents
}

/// A valid global problem in the plane: one contact, two degrees of freedom.
pub(crate) fn global() -> Contents {
    let mut contents = Contents::new();
    contents.insert("fclib_global/spacedim".into(), Data::Ints(vec![2]));
    contents.insert("fclib_global/vectors/f".into(), Data::Reals(vec![-1.0, 0.5]));
    contents.insert("fclib_global/vectors/w".into(), Data::Reals(vec![0.0, 0.25]));
    contents.insert("fclib_global/vectors/mu".into(), Data::Reals(vec![0.3]));
    columns(&mut contents, "fclib_global/M", 2);
    columns(&mut contents, "fclib_global/H", 2);
    contents
}

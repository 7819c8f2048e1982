//! Hostile files: built to exhaust memory, time or the stack.

use std::time::{Duration, Instant};

use hdf5_pure::{AttrValue, FileBuilder};
use signorini_solver::fclib;

use crate::checksum::{seal, seal_block};
use crate::raw::{self, Data};

/// Stores the low `width` bytes of a number.
fn put(bytes: &mut [u8], at: usize, value: usize, width: usize) {
    bytes[at..at + width].copy_from_slice(&(value as u64).to_le_bytes()[..width]);
}

#[test]
fn a_size_the_file_cannot_hold_is_refused_before_memory_is_asked_for() {
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut vectors = group.create_group("vectors");
    // Deflated zeros: any size fits in a few kilobytes.
    vectors.create_dataset("q").with_f64_data(&vec![0.0; 1 << 20]).with_chunks(&[1 << 20]).with_deflate(9);
    group.add_group(vectors.finish());
    file.add_group(group.finish());
    let bytes = file.finish().unwrap();
    let limit = 100 * bytes.len();
    assert_eq!(
        fclib::read_bytes("a.hdf5", bytes).unwrap_err().to_string(),
        format!(
            "a.hdf5: /fclib_local/vectors/q claims {} bytes, expected at most {limit} in a file of this length",
            8 << 20
        )
    );
}

#[test]
fn chunked_and_compressed_data_are_read() {
    let mut contents = raw::local();
    contents.insert("fclib_local/info/title".into(), Data::Text("packed"));
    let plain = fclib::read_bytes("plain", raw::bytes(&contents)).unwrap();
    // The same problem with q in compressed chunks.
    let mut file = FileBuilder::new();
    let mut group = file.create_group("fclib_local");
    group.create_dataset("spacedim").with_i32_data(&[3]);
    let mut info = group.create_group("info");
    info.create_dataset("title").with_vlen_strings(&["packed"]);
    group.add_group(info.finish());
    let mut vectors = group.create_group("vectors");
    let q = [-1.0, 0.5, 0.0, -2.0, 0.0, 0.25];
    vectors.create_dataset("q").with_f64_data(&q).with_chunks(&[4]).with_shuffle().with_deflate(6);
    vectors.create_dataset("mu").with_f64_data(&[0.3, 0.4]);
    group.add_group(vectors.finish());
    let mut w = group.create_group("W");
    for (name, values) in [
        ("m", vec![6]),
        ("n", vec![6]),
        ("nz", vec![-1]),
        ("nzmax", vec![4]),
        ("p", vec![0, 2, 4, 4, 4, 4, 4]),
        ("i", vec![0, 1, 0, 1]),
    ] {
        w.create_dataset(name).with_i32_data(&values);
    }
    w.create_dataset("x").with_f64_data(&[1.0, 2.0, 3.0, 4.0]);
    group.add_group(w.finish());
    file.add_group(group.finish());
    assert_eq!(fclib::read_bytes("packed", file.finish().unwrap()).unwrap(), plain);
}

/// A file of the oldest format whose root group is a ladder: both children of a tree node are the next node.
/// It is shallower than the reader's limit of depth, and takes 2⁶⁰ visits to walk.
fn ladder() -> Vec<u8> {
    const NONE: usize = usize::MAX;
    const LEVELS: usize = 60;
    const NODE: usize = 64;
    let (header, heap, names, tree) = (96, 160, 192, 256);
    let size = tree + (LEVELS + 1) * NODE;
    let mut file = vec![0; size];
    file[..8].copy_from_slice(b"\x89HDF\r\n\x1a\n");
    (file[13], file[14]) = (8, 8); // width of addresses and lengths
    put(&mut file, 16, 4, 2); // entries in a leaf
    put(&mut file, 18, 16, 2); // entries in a node
    put(&mut file, 32, NONE, 8);
    put(&mut file, 40, size, 8); // end of file
    put(&mut file, 48, NONE, 8);
    put(&mut file, 64, header, 8); // root group

    file[header] = 1; // version; one message of 16 bytes
    put(&mut file, header + 2, 1, 2);
    put(&mut file, header + 4, 1, 4);
    put(&mut file, header + 8, 24, 4);
    put(&mut file, header + 16, 0x11, 2); // symbol table
    put(&mut file, header + 18, 16, 2);
    put(&mut file, header + 24, tree, 8);
    put(&mut file, header + 32, heap, 8);

    for level in 0..=LEVELS {
        let node = tree + level * NODE;
        file[node..node + 4].copy_from_slice(b"TREE");
        put(&mut file, node + 8, NONE, 8);
        put(&mut file, node + 16, NONE, 8);
        if level < LEVELS {
            file[node + 5] = (LEVELS - level) as u8;
            put(&mut file, node + 6, 2, 2);
            put(&mut file, node + 32, node + NODE, 8); // key, child, key, child, key
            put(&mut file, node + 48, node + NODE, 8);
        }
    }
    file[heap..heap + 4].copy_from_slice(b"HEAP");
    put(&mut file, heap + 8, 64, 8);
    put(&mut file, heap + 16, NONE, 8);
    put(&mut file, heap + 24, names, 8);
    file
}

#[test]
fn a_tree_that_takes_for_ever_to_walk_is_given_up() {
    let start = Instant::now();
    let error = fclib::read_bytes("ladder.hdf5", ladder()).unwrap_err().to_string();
    assert!(start.elapsed() < Duration::from_secs(5), "took {:?}", start.elapsed());
    assert!(error.starts_with("ladder.hdf5: the HDF5 structure is damaged at /: "), "{error}");
    assert!(error.ends_with("its blocks are read over and over, as if they formed a cycle"), "{error}");
}

/// A group whose tree of links states a depth of 65535 and is its own child: the reader recurses as deep as that.
///
/// The writer at hand has such trees only for attributes: its tree and heap are given to the links.
fn well() -> Vec<u8> {
    const HEADER: usize = 34;
    const RECORD: usize = 11;
    let mut file = FileBuilder::new();
    for k in 0..40 {
        file.set_attr(&format!("attribute {k}"), AttrValue::I64(k));
    }
    let mut bytes = file.finish().unwrap();
    let find = |bytes: &[u8], wanted: &[u8]| bytes.windows(wanted.len()).position(|found| found == wanted).unwrap();
    let (tree, heap) = (find(&bytes, b"BTHD"), find(&bytes, b"FRHP"));
    let no_links = find(&bytes, &[0xff; 16]); // addresses of heap and tree in the root group
    put(&mut bytes, no_links, heap, 8);
    put(&mut bytes, no_links + 8, tree, 8);
    bytes[tree + 5] = 5; // links by name
    put(&mut bytes, tree + 10, RECORD, 2);
    let node = bytes.len();
    put(&mut bytes, tree + 12, 65535, 2); // depth
    put(&mut bytes, tree + 16, node, 8); // root
    put(&mut bytes, tree + 24, 1, 2); // records in it
    seal_block(&mut bytes, tree, HEADER);
    // Long enough for the limit on reads not to end the descent early.
    bytes.resize(node + (2 << 20), 0);
    bytes[node..node + 4].copy_from_slice(b"BTIN");
    bytes[node + 5] = 5;
    put(&mut bytes, node + 6 + RECORD, node, 8); // first child, with one record
    bytes[node + 6 + RECORD + 8] = 1;
    let size = bytes.len();
    put(&mut bytes, 28, size, 8); // end of file
    seal(&mut bytes);
    bytes
}

#[test]
fn a_very_deep_tree_does_not_overflow_the_stack() {
    let error = fclib::read_bytes("well.hdf5", well()).unwrap_err().to_string();
    assert!(error.starts_with("well.hdf5: the HDF5 structure is damaged at /: "), "{error}");
    // The bottom was reached: the node is no leaf.
    assert!(error.contains("B-tree"), "{error}");
}

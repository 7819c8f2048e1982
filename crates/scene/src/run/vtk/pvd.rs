//! The index of a series: which file belongs to which time.

use std::fmt::Write;

/// Text of an index of files `prefix`_NNNNNN.vtu at given times.
pub(super) fn text(prefix: &str, times: &[f64]) -> String {
    let mut xml =
        String::from("<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n<Collection>\n");
    for (frame, time) in times.iter().enumerate() {
        let file = file_name(prefix, frame);
        let _ = writeln!(xml, "<DataSet timestep=\"{time:?}\" part=\"0\" file=\"{file}\"/>");
    }
    xml + "</Collection>\n</VTKFile>\n"
}

pub(super) fn file_name(prefix: &str, frame: usize) -> String {
    format!("{prefix}_{frame:06}.vtu")
}

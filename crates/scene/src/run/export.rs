//! Results in other formats.

use super::error::writing;
use super::step_row::number;
use super::vtk::{ContactPoint, Series};
use super::{ContactRow, RunError, RunFolder, contacts, flexible};
use signorini_mechanics::Vec3;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// Writes all frames as PVD series of VTU files to a folder; contacts too, if the run recorded them. Returns the number of
/// frames. `each` is called after every frame.
///
/// # Errors
/// A run without frames, files that cannot be read or written.
pub fn export_vtk(run: &RunFolder, target: &Path, mut each: impl FnMut(u64)) -> Result<u64, RunError> {
    let mut frames = run.frames()?;
    if frames.is_empty() {
        return Err(RunError::Without { folder: run.path().to_path_buf(), what: "complete frame" });
    }
    let rows = run.contacts()?;
    let numbers: BTreeMap<&str, i32> = run.manifest().names().enumerate().map(|(i, name)| (name, i as i32)).collect();
    let mut rows_left = rows.as_deref().unwrap_or_default();
    let model = flexible::model(run.path(), &run.manifest().flexible)?;
    let mut series = Series::new(target, run.manifest(), &model, &frames.get(0)?, rows.is_some())?;
    for index in 0..frames.len() {
        let frame = frames.get(index)?;
        let step = index * run.manifest().output.every;
        let (now, later) = rows_left.split_at(rows_left.partition_point(|row| row.step <= step));
        rows_left = later;
        let points: Vec<ContactPoint> = now.iter().map(|row| contact_point(row, &numbers)).collect();
        series.frame(&frame, &model, &points)?;
        each(index + 1);
    }
    series.finish()?;
    Ok(frames.len())
}

/// Writes all frames as one CSV file, a line a rigid body and frame. Returns the number of frames. `each` is called after every
/// frame.
///
/// # Errors
/// Files that cannot be read or written.
pub fn export_csv(run: &RunFolder, target: &Path, mut each: impl FnMut(u64)) -> Result<u64, RunError> {
    let mut frames = run.frames()?;
    let mut file = BufWriter::new(File::create(target).map_err(writing(target))?);
    let header = "time,body,x,y,z,qx,qy,qz,qw,vx,vy,vz,wx,wy,wz\n";
    file.write_all(header.as_bytes()).map_err(writing(target))?;
    let names: Vec<String> =
        run.manifest().bodies.iter().map(|body| contacts::csv_field(&body.name).into_owned()).collect();
    let mut lines = String::new();
    for index in 0..frames.len() {
        let frame = frames.get(index)?;
        lines.clear();
        for (name, body) in names.iter().zip(&frame.bodies) {
            let _ = write!(lines, "{},{name}", number(frame.time));
            let numbers = (body.pose.position.to_array().into_iter())
                .chain(body.pose.rotation.to_array())
                .chain(body.velocity.to_array())
                .chain(body.angular_velocity.to_array());
            numbers.for_each(|value| {
                let _ = write!(lines, ",{}", number(value));
            });
            lines.push('\n');
        }
        file.write_all(lines.as_bytes()).map_err(writing(target))?;
        each(index + 1);
    }
    file.flush().map_err(writing(target))?;
    Ok(frames.len())
}

fn contact_point(row: &ContactRow, numbers: &BTreeMap<&str, i32>) -> ContactPoint {
    // −1 for a name that run.json does not know.
    let number = |name: &str| numbers.get(name).copied().unwrap_or(-1);
    ContactPoint {
        bodies: [number(&row.body_a), number(&row.body_b)],
        point: Vec3::new(row.x, row.y, row.z),
        normal: Vec3::new(row.nx, row.ny, row.nz),
        gap: row.gap,
        force: Vec3::new(row.fx, row.fy, row.fz),
    }
}

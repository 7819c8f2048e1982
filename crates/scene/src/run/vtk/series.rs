//! The series of a run.

use super::elements::Cells;
use super::pvd;
use super::surface::Surfaces;
use super::vtu::{Grid, Section};
use crate::run::error::writing;
use crate::run::surface::body_radius;
use crate::run::{Frame, Manifest, RunError, durable};
use signorini_mechanics::{Model, Pose, Vec3};
use std::path::{Path, PathBuf};

/// How much farther than the farthest body planes are drawn.
const PLANE_MARGIN: f64 = 1.5;

/// A contact force as it is drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPoint {
    pub(crate) bodies: [i32; 2],
    pub(crate) point: Vec3,
    pub(crate) normal: Vec3,
    pub(crate) gap: f64,
    pub(crate) force: Vec3,
}

/// Writes frames to a folder.
pub(crate) struct Series {
    folder: PathBuf,
    surfaces: Surfaces,
    masses: Vec<f64>,
    radii: Vec<f64>,
    times: Vec<f64>,
    /// Elements of flexible bodies; `None` without any.
    cells: Option<Cells>,
    has_contacts: bool,
}

impl Series {
    /// Series of a run in a folder, which is made if need be. `model` has its flexible bodies, `start` is the first frame.
    pub(crate) fn new(
        folder: &Path,
        manifest: &Manifest,
        model: &Model,
        start: &Frame,
        has_contacts: bool,
    ) -> Result<Self, RunError> {
        std::fs::create_dir_all(folder).map_err(writing(folder))?;
        let radii: Vec<f64> = manifest.bodies.iter().map(|body| body_radius(body, &manifest.shapes)).collect();
        let reach = start.bodies.iter().zip(&radii).map(|(body, radius)| body.pose.position.length() + radius);
        let reach = reach.chain(start.nodes.iter().map(|node| node.length()));
        let extent = PLANE_MARGIN * reach.fold(0.0, f64::max);
        Ok(Self {
            folder: folder.to_path_buf(),
            surfaces: Surfaces::new(&manifest.bodies, &manifest.shapes, if extent > 0.0 { extent } else { 1.0 }),
            masses: manifest.bodies.iter().map(|body| body.mass).collect(),
            radii,
            times: Vec::new(),
            cells: Cells::of(model, manifest.bodies.len()),
            has_contacts,
        })
    }

    /// Takes frames as written that are there already.
    pub(crate) fn skip(&mut self, times: impl Iterator<Item = f64>) {
        self.times.extend(times);
    }

    /// Writes the next frame.
    pub(crate) fn frame(&mut self, frame: &Frame, model: &Model, contacts: &[ContactPoint]) -> Result<(), RunError> {
        let index = self.times.len();
        self.file("bodies", index, self.bodies(frame))?;
        self.file("surfaces", index, self.faces(frame))?;
        if let Some(cells) = &self.cells {
            self.file("flexible", index, cells.grid(model, frame))?;
        }
        if self.has_contacts {
            self.file("contacts", index, contact_points(contacts))?;
        }
        self.times.push(frame.time);
        Ok(())
    }

    /// Writes the indices over all frames so far.
    pub(crate) fn finish(&self) -> Result<(), RunError> {
        let written =
            [("bodies", true), ("surfaces", true), ("flexible", self.cells.is_some()), ("contacts", self.has_contacts)];
        for (series, _) in written.iter().filter(|(_, is_written)| *is_written) {
            let text = pvd::text(series, &self.times);
            durable::replace(&self.folder.join(format!("{series}.pvd")), text.as_bytes())?;
        }
        Ok(())
    }

    fn file(&self, series: &str, index: usize, bytes: Vec<u8>) -> Result<(), RunError> {
        let path = self.folder.join(pvd::file_name(series, index));
        std::fs::write(&path, bytes).map_err(writing(&path))
    }

    fn bodies(&self, frame: &Frame) -> Vec<u8> {
        let bodies = || frame.bodies.iter();
        let mut grid = Grid::of_points(frame.bodies.len());
        let vectors = |of: fn(&crate::run::BodyFrame) -> Vec3| bodies().flat_map(move |body| of(body).to_array());
        grid.reals(Section::Points, "Points", 3, vectors(|body| body.pose.position));
        grid.whole(Section::PointData, "body", 1, (0..frame.bodies.len()).map(|i| i as i32));
        grid.reals(Section::PointData, "mass", 1, self.masses.iter().copied());
        grid.reals(Section::PointData, "radius", 1, self.radii.iter().copied());
        let turns = bodies().flat_map(|body| {
            let [x, y, z, w] = body.pose.rotation.to_array();
            [w, x, y, z]
        });
        grid.reals(Section::PointData, "orientation", 4, turns);
        grid.reals(Section::PointData, "velocity", 3, vectors(|body| body.velocity));
        grid.reals(Section::PointData, "angular_velocity", 3, vectors(|body| body.angular_velocity));
        grid.finish()
    }

    fn faces(&self, frame: &Frame) -> Vec<u8> {
        let Surfaces { points, owners, connectivity, offsets, types, cell_owners, .. } = &self.surfaces;
        let place = |at: usize| -> (Vec3, Vec3) {
            let body = &frame.bodies[owners[at]];
            let pose: Pose = body.pose;
            let arm = pose.rotation * points[at];
            // ẋ + ω × s, all in the world.
            (pose.position + arm, body.velocity + body.angular_velocity.cross(arm))
        };
        let mut grid = Grid::new(points.len(), types.len());
        grid.singles(Section::Points, "Points", 3, (0..points.len()).flat_map(|at| place(at).0.to_array()));
        grid.whole(Section::Cells, "connectivity", 1, connectivity.iter().copied());
        grid.whole(Section::Cells, "offsets", 1, offsets.iter().copied());
        grid.bytes(Section::Cells, "types", types.iter().copied());
        grid.singles(Section::PointData, "velocity", 3, (0..points.len()).flat_map(|at| place(at).1.to_array()));
        grid.whole(Section::CellData, "body", 1, cell_owners.iter().copied());
        grid.finish()
    }
}

fn contact_points(contacts: &[ContactPoint]) -> Vec<u8> {
    let mut grid = Grid::of_points(contacts.len());
    let vectors = |of: fn(&ContactPoint) -> Vec3| contacts.iter().flat_map(move |contact| of(contact).to_array());
    grid.reals(Section::Points, "Points", 3, vectors(|contact| contact.point));
    grid.whole(Section::PointData, "bodies", 2, contacts.iter().flat_map(|contact| contact.bodies));
    grid.reals(Section::PointData, "normal", 3, vectors(|contact| contact.normal));
    grid.reals(Section::PointData, "gap", 1, contacts.iter().map(|contact| contact.gap));
    grid.reals(Section::PointData, "force", 3, vectors(|contact| contact.force));
    grid.finish()
}

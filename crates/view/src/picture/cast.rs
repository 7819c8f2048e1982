//! The bodies of a run as they are drawn: what does not change from frame to frame.

use super::solid_mesh::SolidMesh;
use super::theme;
use crate::mesh::{Grown, Look, TriangleMesh, parts};
use crate::{Recording, ViewError};
use signorini_mechanics::flexible::Structure;
use signorini_mechanics::flexible::mesh::Surface;
use signorini_mechanics::{Model, Pose, Vec3};
use signorini_scene::run::ShapeRecord;
use signorini_scene::run::surface::Fineness;
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::ops::Range;

/// Finer than files for other programs: pictures are seen from near.
const FINENESS: Fineness = Fineness { around: 48, rings: 24, cap_rings: 10, extent: 1.0 };

/// What a part of a body is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Figure {
    Ball {
        radius: f64,
    },
    /// Which of the meshes.
    Mesh {
        mesh: usize,
        look: Look,
    },
    Plane {
        normal: Vec3,
    },
}

/// A part of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) pose: Pose,
    pub(super) figure: Figure,
}

/// A rigid body.
#[derive(Clone, Debug)]
pub(super) struct Rigid {
    pub(super) fixed: bool,
    pub(super) parts: Vec<Part>,
    /// Linear colour.
    pub(super) colour: glam::Vec3,
}

/// A flexible body.
#[derive(Clone, Debug)]
pub(super) struct Soft {
    /// Its nodes in a frame.
    pub(super) nodes: Range<usize>,
    /// Outer triangles, corners counted from its first node.
    pub(super) triangles: Vec<[u32; 3]>,
    /// Cables, ends counted from its first node, and their radius \[m\].
    pub(super) cables: Vec<[u32; 2]>,
    pub(super) radius: f64,
    pub(super) colour: glam::Vec3,
}

/// All bodies.
pub(super) struct Cast {
    pub(super) rigid: Vec<Rigid>,
    pub(super) soft: Vec<Soft>,
    pub(super) meshes: Vec<SolidMesh>,
    /// The flexible bodies, for their stresses.
    pub(super) model: Option<Model>,
    /// Against gravity.
    pub(super) up: Vec3,
    /// Shapes drawn without their margins.
    pub(super) bare: usize,
}

impl Cast {
    pub(super) fn of(recording: &Recording, fixed: glam::Vec3) -> Result<Self, ViewError> {
        let manifest = recording.manifest();
        let mut this = Self {
            rigid: Vec::with_capacity(manifest.bodies.len()),
            soft: Vec::new(),
            meshes: Vec::new(),
            model: None,
            up: (-Vec3::from_array(manifest.gravity)).try_normalize().unwrap_or(Vec3::Z),
            bare: 0,
        };
        let mut families: BTreeMap<String, usize> = BTreeMap::new();
        let mut known: BTreeMap<(usize, u64), Vec<(Pose, Figure)>> = BTreeMap::new();
        for (index, body) in manifest.bodies.iter().enumerate() {
            let mut own = Vec::new();
            for placed in &body.shapes {
                let Some(shape) = manifest.shapes.get(placed.shape) else { continue };
                let grown = Grown::of(shape, placed);
                this.bare += usize::from(!grown.has_margin);
                let key = (placed.shape, placed.margin.to_bits());
                let figures = known.entry(key).or_insert_with(|| this.figures(&grown.shape));
                let place = |(pose, figure): &(Pose, Figure)| Part { pose: grown.pose * *pose, figure: *figure };
                own.extend(figures.iter().map(place));
            }
            let colour = if body.fixed { fixed } else { family_colour(&body.name, index, &mut families) };
            this.rigid.push(Rigid { fixed: body.fixed, parts: own, colour });
        }
        if !manifest.flexible.is_empty() {
            let model = recording.folder().flexible_model()?;
            let mut first = 0;
            for (index, body) in model.flexible().iter().enumerate() {
                let nodes = first..first + body.nodes().len();
                first = nodes.end;
                let (triangles, cables, radius) = match &body.structure {
                    Structure::Solid { mesh, .. } => {
                        let surface = Surface::of(mesh).map(|surface| surface.triangles).unwrap_or_default();
                        (surface.iter().map(|triangle| triangle.nodes).collect(), Vec::new(), 0.0)
                    }
                    Structure::Cables { cables, area, .. } => (Vec::new(), cables.clone(), (area / PI).sqrt()),
                };
                let colour = family_colour(&body.name, index, &mut families);
                this.soft.push(Soft { nodes, triangles, cables, radius, colour });
            }
            this.model = Some(model);
        }
        Ok(this)
    }

    fn figures(&mut self, shape: &ShapeRecord) -> Vec<(Pose, Figure)> {
        let mut figures = Vec::new();
        for (pose, part) in parts(shape) {
            match part {
                ShapeRecord::Sphere { radius } => figures.push((pose, Figure::Ball { radius: *radius })),
                ShapeRecord::HalfSpace { normal } => {
                    let normal = Vec3::from_array(*normal).normalize_or(Vec3::Z);
                    figures.push((pose, Figure::Plane { normal }));
                }
                _ => {
                    if let Some(mesh) = TriangleMesh::of(part, &FINENESS) {
                        figures.push((pose, Figure::Mesh { mesh: self.meshes.len(), look: mesh.look }));
                        self.meshes.push(SolidMesh::of(&mesh));
                    }
                }
            }
        }
        figures
    }
}

/// Bodies whose names differ in numbers only are a family.
fn family_colour(name: &str, index: usize, families: &mut BTreeMap<String, usize>) -> glam::Vec3 {
    let stem = name.trim_end_matches(|letter: char| letter.is_ascii_digit() || matches!(letter, '-' | '_' | '.' | ','));
    let next = families.len();
    theme::body(*families.entry(stem.to_owned()).or_insert(next), index)
}

//! Flexible bodies as run folders store them: their numbers in run.json, meshes and materials in flexible.json: enough to
//! find strains and stresses of a trajectory without the scene.

use super::error::{damaged, reading};
use super::{RunError, durable};
use serde::{Deserialize, Serialize};
use signorini_mechanics::flexible::element::von_mises;
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::flexible::mesh::{ElementKind, VolumeMesh};
use signorini_mechanics::flexible::{FlexibleBody, FlexibleId, MassMatrix, StressLaw, Stresses, Structure};
use signorini_mechanics::{Model, Vec3};
use std::path::Path;

/// A flexible body in run.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FlexibleRecord {
    /// Its name.
    pub name: String,
    /// Its elements.
    pub kind: CellKind,
    /// How many nodes it has: 6 numbers each in a frame.
    pub nodes: usize,
    /// How many elements.
    pub elements: usize,
    /// Mass \[kg\].
    pub mass: f64,
    /// Nodes that never move.
    pub held: usize,
    /// Whether it meets others.
    pub skin: bool,
}

/// Kinds of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellKind {
    /// Tetrahedra of four nodes.
    Tet4,
    /// Tetrahedra of ten nodes.
    Tet10,
    /// Hexahedra of eight nodes.
    Hex8,
    /// Cables of two nodes.
    Cable,
}

impl CellKind {
    /// As scene files and messages spell it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tet4 => "tet4",
            Self::Tet10 => "tet10",
            Self::Hex8 => "hex8",
            Self::Cable => "cable",
        }
    }

    fn of(structure: &Structure) -> Self {
        match structure {
            Structure::Solid { mesh, .. } => match mesh.kind {
                ElementKind::Tet4 => Self::Tet4,
                ElementKind::Tet10 => Self::Tet10,
                ElementKind::Hex8 => Self::Hex8,
            },
            Structure::Cables { .. } => Self::Cable,
        }
    }
}

/// The nodes of all elements of a structure, one element after the other, and how many an element has.
pub(super) fn elements(structure: &Structure) -> (&[u32], usize) {
    match structure {
        Structure::Solid { mesh, .. } => (&mesh.elements, mesh.kind.nodes()),
        Structure::Cables { cables, .. } => (cables.as_flattened(), 2),
    }
}

/// The flexible bodies of a model and their numbers, in order.
pub(super) fn bodies(model: &Model) -> impl Iterator<Item = (FlexibleId, &FlexibleBody)> {
    // Names are unique: every body is found by its own.
    model.flexible().iter().filter_map(|body| Some((model.flexible_named(&body.name)?, body)))
}

/// What run.json says of the flexible bodies of a model.
pub(super) fn record(model: &Model) -> Vec<FlexibleRecord> {
    let of = |(id, body): (FlexibleId, &FlexibleBody)| {
        let (nodes, width) = elements(&body.structure);
        let mut held = body.fixed.clone();
        held.sort_unstable();
        held.dedup();
        FlexibleRecord {
            name: body.name.clone(),
            kind: CellKind::of(&body.structure),
            nodes: body.nodes().len(),
            elements: nodes.len() / width,
            mass: model.nodes_of(id).map(|node| model.node_masses()[node]).sum(),
            held: held.len(),
            skin: body.skin.is_some(),
        }
    };
    bodies(model).map(of).collect()
}

/// A flexible body in flexible.json.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MeshRecord {
    /// Its name.
    pub name: String,
    /// Its elements.
    pub kind: CellKind,
    /// Young's modulus, Poisson's ratio, density, damping.
    pub material: Elastic,
    /// `corotational` or `neo-hookean`; none for cables.
    pub law: Option<LawRecord>,
    /// Area of the cross-section of cables \[m²\].
    pub area: Option<f64>,
    /// Length of cables at rest as a share of that at the start.
    pub slack: Option<f64>,
    /// Where nodes start \[m\].
    pub nodes: Vec<[f64; 3]>,
    /// Nodes of all elements, from 0, one element after the other, in the order of VTK.
    pub elements: Vec<u32>,
}

/// How stress follows from strain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LawRecord {
    /// Small strains in axes that turn with the element.
    Corotational,
    /// Large strains.
    NeoHookean,
}

impl MeshRecord {
    fn of(body: &FlexibleBody) -> Self {
        let (law, area, slack) = match &body.structure {
            Structure::Solid { law: StressLaw::Corotational, .. } => (Some(LawRecord::Corotational), None, None),
            Structure::Solid { law: StressLaw::NeoHookean, .. } => (Some(LawRecord::NeoHookean), None, None),
            Structure::Cables { area, slack, .. } => (None, Some(*area), Some(*slack)),
        };
        Self {
            name: body.name.clone(),
            kind: CellKind::of(&body.structure),
            material: body.material,
            law,
            area,
            slack,
            nodes: body.nodes().iter().map(Vec3::to_array).collect(),
            elements: elements(&body.structure).0.to_vec(),
        }
    }

    /// A body of these elements, free and without a skin; what is missing or does not fit is told.
    fn body(self) -> Result<FlexibleBody, String> {
        let Self { name, kind, material, law, area, slack, nodes, elements } = self;
        let nodes: Vec<Vec3> = nodes.into_iter().map(Vec3::from_array).collect();
        let solid = |kind: ElementKind, nodes, elements: Vec<u32>| {
            if !elements.len().is_multiple_of(kind.nodes()) {
                return Err(format!(
                    "`{name}` has {} nodes of elements, expected a multiple of {}",
                    elements.len(),
                    kind.nodes()
                ));
            }
            let law = match law {
                Some(LawRecord::Corotational) => StressLaw::Corotational,
                Some(LawRecord::NeoHookean) => StressLaw::NeoHookean,
                None => return Err(format!("`{name}` has no law")),
            };
            let (node_sets, face_sets) = Default::default();
            let mesh = VolumeMesh { nodes, kind, elements, node_sets, face_sets };
            Ok(Structure::Solid { mesh, law, mass: MassMatrix::Lumped })
        };
        let structure = match kind {
            CellKind::Tet4 => solid(ElementKind::Tet4, nodes, elements)?,
            CellKind::Tet10 => solid(ElementKind::Tet10, nodes, elements)?,
            CellKind::Hex8 => solid(ElementKind::Hex8, nodes, elements)?,
            CellKind::Cable => {
                let (cables, rest) = elements.as_chunks::<2>();
                match (area, slack, rest) {
                    (Some(area), Some(slack), []) => {
                        Structure::Cables { nodes, cables: cables.to_vec(), area, slack, skin: Vec::new() }
                    }
                    _ => return Err(format!("`{name}` has no area or slack, or half a cable")),
                }
            }
        };
        Ok(FlexibleBody::new(name, structure, material))
    }
}

/// What output says of the nodes of a flexible body in a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeFields {
    /// Von Mises' equivalent \[Pa\] of the stress at every node; NaN where an element is turned inside out.
    pub von_mises: Vec<f64>,
    /// Pull \[N\] at every node, the mean of the cables that end there; only of cables.
    pub tension: Option<Vec<f64>>,
}

impl NodeFields {
    /// Those of body number `index` of a model of flexible bodies ([`super::RunFolder::flexible_model`]); `None` if there is no
    /// such body, or a frame of another model.
    #[must_use]
    pub fn of(model: &Model, index: usize, frame: &super::Frame) -> Option<Self> {
        let (id, body) = bodies(model).nth(index)?;
        if frame.nodes.len() < model.nodes_of(id).end {
            return None;
        }
        let found = Stresses::of(model, id, &frame.nodes, &frame.node_velocities);
        let von_mises = found.nodes.iter().map(|stress| von_mises(*stress)).collect();
        let tension = match &body.structure {
            Structure::Solid { .. } => None,
            Structure::Cables { cables, .. } => {
                let mut sums = vec![(0.0, 0_u32); body.nodes().len()];
                for (cable, element) in cables.iter().zip(&found.elements) {
                    for node in cable {
                        let (sum, count) = &mut sums[*node as usize];
                        *sum += element.tension.unwrap_or(0.0);
                        *count += 1;
                    }
                }
                Some(sums.into_iter().map(|(sum, count)| sum / f64::from(count.max(1))).collect())
            }
        };
        Some(Self { von_mises, tension })
    }
}

/// Writes flexible.json if there are flexible bodies.
pub(super) fn write(folder: &Path, model: &Model) -> Result<(), RunError> {
    if model.flexible().is_empty() {
        return Ok(());
    }
    let path = folder.join(super::FLEXIBLE);
    let records: Vec<MeshRecord> = model.flexible().iter().map(MeshRecord::of).collect();
    let mut bytes = serde_json::to_vec(&records).map_err(|error| damaged(&path, error.to_string()))?;
    bytes.push(b'\n');
    durable::replace(&path, &bytes)
}

/// Reads flexible.json, which must fit run.json.
pub(super) fn read(folder: &Path, expected: &[FlexibleRecord]) -> Result<Vec<MeshRecord>, RunError> {
    if expected.is_empty() {
        return Ok(Vec::new());
    }
    let path = folder.join(super::FLEXIBLE);
    let bytes = std::fs::read(&path).map_err(reading(&path))?;
    let records: Vec<MeshRecord> = serde_json::from_slice(&bytes).map_err(|error| damaged(&path, error.to_string()))?;
    if records.len() != expected.len() {
        let problem = format!("it has {} flexible bodies, run.json has {}", records.len(), expected.len());
        return Err(damaged(&path, problem));
    }
    for (record, known) in records.iter().zip(expected) {
        if (&record.name, record.nodes.len()) != (&known.name, known.nodes) {
            let (found, nodes) = (&record.name, record.nodes.len());
            let problem =
                format!("it has `{found}` of {nodes} nodes, run.json has `{}` of {}", known.name, known.nodes);
            return Err(damaged(&path, problem));
        }
    }
    Ok(records)
}

/// A model of the flexible bodies of a folder and nothing else: what gives strains and stresses of its frames.
pub(super) fn model(folder: &Path, expected: &[FlexibleRecord]) -> Result<Model, RunError> {
    let path = folder.join(super::FLEXIBLE);
    let mut builder = Model::builder();
    for record in read(folder, expected)? {
        builder.flexible(record.body().map_err(|problem| damaged(&path, problem))?);
    }
    builder.build().map_err(|error| damaged(&path, error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use signorini_mechanics::flexible::mesh::box_mesh;

    fn structures() -> Vec<Structure> {
        let solid = |kind, law| {
            let mesh = box_mesh(kind, Vec3::new(1.0, 1.0 / 3.0, 0.1), [2, 1, 1]).unwrap();
            Structure::Solid { mesh, law, mass: MassMatrix::Consistent }
        };
        let nodes = vec![Vec3::ZERO, Vec3::X, Vec3::new(2.0, 0.1, 0.0)];
        vec![
            solid(ElementKind::Tet4, StressLaw::NeoHookean),
            solid(ElementKind::Tet10, StressLaw::Corotational),
            solid(ElementKind::Hex8, StressLaw::NeoHookean),
            Structure::Cables { nodes, cables: vec![[0, 1], [1, 2]], area: 1e-4, slack: 0.9, skin: vec![[0, 1, 2]] },
        ]
    }

    #[test]
    fn meshes_and_materials_read_back_as_they_were() {
        for structure in structures() {
            let material = Elastic::new(1e6 / 3.0, 0.3, 1000.0).unwrap();
            let body = FlexibleBody::new("a", structure, material);
            let record = MeshRecord::of(&body);
            let text = serde_json::to_string(&record).unwrap();
            let back: MeshRecord = serde_json::from_str(&text).unwrap();
            assert_eq!(back, record);
            let again = back.body().unwrap();
            assert_eq!(again.nodes(), body.nodes());
            assert_eq!(elements(&again.structure), elements(&body.structure));
            assert_eq!(MeshRecord::of(&again), record);
        }
    }

    #[test]
    fn records_that_do_not_fit_are_refused() {
        let material = Elastic::new(1e6, 0.3, 1000.0).unwrap();
        for structure in structures() {
            let good = MeshRecord::of(&FlexibleBody::new("a", structure, material));
            let mut short = good.clone();
            short.elements.pop();
            assert!(short.body().is_err());
            let bare = MeshRecord { law: None, area: None, ..good };
            assert!(bare.body().is_err());
        }
    }
}

//! Flexible bodies: outer faces, nodes frame by frame, displacement, speed, stress or tension.

use super::body::Body;
use super::quantise::{Range, Steps};
use crate::Recording;
use serde_json::{Value, json};
use signorini_mechanics::flexible::Structure;
use signorini_mechanics::flexible::mesh::Surface;
use signorini_mechanics::{Model, Vec3};
use signorini_scene::run::{Frame, NodeFields};
use std::collections::BTreeSet;

/// Fields of a node.
const FIELDS: usize = 3;

/// All flexible bodies of a run.
pub(super) struct Flexible {
    model: Option<Model>,
    bodies: Vec<One>,
}

struct One {
    name: String,
    kind: &'static str,
    first: usize,
    start: Vec<Vec3>,
    triangles: Option<Vec<u32>>,
    lines: Vec<u32>,
    radius: f64,
    position: [Range; 3],
    fields: [Range; FIELDS],
    /// Stress or tension of all frames: too slow to find twice.
    strained: Vec<f32>,
    is_cable: bool,
    /// Nodes without a stress, of all frames.
    inverted: usize,
    next: usize,
    arrays: Option<(Value, [Steps; 1 + FIELDS])>,
}

impl Flexible {
    /// Those of a run; none, with a note, if their meshes cannot be read.
    pub(super) fn of(recording: &mut Recording) -> Self {
        if recording.manifest().flexible.is_empty() {
            return Self { model: None, bodies: Vec::new() };
        }
        let read = recording.folder().flexible_model().map_err(|error| error.to_string());
        let made = read.and_then(|model| {
            let bodies = bodies(&model, recording)?;
            Ok(Self { model: Some(model), bodies })
        });
        made.unwrap_or_else(|problem| {
            recording.note_damage(format!("flexible bodies are not shown: {problem}"));
            Self { model: None, bodies: Vec::new() }
        })
    }

    /// Bytes of triangles and lines.
    pub(super) fn bytes(&self) -> u64 {
        let of = |body: &One| 4 * (body.lines.len() + body.triangles.as_ref().map_or(0, Vec::len)) as u64 + 64;
        self.bodies.iter().map(of).sum()
    }
    /// Bytes of a frame.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.bodies.iter().map(|body| body.start.len() as u64 * 2 * (3 + FIELDS as u64)).sum()
    }

    /// Widens the ranges to those of a frame.
    pub(super) fn measure(&mut self, frame: &Frame) {
        let Some(model) = &self.model else { return };
        for (index, body) in self.bodies.iter_mut().enumerate() {
            for (node, start) in body.start.iter().enumerate() {
                let now = frame.nodes[body.first + node];
                (0..3).for_each(|axis| body.position[axis].add(now[axis]));
                body.fields[0].add((now - *start).length());
                body.fields[1].add(frame.node_velocities[body.first + node].length());
            }
            let values = NodeFields::of(model, index, frame).map(|fields| fields.tension.unwrap_or(fields.von_mises));
            for value in values.unwrap_or_else(|| vec![f64::NAN; body.start.len()]) {
                let value = value as f32;
                body.fields[2].add(f64::from(value));
                body.inverted += usize::from(!value.is_finite());
                body.strained.push(if value.is_finite() { value } else { f32::NAN });
            }
        }
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = [Range; 3]> {
        self.bodies.iter().map(|body| body.position)
    }

    pub(super) fn begin(&mut self, data: &mut Body, frames: usize) {
        for body in &mut self.bodies {
            let nodes = body.start.len();
            body.position = body.position.map(Range::or_zero);
            body.fields = body.fields.map(Range::or_zero);
            let steps = [3, 1, 1, 1].map(|width| Steps::new(data, frames, width * nodes));
            let (last, unit) = if body.is_cable { ("tension", "N") } else { ("von Mises stress", "Pa") };
            let named = [("displacement", "m"), ("speed", "m/s"), (last, unit)];
            let field = |k: usize| {
                let (name, unit) = named[k];
                let Range { low, high } = body.fields[k];
                json!({ "name": name, "unit": unit, "low": low, "high": high, "values": steps[k + 1].array })
            };
            let fields: Vec<Value> = (0..FIELDS).map(field).collect();
            let header = json!({
                "name": body.name,
                "kind": body.kind,
                "nodes": nodes,
                "triangles": body.triangles.as_ref().map(|triangles| data.u32s(triangles.iter().copied())),
                "lines": data.u32s(body.lines.iter().copied()),
                "radius": body.radius,
                "low": body.position.map(|range| range.low),
                "high": body.position.map(|range| range.high),
                "position": steps[0].array,
                "fields": fields,
            });
            body.arrays = Some((header, steps));
        }
    }

    pub(super) fn put(&mut self, data: &mut Body, frame: &Frame) {
        for body in &mut self.bodies {
            let Some((_, [position, displacement, speed, strained])) = &mut body.arrays else { continue };
            let range = body.first..body.first + body.start.len();
            let (nodes, velocities) = (&frame.nodes[range.clone()], &frame.node_velocities[range]);
            let ranges = body.position;
            position.put(data, nodes.iter().flat_map(|x| [0, 1, 2].map(|axis| ranges[axis].quantise(x[axis]))));
            let [moved, fast, strain] = body.fields;
            displacement
                .put(data, nodes.iter().zip(&body.start).map(|(x, start)| moved.quantise((*x - *start).length())));
            speed.put(data, velocities.iter().map(|v| fast.quantise(v.length())));
            let values = &body.strained[body.next..body.next + nodes.len()];
            strained.put(data, values.iter().map(|value| strain.quantise(f64::from(*value))));
            body.next += nodes.len();
        }
    }

    pub(super) fn header(&self) -> Vec<Value> {
        self.bodies.iter().filter_map(|body| body.arrays.as_ref().map(|(header, _)| header.clone())).collect()
    }

    /// A word about nodes without a stress.
    pub(super) fn note(&self) -> Option<String> {
        let inverted: usize = self.bodies.iter().map(|body| body.inverted).sum();
        let shown = "shown with the largest stress";
        (inverted > 0)
            .then(|| format!("{inverted} nodes of all frames have no stress, in elements turned inside out: {shown}"))
    }
}

fn bodies(model: &Model, recording: &Recording) -> Result<Vec<One>, String> {
    let mut first = 0;
    let mut all = Vec::new();
    for (body, record) in model.flexible().iter().zip(&recording.manifest().flexible) {
        let (triangles, lines, radius) = match &body.structure {
            Structure::Solid { mesh, .. } => {
                let surface = Surface::of(mesh).map_err(|error| error.to_string())?;
                let triangles = surface.triangles.iter().flat_map(|triangle| triangle.nodes).collect();
                (Some(triangles), edges(&surface), 0.0)
            }
            Structure::Cables { cables, area, .. } => {
                (None, cables.iter().flatten().copied().collect(), (area / std::f64::consts::PI).sqrt())
            }
        };
        let start = body.nodes().to_vec();
        let nodes = start.len();
        all.push(One {
            name: body.name.clone(),
            kind: record.kind.name(),
            first,
            start,
            is_cable: triangles.is_none(),
            triangles,
            lines,
            radius,
            position: [Range::EMPTY; 3],
            fields: [Range::EMPTY; FIELDS],
            strained: Vec::new(),
            inverted: 0,
            next: 0,
            arrays: None,
        });
        first += nodes;
    }
    Ok(all)
}

/// The edges of the faces of elements: those that one triangle of a face has alone; each once.
fn edges(surface: &Surface) -> Vec<u32> {
    let mut all: BTreeSet<[u32; 2]> = BTreeSet::new();
    for face in surface.triangles.chunk_by(|a, b| (a.element, a.face) == (b.element, b.face)) {
        let sides = || {
            face.iter().flat_map(|triangle| {
                let [a, b, c] = triangle.nodes;
                [[a, b], [b, c], [c, a]].map(|[from, to]| [from.min(to), from.max(to)])
            })
        };
        all.extend(sides().filter(|side| sides().filter(|other| other == side).count() == 1));
    }
    all.into_iter().flatten().collect()
}

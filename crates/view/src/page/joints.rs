//! Joints and what they carry.

use super::body::Body;
use crate::Recording;
use serde_json::{Value, json};
use signorini_scene::run::{ForceKind, JointRecord, Manifest, RunStatus};
use std::collections::BTreeMap;

/// The list of joints.
pub(super) fn list(manifest: &Manifest) -> Vec<Value> {
    let of = |joint: &JointRecord| {
        let JointRecord { name, type_name, bodies, points, axis, .. } = joint;
        json!({ "name": name, "type": type_name, "bodies": bodies, "points": points, "axis": axis })
    };
    manifest.joints.iter().map(of).collect()
}

/// Whether the run recorded forces of joints.
pub(super) fn has_forces(recording: &Recording) -> bool {
    recording.manifest().output.forces && !recording.manifest().joints.is_empty()
}

/// Bytes of a frame.
pub(super) fn bytes(recording: &Recording, has_forces: bool) -> u64 {
    if has_forces { 24 * recording.manifest().joints.len() as u64 } else { 0 }
}

/// Packs the forces of the frames after `steps`; 0 where they are not known: in the first frame, and after damage.
pub(super) fn pack(recording: &mut Recording, steps: &[u64], body: &mut Body) -> Option<Value> {
    let rows = match recording.folder().force_rows() {
        Ok(rows) => rows?,
        Err(error) => {
            recording.note_damage(format!("forces of joints are not shown: {error}"));
            return None;
        }
    };
    let joints = recording.manifest().joints.len();
    let names: BTreeMap<String, usize> =
        recording.manifest().joints.iter().enumerate().map(|(index, joint)| (joint.name.clone(), index)).collect();
    let arrays = [(); 2].map(|()| body.reserve(steps.len() * joints * 3, 4));
    let (mut last, mut is_whole) = (0, true);
    for row in rows {
        let row = match row {
            Ok(row) => row,
            Err(error) => {
                recording.note_damage(format!("{error}; forces of joints end with step {last}"));
                is_whole = false;
                break;
            }
        };
        last = row.step;
        let place = steps.binary_search(&row.step).ok().zip(names.get(&row.name).copied());
        let Some((frame, joint)) = place.filter(|_| row.kind == ForceKind::Joint) else { continue };
        for (array, vector) in arrays.iter().zip([row.force, row.torque]) {
            for (axis, x) in vector.unwrap_or_default().into_iter().enumerate() {
                let x = x as f32;
                body.put_f32(*array, (frame * joints + joint) * 3 + axis, if x.is_finite() { x } else { 0.0 });
            }
        }
    }
    // Every frame has a line a joint.
    let has_ended = recording.manifest().status != RunStatus::Running;
    if is_whole && has_ended && steps.last().is_some_and(|step| last < *step) {
        recording.note_damage(format!("forces.csv was cut short; forces of joints end with step {last}"));
    }
    Some(json!({ "force": arrays[0], "torque": arrays[1] }))
}

//! A hash of all that a model is made of: a run goes on only with the model it was started with.
//!
//! What is hashed is the `Debug` text of every part. It is derived, so that no field is forgotten when one is added, and it writes
//! numbers with as many digits as tell them from all others.

use super::fnv::Fnv;
use signorini_mechanics::Model;
use std::fmt::Write;

/// What stands before the digits of a hash of all numbers. Earlier programs wrote the digits alone, of a hash that left out the numbers
/// of joints and forces, pairs of materials and pairs of bodies that never touch.
const ALL_NUMBERS: &str = "all-";

/// The hash of all numbers of a model.
pub(super) fn model_hash(model: &Model) -> String {
    let mut hash = Fnv::default();
    // Writing to a hash cannot fail.
    let _ = write_all(model, &mut hash);
    format!("{ALL_NUMBERS}{:016x}", hash.0)
}

/// Whether a model has this hash, which an earlier program may have written.
pub(super) fn has_hash(model: &Model, stored: &str) -> bool {
    if stored.starts_with(ALL_NUMBERS) { model_hash(model) == stored } else { earlier_hash(model) == stored }
}

/// Names are quoted and parts end with their line, so that no two models run together to the same text.
fn write_all(model: &Model, hash: &mut Fnv) -> std::fmt::Result {
    writeln!(hash, "gravity {:?}", model.gravity())?;
    for body in model.bodies() {
        writeln!(hash, "{body:?}")?;
    }
    for (body, collider) in model.colliders() {
        writeln!(hash, "{body:?} {collider:?}")?;
    }
    for material in model.materials() {
        writeln!(hash, "{material:?}")?;
    }
    for contact in model.material_contacts() {
        writeln!(hash, "{contact:?}")?;
    }
    writeln!(hash, "excluded {:?}", model.excluded())?;
    for (name, joint) in model.joints() {
        writeln!(hash, "{name:?} {joint:?}")?;
    }
    for (name, force) in model.forces() {
        writeln!(hash, "{name:?} {force:?}")?;
    }
    for body in model.flexible() {
        writeln!(hash, "{body:?}")?;
    }
    for (name, link) in model.links() {
        writeln!(hash, "{name:?} {link:?}")?;
    }
    for (name, load) in model.flexible_loads() {
        writeln!(hash, "{name:?} {load:?}")?;
    }
    Ok(())
}

/// The hash of earlier programs, so that their runs can be resumed.
fn earlier_hash(model: &Model) -> String {
    let mut hash = Fnv::default();
    let _ = write!(hash, "{:?}{:?}{:?}{:?}", model.bodies(), model.colliders(), model.materials(), model.gravity());
    for (name, joint) in model.joints() {
        let _ = write!(hash, "{name} {} {:?}", joint.kind(), joint.bodies());
    }
    for (name, force) in model.forces() {
        let _ = write!(hash, "{name} {} {:?}", force.kind(), force.bodies());
    }
    for body in model.flexible() {
        let _ = write!(hash, "{body:?}");
    }
    for (name, link) in model.links() {
        let _ = write!(hash, "{name} {link:?}");
    }
    for (name, load) in model.flexible_loads() {
        let _ = write!(hash, "{name} {load:?}");
    }
    format!("{:016x}", hash.0)
}

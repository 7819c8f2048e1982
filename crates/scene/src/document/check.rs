//! What looks wrong with a model that can be run: overlaps and joints that do not fit at the start, floors that face down.

use signorini_collision::{Collider, Detector, Mobility};
use signorini_mechanics::flexible::Link;
use signorini_mechanics::joint::{MAX_ROWS, Row, RowKind};
use signorini_mechanics::{Mesh, Model, Pose, Shape, Vec3};

/// Overlaps below this are those of rounding \[m\].
const OVERLAP: f64 = 1e-9;
/// Joints that miss by less \[m or rad\] fit.
const MISFIT: f64 = 1e-6;

/// A sheet faces down if its triangles have more than this share of their area along gravity, as a sum of vectors.
const DOWN: f64 = 0.5;

/// One line for every kind of thing that looks wrong.
pub(super) fn warnings(model: &Model) -> Vec<String> {
    overlap(model).into_iter().chain(misfits(model)).chain(upside_down(model)).collect()
}

/// Fixed sheets that face down: what lies on them falls through. The areas of a closed surface add up to nothing.
fn upside_down(model: &Model) -> Option<String> {
    let down = model.gravity().normalize_or_zero();
    let is_down = |(mesh, pose): (&Mesh, Pose)| {
        let (mut sum, mut total) = (Vec3::ZERO, 0.0);
        for triangle in 0..mesh.triangles.len() {
            let [a, b, c] = mesh.corners(triangle);
            let area = 0.5 * (b - a).cross(c - a);
            sum += area;
            total += area.length();
        }
        (pose.rotation * sum).dot(down) > DOWN * total
    };
    let fixed = model.colliders().iter().filter_map(|(body, collider)| {
        let body = &model.bodies()[body.index()];
        match &collider.shape {
            Shape::TriangleMesh(mesh) if body.is_fixed => Some((body, mesh, body.start * collider.pose)),
            _ => None,
        }
    });
    let mut wrong = fixed.filter(|(_, mesh, pose)| is_down((mesh, *pose))).map(|(body, ..)| &body.name);
    let first = wrong.next()?;
    let others = wrong.count();
    let more = if others > 0 { format!(" ({others} more shapes do)") } else { String::new() };
    Some(format!(
        "the triangles of the mesh of `{first}` face down{more}: what lies on top of it falls through; \
         reverse them if it is a floor"
    ))
}

fn overlap(model: &Model) -> Option<String> {
    let colliders = model.colliders().iter().map(|(body, collider)| Collider {
        body: body.index() as u32,
        pose: collider.pose,
        shape: collider.shape.clone(),
        material: 0,
        groups: collider.groups,
        margin: collider.margin,
    });
    let mobility = model.bodies().iter().map(|body| if body.is_fixed { Mobility::Fixed } else { Mobility::Moving });
    // Flexible bodies are numbered after rigid ones; their skins are not looked at here.
    let count = model.bodies().len() as u32;
    let is_rigid = |pair: &&(u32, u32)| pair.0 < count && pair.1 < count;
    let excluded: Vec<(u32, u32)> = model.excluded().iter().filter(is_rigid).copied().collect();
    let mut detector = Detector::new(colliders.collect(), mobility.collect(), &excluded).ok()?;
    let poses: Vec<Pose> = model.bodies().iter().map(|body| body.start).collect();
    let mut contacts = Vec::new();
    detector.detect(&poses, &vec![0.0; poses.len()], 0.0, &mut contacts);
    let mut pairs: Vec<[u32; 2]> = contacts.iter().filter(|contact| contact.gap < -OVERLAP).map(|c| c.bodies).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let worst = contacts.iter().min_by(|a, b| a.gap.total_cmp(&b.gap))?;
    if pairs.is_empty() {
        return None;
    }
    let [a, b] = worst.bodies.map(|body| &model.bodies()[body as usize].name);
    let (depth, others) = (-worst.gap, pairs.len() - 1);
    let more = if others > 0 { format!("; {others} more pairs overlap") } else { String::new() };
    Some(format!("`{a}` and `{b}` overlap by {depth:.3e} m at the start{more}"))
}

/// Joints whose rows are not met at the start and links whose displacement is not 0 there, the worst in metres and the worst in radians.
fn misfits(model: &Model) -> Vec<String> {
    let mut worst = [(MISFIT, "", "joint"); 2];
    let mut count = 0;
    for (name, joint) in model.joints() {
        let mut rows = [Row::ZERO; MAX_ROWS];
        let rows = &mut rows[..joint.rows().min(MAX_ROWS)];
        joint.evaluate(joint.bodies().map(|body| &model.bodies()[body.index()].start), 0.0, rows);
        let mut fits = true;
        for row in rows {
            let violation = match row.kind {
                RowKind::Equal => row.value.abs(),
                RowKind::AtLeastZero => (-row.value).max(0.0),
            };
            fits &= violation <= MISFIT;
            let slot = &mut worst[usize::from(row.is_angle)];
            if violation > slot.0 {
                *slot = (violation, name, "joint");
            }
        }
        count += usize::from(!fits);
    }
    for (name, link) in model.links() {
        let Link::Imposed { displacement, .. } = link else { continue };
        let violation = displacement.value(0.0).abs();
        count += usize::from(violation > MISFIT);
        if violation > worst[0].0 {
            worst[0] = (violation, name, "link");
        }
    }
    let units = ["m", "rad"];
    let described = worst.iter().zip(units).filter(|((_, name, _), _)| !name.is_empty());
    described
        .map(|((violation, name, what), unit)| {
            let others = count - 1;
            let more = if others > 0 { format!("; {others} more joints do not fit") } else { String::new() };
            format!("{what} `{name}` misses by {violation:.3e} {unit} at the start{more}")
        })
        .collect()
}

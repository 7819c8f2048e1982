//! Whole steps of a slab of tetrahedra on a floor: detection, forces, tangents, H, its factor, contacts.

use super::Sheet;
use crate::table::{Table, Value};
use anyhow::{Context, Result};
use signorini_experiments::memory::{peak_bytes, reset_peak};
use signorini_linalg::{SparseAnalysis, SparseFactor, Threads};
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
use signorini_mechanics::flexible::{FlexibleBody, Skin, Structure};
use signorini_mechanics::{Body, Collider, Material, Model, Pose, Settings, Shape, Simulation, Vec3};
use signorini_solver::FrictionLaw;
use signorini_solver::problem::Inertia;
use std::sync::Arc;
use std::time::Instant;

/// Cells through the thickness; five tetrahedra a cell.
const LAYERS: usize = 9;
/// Side of a cell \[m\].
const CELL: f64 = 0.02;

fn slab(tetrahedra: usize) -> Result<(Model, usize)> {
    let along = ((tetrahedra as f64 / (5 * LAYERS) as f64).sqrt().round() as usize).max(2);
    let size = CELL * Vec3::new(along as f64, along as f64, LAYERS as f64);
    let mesh = box_mesh(ElementKind::Tet4, size, [along, along, LAYERS])?;
    let count = mesh.element_count();
    let mut body = FlexibleBody::solid("slab", mesh, Elastic::new(1e6, 0.3, 1000.0)?);
    let mut model = Model::builder();
    let material = model.material(Material { friction: 0.5, ..Material::new("rubber") });
    let Structure::Solid { mesh, .. } = &mut body.structure else { anyhow::bail!("a slab is solid") };
    mesh.transform(Pose::at(Vec3::Z * (0.5 * size.z)));
    body.velocity = Vec3::new(0.2, 0.0, -0.1);
    model.flexible(body.with_skin(Skin::new(material)));
    let floor = model.body(Body::fixed("floor"));
    model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, material));
    Ok((model.build()?, count))
}

pub(super) fn run(sheet: &Sheet<'_>, tetrahedra: usize) -> Result<()> {
    let wanted = if sheet.is_quick() { 2_000 } else { tetrahedra };
    let (model, tetrahedra) = slab(wanted)?;
    reset_peak();
    let simulation = Simulation::new(model, Settings { step: 0.01, ..Settings::default() })?;
    let Inertia::Sparse(h) = simulation.problem()?.inertia().clone() else { anyhow::bail!("H is sparse") };
    let analysis = Arc::new(SparseAnalysis::of(h.matrix())?);
    let mut cholesky = f64::INFINITY;
    for _ in 0..3 {
        let started = Instant::now();
        let factor = SparseFactor::new(analysis.clone(), h.matrix(), Threads::Pool)?;
        cholesky = cholesky.min(started.elapsed().as_secs_f64());
        drop(factor);
    }
    println!(
        "{tetrahedra} tetrahedra: {} velocities, nnz(H) {}, nnz(L) {} ({:.0} MB); one Cholesky of H {:.0} ms, {} threads",
        h.matrix().nrows(),
        h.matrix().nnz(),
        analysis.factor_entries(),
        8e-6 * analysis.factor_entries() as f64,
        1e3 * cholesky,
        rayon::current_num_threads(),
    );
    drop((h, analysis, simulation));
    let mut table = Table::new(&[
        "friction law",
        "step",
        "contacts",
        "active",
        "method",
        "status",
        "iterations",
        "collision",
        "assembly",
        "solve",
        "whole step",
        "step / Cholesky",
        "residual / tolerance",
    ]);
    for friction in [FrictionLaw::Relaxed, FrictionLaw::Exact] {
        let (model, _) = slab(wanted)?;
        let mut simulation = Simulation::new(model, Settings { step: 0.01, friction, ..Settings::default() })?;
        for _ in 0..if sheet.is_quick() { 2 } else { 8 } {
            let started = Instant::now();
            let report = simulation.step()?;
            let whole = started.elapsed().as_secs_f64();
            table.push(vec![
                Value::text(if friction == FrictionLaw::Exact { "exact" } else { "relaxed" }),
                Value::Count(report.step as usize),
                Value::Count(report.contacts),
                Value::Count(report.active),
                Value::text(report.method),
                Value::text(report.status.to_string()),
                Value::Count(report.iterations as usize),
                Value::Seconds(report.timings.collision),
                Value::Seconds(report.timings.assembly),
                Value::Seconds(report.timings.solve),
                Value::Seconds(whole),
                Value::Ratio(whole / cholesky),
                Value::Small(report.tolerance_ratio),
            ]);
        }
    }
    sheet.table(
        "Whole steps of a slab sliding on a floor, default settings but for the friction law",
        "step",
        &table,
    )?;
    let peak = peak_bytes().context("no peak memory is known here")?;
    println!("peak memory {:.0} MB", 1e-6 * peak as f64);
    Ok(())
}

//! Blocks and bars.

use signorini_mechanics::flexible::FlexibleBody;
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::flexible::mesh::{ElementKind, box_mesh};
use signorini_mechanics::{Model, Settings, Simulation, Vec3};

/// A soft material of 1000 kg/m³.
pub(crate) fn rubber() -> Elastic {
    Elastic::new(1e6, 0.3, 1000.0).unwrap()
}

/// A block about the origin.
pub(crate) fn block(kind: ElementKind, size: Vec3, divisions: [usize; 3], material: Elastic) -> FlexibleBody {
    FlexibleBody::solid("block", box_mesh(kind, size, divisions).unwrap(), material)
}

/// A model in steps of h, solved to rounding.
pub(crate) fn simulation(model: Model, h: f64) -> Simulation {
    let tolerance = Some(signorini_solver::Tolerance::Velocity(1e-12));
    Simulation::new(model, Settings { step: h, tolerance, ..Settings::default() }).unwrap()
}

//! Non-smooth multibody dynamics: rigid bodies, joints, motors and hard frictional contacts, every step solved to a stated accuracy.
//!
//! This crate is the door: [`mechanics`] has bodies and time-stepping, [`scene`] reads scene files and writes runs, [`solver`] is
//! the cone-constrained problem and its methods, [`collision`] finds contacts. The [`prelude`] has what most programs need.
//!
//! ```
//! use signorini::prelude::*;
//! // A brick slides to a stop on a rough floor: v²/(2 μ g) = 0.204 m.
//! let mut model = Model::builder();
//! let stone = model.material(Material { friction: 0.25, ..Material::new("stone") });
//! let floor = model.body(Body::fixed("floor"));
//! model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, stone));
//! let shape = Shape::Cuboid { half: Vec3::new(0.1, 0.05, 0.03) };
//! let brick = Body::of_shape("brick", &shape, 2000.0)?.at(Vec3::Z * 0.03).moving(Vec3::X, Vec3::ZERO);
//! let brick = model.body(brick);
//! model.collider(brick, Collider::new(shape, stone));
//! let settings = Settings { step: 0.001, friction: FrictionLaw::Exact, ..Settings::default() };
//! let mut simulation = Simulation::new(model.build()?, settings)?;
//! for _ in 0..500 {
//!     let report = simulation.step()?;
//!     assert!(report.converged() && report.penetration < 1e-9);
//! }
//! let way = simulation.state().poses[brick.index()].position.x;
//! assert!((way - 0.204).abs() < 0.001, "{way}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub use signorini_collision as collision;
pub use signorini_mechanics as mechanics;
pub use signorini_scene as scene;
pub use signorini_solver as solver;

/// What most programs need.
pub mod prelude {
    pub use signorini_mechanics::{
        Body, BodyId, Collider, Force, Joint, Mat3, Material, Model, Pose, Quat, Settings, Shape, Simulation, State,
        StepReport, Vec3, force, joint,
    };
    pub use signorini_solver::{FrictionLaw, Method, Tolerance};
}

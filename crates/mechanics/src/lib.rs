//! Bodies, joints, forces and contacts; time-stepping in which every step is one cone problem.
//!
//! A [`Model`] is constant; a [`State`] changes. A [`Simulation`] owns both and takes steps, each of which returns a
//! [`StepReport`] in physical units.
//!
//! ```
//! use signorini_mechanics::{Body, Collider, Material, Model, Settings, Shape, Simulation, Vec3};
//! // A ball falls 10 cm onto a floor and comes to rest there.
//! let mut model = Model::builder();
//! let rubber = model.material(Material { friction: 0.5, ..Material::new("rubber") });
//! let floor = model.body(Body::fixed("floor"));
//! model.collider(floor, Collider::new(Shape::HalfSpace { normal: Vec3::Z }, rubber));
//! let ball = model.body(Body::of_shape("ball", &Shape::Sphere { radius: 0.1 }, 1000.0)?.at(Vec3::new(0.0, 0.0, 0.2)));
//! model.collider(ball, Collider::new(Shape::Sphere { radius: 0.1 }, rubber));
//! let mut simulation = Simulation::new(model.build()?, Settings { step: 0.01, ..Settings::default() })?;
//! for _ in 0..100 {
//!     assert!(simulation.step()?.converged());
//! }
//! assert!((simulation.state().poses[ball.index()].position.z - 0.1).abs() < 1e-5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod analysis;
mod body;
mod diagnostics;
mod dynamics;
mod error;
pub mod flexible;
pub mod force;
pub mod joint;
mod material;
mod model;
mod motion;
mod promise;
mod state;
mod step;

pub use body::{Body, BodyId};
pub use diagnostics::{Energy, Momentum};
pub use dynamics::contact::impulse::ContactId;
pub use dynamics::contact::{ContactForce, Frame};
pub use dynamics::gyroscopic::Gyroscopic;
pub use dynamics::penalty::settings::{Penalty, PenaltyLaw};
pub use dynamics::rebound::RestitutionLaw;
pub use error::{ModelError, ParameterError, StepError};
pub use force::Force;
pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};
pub use joint::Joint;
pub use material::{Contact, Material, MaterialId, Softness};
pub use model::{Collider, Model, ModelBuilder};
pub use promise::{Broken, Culprit, CulpritKind, EnergyAccount, Promise};
pub use signorini_collision::{Groups, MassProperties, Mesh, Pose, Shape, ShapeError};
pub use state::State;
pub use step::hard::answers::Rest;
pub use step::memory::StepMemory;
pub use step::report::{StepReport, StepTimings, Work};
pub use step::settings::{Adaptive, Newton, Projection, Settings};
pub use step::simulation::{LinkLoad, PairForce, Reactions, Resultant, Simulation};
pub use step::stepper::Stepper;

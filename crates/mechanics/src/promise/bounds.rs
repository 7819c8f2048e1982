//! How far a step may be off: what the settings ask for, and the defaults where they say nothing.
//!
//! | promise | default | reason |
//! |---|---|---|
//! | joints, `dvi-passive`, `dvi-rattle` | h times the accuracy of the solve \[m, rad\], at most as below | joints are closed where the bodies arrive; what is left moves bodies no faster than the step is accurate |
//! | joints, others | 5e-3 of the model's own length, 5e-3 rad, and h times the accuracy of the solve | `dvi-euler` holds joints to ½(hω)²l: kept while bodies turn by less than 0.1 rad per step; a speed that is wrong by e opens a joint by h e |
//! | overlap | 1 % of the radius of the smallest body, and h times the accuracy of the solve | contacts enter the problem from that distance on; a speed that is wrong by e closes a gap by h e |

use super::overlap::OverlapBounds;
use crate::Model;
use signorini_solver::Tolerance;

/// Share of the model's own length that joints may be open by.
const JOINT_SHARE: f64 = 5e-3;
/// Angle that joints may be open by \[rad\].
const JOINT_ANGLE: f64 = 5e-3;
/// Joints hold if they are open by no more than this \[m, rad\], whatever was asked for: rounding of positions of 1e5 m.
const LEAST_JOINT_BOUND: f64 = 1e-10;
/// Share of the radius of the smallest body that new overlaps may reach.
const OVERLAP_SHARE: f64 = 0.01;

/// What the settings say about bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct AskedBounds {
    /// How far joints may be open \[m, rad\].
    pub(crate) joint_tolerance: Option<f64>,
    /// How deep overlaps may be \[m\].
    pub(crate) contact_tolerance: Option<f64>,
    /// Whether the stepper closes joints where the bodies arrive.
    pub(crate) is_closed_where_bodies_arrive: bool,
    /// h \[s\].
    pub(crate) step: f64,
}

/// The bounds of a model and its settings that do not change from step to step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds {
    joint_tolerance: Option<f64>,
    contact_tolerance: Option<f64>,
    is_closed_where_bodies_arrive: bool,
    step: f64,
    tolerance: Tolerance,
    /// The model's own length \[m\].
    length: f64,
    /// Radius of the smallest body \[m\].
    radius: f64,
}

impl Bounds {
    /// The bounds of a model whose smallest body has this radius \[m\], and whose steps are solved to a tolerance.
    pub(crate) fn new(model: &Model, asked: AskedBounds, tolerance: Tolerance, radius: f64) -> Self {
        let AskedBounds { joint_tolerance, contact_tolerance, is_closed_where_bodies_arrive, step } = asked;
        Self {
            joint_tolerance,
            contact_tolerance,
            is_closed_where_bodies_arrive,
            step,
            tolerance,
            length: own_length(model).unwrap_or(radius),
            radius,
        }
    }

    /// The speed the solve of a step may be wrong by \[m/s\], for bodies that are as fast as `fastest`.
    fn accuracy(&self, fastest: f64) -> f64 {
        match self.tolerance {
            Tolerance::Velocity(speed) => speed,
            Tolerance::Relative(share) => share * fastest,
        }
    }

    /// How far joints may be open \[m, rad\], for bodies that are as fast as `fastest` \[m/s\].
    pub(crate) fn joints(&self, fastest: f64) -> [f64; 2] {
        let of_the_solve = self.step * self.accuracy(fastest);
        let bounds = match self.joint_tolerance {
            Some(asked) => [asked; 2],
            None if self.is_closed_where_bodies_arrive => {
                [JOINT_SHARE * self.length, JOINT_ANGLE].map(|bound| bound.min(of_the_solve))
            }
            None => [JOINT_SHARE * self.length + of_the_solve, JOINT_ANGLE + of_the_solve / self.length],
        };
        bounds.map(|bound| bound.max(LEAST_JOINT_BOUND))
    }

    /// How deep overlaps may be, for bodies that are as fast as `fastest` \[m/s\].
    pub(crate) fn overlap(&self, fastest: f64) -> OverlapBounds {
        let growth = self.step * self.accuracy(fastest);
        OverlapBounds { depth: self.contact_tolerance.unwrap_or(OVERLAP_SHARE * self.radius + growth), growth }
    }
}

/// What lengths of a model are compared with \[m\]: the longest lever of a joint on a body that moves, distance between the two points
/// of a joint (the length of a rope), radius of gyration, or half the extent of a flexible body. `None` where nothing has a length.
///
/// Levers on fixed bodies do not count: how far from the origin a mechanism stands says nothing about it.
pub(crate) fn own_length(model: &Model) -> Option<f64> {
    let mut length = 0.0_f64;
    for (_, joint) in model.joints() {
        let (bodies, points) = (joint.bodies().map(|body| &model.bodies()[body.index()]), joint.place().points);
        let levers = bodies.iter().zip(points).filter(|(body, _)| !body.is_fixed).map(|(_, point)| point.length());
        length = levers.fold(length, f64::max);
        length = length.max((bodies[1].start * points[1] - bodies[0].start * points[0]).length());
    }
    for body in model.bodies().iter().filter(|body| !body.is_fixed) {
        let trace = body.inertia.x_axis.x + body.inertia.y_axis.y + body.inertia.z_axis.z;
        length = length.max((trace / (2.0 * body.mass)).sqrt());
    }
    for index in 0..model.flexible().len() {
        let nodes = &model.field().start[model.field().nodes_of(crate::flexible::FlexibleId(index as u32))];
        let (low, high) = nodes.iter().fold((nodes[0], nodes[0]), |(low, high), x| (low.min(*x), high.max(*x)));
        length = length.max(0.5 * (high - low).length());
    }
    (length > 0.0 && length.is_finite()).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::joint::{Anchors, Revolute};
    use crate::{Body, Mat3, Pose, Vec3};

    /// A unit mass with inertia 0.02 kg m² about every axis, hung 0.5 m above its centre to a support at x = 100 m.
    fn pendulum() -> Model {
        let mut model = Model::builder();
        let ground = model.body(Body::fixed("ground"));
        let start = Pose::at(Vec3::new(100.0, 0.0, -0.5));
        let rod = Body { start, ..Body::new("rod", 1.0, Mat3::from_diagonal(Vec3::splat(0.02))) };
        let rod = model.body(rod);
        let hinge = Pose::at(Vec3::new(100.0, 0.0, 0.0));
        model.joint("hinge", Revolute::new(Anchors::from_world([ground, rod], [&Pose::IDENTITY, &start], hinge)));
        model.build().expect("a model")
    }

    /// Nothing asked for, steps of 0.01 s.
    const USUAL: AskedBounds = AskedBounds {
        joint_tolerance: None,
        contact_tolerance: None,
        is_closed_where_bodies_arrive: false,
        step: 0.01,
    };

    fn bounds(asked: AskedBounds) -> Bounds {
        Bounds::new(&pendulum(), asked, Tolerance::Velocity(1e-3), 0.1)
    }

    #[test]
    fn the_own_length_is_the_lever_of_what_moves_not_the_distance_from_the_origin() {
        assert!((own_length(&pendulum()).expect("a length") - 0.5).abs() < 1e-12);
    }

    #[test]
    fn joints_hold_to_what_is_asked_for_and_by_default_to_what_the_stepper_can() {
        let asked = AskedBounds { joint_tolerance: Some(1e-7), ..USUAL };
        assert_eq!(bounds(asked).joints(3.0), [1e-7; 2]);
        // 5e-3 of 0.5 m and 5e-3 rad, and what 1e-3 m/s open in 0.01 s.
        assert_eq!(bounds(USUAL).joints(3.0), [2.5e-3 + 1e-5, 5e-3 + 1e-5 / 0.5]);
        // h times the accuracy of the solve: 0.01 s · 1e-3 m/s.
        let rattle = AskedBounds { is_closed_where_bodies_arrive: true, ..USUAL };
        assert_eq!(bounds(rattle).joints(3.0), [1e-5; 2]);
        // Never beyond the bound of first order.
        let long = AskedBounds { step: 10.0, ..rattle };
        assert_eq!(bounds(long).joints(3.0), [2.5e-3, 5e-3]);
    }

    #[test]
    fn overlaps_are_bounded_by_what_is_asked_for_or_by_a_hundredth_of_the_smallest_radius() {
        let of = |asked: AskedBounds| bounds(asked).overlap(3.0);
        assert_eq!(of(USUAL), OverlapBounds { depth: 1e-3 + 1e-5, growth: 1e-5 });
        let asked = AskedBounds { contact_tolerance: Some(1e-6), ..USUAL };
        assert_eq!(of(asked).depth, 1e-6);
    }
}

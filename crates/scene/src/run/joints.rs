//! Joints as run.json stores them: enough to draw them.

use serde::{Deserialize, Serialize};
use signorini_mechanics::Model;

/// A joint as viewers need it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JointRecord {
    /// Its name.
    pub name: String,
    /// Its type, as scene files spell it.
    #[serde(rename = "type")]
    pub type_name: String,
    /// A and B, by their place in the list of bodies.
    pub bodies: [usize; 2],
    /// Its point on A and on B, in the axes of the body from its centre of mass \[m\].
    pub points: [[f64; 3]; 2],
    /// The axis it turns about or slides along, in the axes of B.
    pub axis: Option<[f64; 3]>,
}

/// The joints of a model, in the order of forces.csv.
pub(super) fn record(model: &Model) -> Vec<JointRecord> {
    let of = |(name, joint): (&str, &dyn signorini_mechanics::joint::Joint)| {
        let place = joint.place();
        JointRecord {
            name: name.to_owned(),
            type_name: joint.kind().replace(' ', "-"),
            bodies: joint.bodies().map(|body| body.index()),
            points: place.points.map(|point| point.to_array()),
            axis: place.axis.map(|axis| axis.to_array()),
        }
    };
    model.joints().map(of).collect()
}

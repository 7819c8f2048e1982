//! Joints as run.json stores them: enough to draw them, and to compute by how much ropes, rods and pulleys are open.

use serde::{Deserialize, Deserializer, Serialize};
use signorini_mechanics::Model;
use signorini_mechanics::joint::{Joint, JointParameter};
use std::collections::BTreeMap;

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
    /// Its numbers by name, which run.json holds beside the fields above: `length` of a rope, `limits` of a hinge.
    #[serde(flatten, deserialize_with = "known_parameters")]
    pub parameters: BTreeMap<String, JointParameter>,
}

/// Fields of a joint that are no parameters are left out: those a later program may add.
fn known_parameters<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, JointParameter>, D::Error> {
    let fields = BTreeMap::<String, serde_json::Value>::deserialize(from)?;
    let known = |(name, value)| serde_json::from_value(value).ok().map(|parameter| (name, parameter));
    Ok(fields.into_iter().filter_map(known).collect())
}

/// The joints of a model, in the order of forces.csv.
pub(super) fn record(model: &Model) -> Vec<JointRecord> {
    let of = |(name, joint): (&str, &dyn Joint)| {
        let place = joint.place();
        JointRecord {
            name: name.to_owned(),
            type_name: joint.kind().replace(' ', "-"),
            bodies: joint.bodies().map(|body| body.index()),
            points: place.points.map(|point| point.to_array()),
            axis: place.axis.map(|axis| axis.to_array()),
            parameters: joint.parameters().into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        }
    };
    model.joints().map(of).collect()
}

//! The elastic material of beams and flexible bodies: `young`, `poisson`, `density`, `damping`.

use crate::reader::{Range, Table};
use signorini_mechanics::flexible::material::{Elastic, Rayleigh};

const RATIO: Range = Range::closed(-1.0, 0.5, "a number > -1 and < 0.5");
/// Where `poisson` is not given: most metals.
const USUAL_RATIO: f64 = 0.3;

/// Reads the fields of an elastic material from the table of the part that is made of it.
pub(super) fn read(table: &Table<'_>) -> Option<Elastic> {
    let young = table.require("young").and_then(|value| value.number(Range::POSITIVE));
    let poisson = table.get("poisson").map_or(Some(USUAL_RATIO), |value| {
        let ratio = value.number(RATIO)?;
        // The ends of the range are incompressible, and without resistance to a change of volume.
        if ratio == -1.0 || ratio == 0.5 {
            value.error(format_args!("is {ratio}, expected {} (0.49 is nearly incompressible)", RATIO.text()));
            return None;
        }
        Some(ratio)
    });
    let density = table.require("density").and_then(|value| value.number(Range::POSITIVE));
    let damping = table.get("damping").map_or(Some(Rayleigh::default()), |value| {
        let parts = value.list_of::<2>("two numbers [of the mass 1/s, of the stiffness s]")?;
        let [mass, stiffness] = parts.map(|part| part.number(Range::NOT_NEGATIVE));
        Some(Rayleigh { mass: mass?, stiffness: stiffness? })
    });
    let elastic = Elastic { youngs_modulus: young?, poisson: poisson?, density: density?, damping: damping? };
    match elastic.validate() {
        Ok(()) => Some(elastic),
        Err(error) => {
            table.error(error);
            None
        }
    }
}

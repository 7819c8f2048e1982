//! Is a surface usable?

use super::DeformableSurface;
use crate::ShapeError;

const SHAPE: &str = "deformable-surface";

pub(super) fn check(surface: &DeformableSurface, nodes: usize) -> Result<(), ShapeError> {
    let geometry = |problem: String| Err(ShapeError::Geometry { shape: SHAPE, problem });
    let count = surface.triangles.len();
    for (index, corners) in surface.triangles.iter().enumerate() {
        if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= nodes) {
            let problem = format!(
                "triangle {index} of {count} uses node {corner}, but there are {nodes} (0 to {})",
                nodes as i64 - 1
            );
            return geometry(problem);
        }
        let [a, b, c] = *corners;
        if a == b || b == c || c == a {
            return geometry(format!("triangle {index} of {count} has a node twice: {corners:?}"));
        }
    }
    if !surface.margin.is_finite() || surface.margin < 0.0 {
        let (value, allowed) = (surface.margin, "a finite length ≥ 0 m");
        return Err(ShapeError::Number { shape: SHAPE, what: "margin", value, allowed });
    }
    Ok(())
}

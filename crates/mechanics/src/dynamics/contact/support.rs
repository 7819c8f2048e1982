//! What carries the point of a contact: a rigid body, or the three nodes of a triangle.

use crate::{Mat3, Model, Pose, State, Vec3};
use signorini_collision::{Contact, NO_FACE};

/// Where bodies and nodes are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    pub(crate) poses: &'a [Pose],
    pub(crate) nodes: &'a [Vec3],
}

impl<'a> From<&'a State> for Places<'a> {
    fn from(state: &'a State) -> Self {
        Self { poses: &state.poses, nodes: &state.nodes }
    }
}

/// What carries the point of a contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Support {
    /// A body, by index.
    Body(usize),
    /// Nodes and their barycentric weights.
    Face { nodes: [usize; 3], weights: [f64; 3] },
}

impl Support {
    /// Of one side of a contact found in a state with these nodes.
    pub(crate) fn of(model: &Model, nodes: &[Vec3], contact: &Contact, side: usize) -> Self {
        match contact.faces[side] {
            NO_FACE => Self::Body(contact.bodies[side] as usize),
            face => {
                let corners = model.field().triangle(face).map(|node| node as usize);
                let weights = barycentric(corners.map(|node| nodes[node]), contact.points[side]);
                Self::Face { nodes: corners, weights }
            }
        }
    }

    /// Of one side of a contact, without the weights of nodes: what its rows act on, not how much.
    pub(crate) fn without_weights(model: &Model, contact: &Contact, side: usize) -> Self {
        match contact.faces[side] {
            NO_FACE => Self::Body(contact.bodies[side] as usize),
            face => Self::Face { nodes: model.field().triangle(face).map(|node| node as usize), weights: [0.0; 3] },
        }
    }

    /// Of both sides.
    pub(crate) fn both(model: &Model, nodes: &[Vec3], contact: &Contact) -> [Self; 2] {
        [0, 1].map(|side| Self::of(model, nodes, contact, side))
    }

    /// Where a point goes with it from one place to another.
    pub(crate) fn carried(&self, point: Vec3, from: Places<'_>, to: Places<'_>) -> Vec3 {
        match self {
            Self::Body(body) => to.poses[*body] * (from.poses[*body].inverse() * point),
            Self::Face { nodes, weights } => {
                let moved = |k: usize| (to.nodes[nodes[k]] - from.nodes[nodes[k]]) * weights[k];
                point + moved(0) + moved(1) + moved(2)
            }
        }
    }

    /// 1/m of a point, turning left out: Σ w²/m of nodes.
    pub(crate) fn mobility(&self, model: &Model) -> f64 {
        match self {
            Self::Body(body) => {
                let body = &model.bodies()[*body];
                if body.is_fixed { 0.0 } else { 1.0 / body.mass }
            }
            Self::Face { nodes, weights } => {
                let field = model.field();
                let moving = (0..3).filter(|&k| !field.is_fixed[nodes[k]]);
                moving.map(|k| weights[k] * weights[k] / field.mass_diagonal[nodes[k]]).sum()
            }
        }
    }

    /// How a point moves with it.
    pub(crate) fn lever(&self, poses: &[Pose], point: Vec3) -> Lever {
        match self {
            Self::Body(body) => {
                let Pose { position, rotation } = poses[*body];
                Lever::Body { arm: point - position, axes: Mat3::from_quat(rotation) }
            }
            Self::Face { weights, .. } => Lever::Face { weights: *weights },
        }
    }

    /// The velocity that such a part gives in a state.
    pub(crate) fn speed(&self, part: &[f64; 9], state: &State) -> f64 {
        let along = |k: usize, v: Vec3| Vec3::from_slice(&part[3 * k..]).dot(v);
        match self {
            Self::Body(body) => along(0, state.velocities[*body]) + along(1, state.angular_velocities[*body]),
            Self::Face { nodes, .. } => (0..3).map(|k| along(k, state.node_velocities[nodes[k]])).sum(),
        }
    }
}

/// How a point moves with what carries it: all rows of a contact have the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lever {
    /// From the origin of a body to the point, and the axes of the body, all in the world.
    Body { arm: Vec3, axes: Mat3 },
    /// Weights of the nodes.
    Face { weights: [f64; 3] },
}

impl Lever {
    /// Fills the part of a row that is the velocity of the point along a direction d: six entries of a body, d and Rᵀ(arm × d), three of each
    /// node.
    pub(crate) fn fill(&self, direction: Vec3, out: &mut [f64; 9]) {
        match self {
            Self::Body { arm, axes } => {
                let moment = arm.cross(direction);
                let turn = [axes.x_axis.dot(moment), axes.y_axis.dot(moment), axes.z_axis.dot(moment)];
                out[..3].copy_from_slice(&direction.to_array());
                out[3..6].copy_from_slice(&turn);
            }
            Self::Face { weights } => {
                for (out, weight) in out.chunks_exact_mut(3).zip(weights) {
                    out.copy_from_slice(&(direction * *weight).to_array());
                }
            }
        }
    }
}

/// Weights of a point in a triangle: those of its nearest point, so that they are in 0 … 1 and sum to 1.
fn barycentric([a, b, c]: [Vec3; 3], point: Vec3) -> [f64; 3] {
    let (u, v, p) = (b - a, c - a, point - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (pu, pv) = (p.dot(u), p.dot(v));
    let determinant = uu * vv - uv * uv;
    let inside = [(vv * pu - uv * pv) / determinant, (uu * pv - uv * pu) / determinant];
    // A triangle without an area has weights along its longer side.
    let weights = if determinant > 0.0 {
        [1.0 - inside[0] - inside[1], inside[0], inside[1]]
    } else if uu >= vv && uu > 0.0 {
        [1.0 - pu / uu, pu / uu, 0.0]
    } else if vv > 0.0 {
        [1.0 - pv / vv, 0.0, pv / vv]
    } else {
        [1.0, 0.0, 0.0]
    };
    let weights = weights.map(|weight| weight.clamp(0.0, 1.0));
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 { weights.map(|weight| weight / sum) } else { [1.0, 0.0, 0.0] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_give_the_point_back() {
        let corners = [Vec3::new(1.0, 0.0, 2.0), Vec3::new(3.0, 0.5, 2.0), Vec3::new(1.5, 4.0, -1.0)];
        for weights in [[0.2, 0.3, 0.5], [1.0, 0.0, 0.0], [0.0, 0.4, 0.6], [0.0, 0.0, 1.0]] {
            let point: Vec3 = (0..3).map(|k| corners[k] * weights[k]).sum();
            let found = barycentric(corners, point);
            assert!((0..3).all(|k| (found[k] - weights[k]).abs() < 1e-14), "{found:?}");
        }
        assert_eq!(barycentric([Vec3::X; 3], Vec3::Y), [1.0, 0.0, 0.0]);
        let line = barycentric([Vec3::ZERO, Vec3::X, Vec3::X * 0.5], Vec3::X * 0.25);
        assert!((line[0] - 0.75).abs() < 1e-15 && (line[1] - 0.25).abs() < 1e-15);
    }
}

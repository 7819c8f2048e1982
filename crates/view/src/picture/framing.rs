//! One camera for all frames of a film.

use super::camera::{Bounds, Camera, View, focal_length};
use super::cast::{Cast, Figure};
use super::set::{bounds_of, hides};
use crate::mesh::Look;
use signorini_mechanics::Vec3;
use signorini_scene::run::Frame;
use std::collections::BTreeSet;

/// More bodies than this, and the few that fly off do not decide what is seen.
const MANY: usize = 50;
/// Share of them that may be left out on every side.
const STRAY: f64 = 0.01;
/// Fixed bodies larger than this many times what moves are left out of the framing.
const LARGE: f64 = 2.0;
/// A fixed body that hides this share of the moving ones is drawn as glass.
const HIDES_FIXED: f64 = 0.08;
/// So is a moving one that hides this share of at least [`LEAST_HIDDEN`] others.
const HIDES_MOVING: f64 = 0.3;
const LEAST_HIDDEN: usize = 8;
/// Points that stand for what may be hidden.
const MOST_POINTS: usize = 400;
/// Cells of the floor over what is of interest, about.
const CELLS: f64 = 8.0;

/// Where the camera is, chosen by the user or by what moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Viewpoint {
    /// From a direction, as near as possible.
    From(View),
    /// From a point towards another \[m\]; without a target, to the middle of what moves.
    At {
        /// The eye.
        eye: Vec3,
        /// What it looks at.
        target: Option<Vec3>,
    },
}

impl Default for Viewpoint {
    fn default() -> Self {
        Self::From(View::Iso)
    }
}

/// A camera and what it looks at.
pub(super) struct Framing {
    pub(super) camera: Camera,
    /// Middle and radius of what is of interest \[m\].
    pub(super) middle: Vec3,
    pub(super) reach: f64,
    /// Height of the highest point over the middle \[m\].
    pub(super) top: f64,
    /// Width of the cells of the floor \[m\]: 1, 2 or 5 times a power of ten.
    pub(super) grid: f64,
    /// Half of the width of two pixels at the middle \[m\].
    pub(super) thinnest: f64,
    /// Parts of bodies, by body and number, that hide others.
    pub(super) hiding: BTreeSet<(usize, usize)>,
}

impl Framing {
    pub(super) fn of(cast: &Cast, frames: &[Frame], viewpoint: Viewpoint, size: [u32; 2]) -> Self {
        let bounds = of_interest(cast, frames);
        let low = bounds.iter().map(|ball| ball.centre - ball.radius).reduce(Vec3::min).unwrap_or(-Vec3::ONE);
        let high = bounds.iter().map(|ball| ball.centre + ball.radius).reduce(Vec3::max).unwrap_or(Vec3::ONE);
        let middle = 0.5 * (low + high);
        let reach = (0.5 * (high - low).length()).max(1e-9);
        let camera = match viewpoint {
            Viewpoint::From(view) => Camera::framing(view, cast.up, &bounds, size),
            Viewpoint::At { eye, target } => Camera { eye, target: target.unwrap_or(middle), up: cast.up },
        };
        let top = bounds.iter().map(|ball| (ball.centre - middle).dot(cast.up) + ball.radius).fold(0.0, f64::max);
        let grid = round_down(2.0 * reach / CELLS);
        let thinnest = camera.eye.distance(middle) / focal_length(size[1]);
        let mut this = Self { camera, middle, reach, top, grid, thinnest, hiding: BTreeSet::new() };
        this.hiding = this.hiding(cast, frames);
        this
    }

    /// Parts that hide much of what moves, in the first, the middle or the last frame.
    fn hiding(&self, cast: &Cast, frames: &[Frame]) -> BTreeSet<(usize, usize)> {
        let mut hiding = BTreeSet::new();
        let chosen = [0, frames.len() / 2, frames.len().saturating_sub(1)];
        for frame in chosen.iter().filter_map(|at| frames.get(*at)) {
            let moving = cast.rigid.iter().zip(&frame.bodies).enumerate().filter(|(_, (body, _))| !body.fixed);
            let mut points: Vec<(usize, Vec3)> = moving.map(|(k, (_, state))| (k, state.pose.position)).collect();
            // Some nodes stand for a flexible body.
            points.extend(frame.nodes.iter().step_by(frame.nodes.len() / 64 + 1).map(|node| (usize::MAX, *node)));
            let step = points.len() / MOST_POINTS + 1;
            let points: Vec<(usize, Vec3)> = points.into_iter().step_by(step).collect();
            for (index, (body, state)) in cast.rigid.iter().zip(&frame.bodies).enumerate() {
                for (number, part) in body.parts.iter().enumerate() {
                    let Figure::Mesh { mesh, look: Look::Solid } = part.figure else { continue };
                    let pose = state.pose * part.pose;
                    // A box that soft pads hold is to be seen; a drum full of balls is to be seen through.
                    let counts = |owner: usize| owner != index && (body.fixed || owner != usize::MAX);
                    let others = || points.iter().filter(|(owner, _)| counts(*owner));
                    let count = others().count();
                    if count < if body.fixed { 1 } else { LEAST_HIDDEN } {
                        continue;
                    }
                    let hidden = others().filter(|(_, at)| hides(&self.camera, &cast.meshes[mesh], &pose, *at)).count();
                    let share = if body.fixed { HIDES_FIXED } else { HIDES_MOVING };
                    if hidden as f64 > share * count as f64 {
                        hiding.insert((index, number));
                    }
                }
            }
        }
        hiding
    }
}

/// What moves in any frame, without strays, and the fixed bodies around it.
fn of_interest(cast: &Cast, frames: &[Frame]) -> Vec<Bounds> {
    let mut moving = Vec::new();
    for frame in frames {
        for (body, state) in cast.rigid.iter().zip(&frame.bodies).filter(|(body, _)| !body.fixed) {
            bounds_of(body, &state.pose, &cast.meshes, &mut moving);
        }
        for body in &cast.soft {
            let nodes = frame.nodes.get(body.nodes.clone()).unwrap_or_default();
            moving.extend(nodes.iter().map(|node| Bounds { centre: *node, radius: body.radius }));
        }
    }
    moving.retain(|ball| ball.centre.is_finite() && ball.radius.is_finite());
    if moving.len() > MANY * frames.len().max(1) {
        let limits = [0, 1, 2].map(|axis| {
            let mut along: Vec<f64> = moving.iter().map(|ball| ball.centre[axis]).collect();
            along.sort_by(f64::total_cmp);
            let skip = (STRAY * along.len() as f64) as usize;
            let (low, high) = (along[skip], along[along.len() - 1 - skip]);
            let slack = 0.25 * (high - low);
            [low - slack, high + slack]
        });
        moving.retain(|ball| (0..3).all(|k| (limits[k][0]..=limits[k][1]).contains(&ball.centre[k])));
    }
    let extent = |balls: &[Bounds]| {
        let low = balls.iter().map(|ball| ball.centre - ball.radius).reduce(Vec3::min);
        let high = balls.iter().map(|ball| ball.centre + ball.radius).reduce(Vec3::max);
        low.zip(high)
    };
    let around = extent(&moving);
    if let Some(frame) = frames.first() {
        for (body, state) in cast.rigid.iter().zip(&frame.bodies).filter(|(body, _)| body.fixed) {
            let mut own = Vec::new();
            bounds_of(body, &state.pose, &cast.meshes, &mut own);
            own.retain(|ball| ball.centre.is_finite() && ball.radius.is_finite());
            let Some((low, high)) = extent(&own) else { continue };
            let is_near = around.is_none_or(|(from, to)| {
                let size = (to - from).length();
                let apart = (low - to).max(from - high).max_element();
                (high - low).length() <= LARGE * size && apart <= 0.5 * size
            });
            if is_near {
                moving.extend(own);
            }
        }
    }
    moving
}

/// 1, 2 or 5 times a power of ten, at most `x`.
fn round_down(x: f64) -> f64 {
    let power = 10.0_f64.powf(x.max(1e-12).log10().floor());
    [5.0, 2.0, 1.0].into_iter().map(|digit| digit * power).find(|value| *value <= x * (1.0 + 1e-9)).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_round_widths() {
        for (x, expected) in [(0.7, 0.5), (1.0, 1.0), (0.21, 0.2), (4.9, 2.0), (0.0013, 0.001)] {
            assert!((round_down(x) / expected - 1.0).abs() < 1e-9, "{x} {}", round_down(x));
        }
    }
}

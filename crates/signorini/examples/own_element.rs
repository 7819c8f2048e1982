//! A finite element of one's own: a bar that stretches (Green's strain), between two bodies as its nodes. A clamped rod of 16 of them
//! has the frequencies of the chain it is, and those of the rod it stands for to O(1/n²).
#![allow(clippy::print_stdout)]

use signorini::mechanics::analysis::{ModeKind, modes};
use signorini::mechanics::force::{Motion, Tangent, Wrench};
use signorini::prelude::*;

// ANCHOR: type
/// A bar of St Venant and Kirchhoff's law between the centres of two bodies.
///
/// ```text
/// e = (l² − L²)/(2L²),   energy U = ½ E A L e²,   d = x_B − x_A,  l = |d|
/// f_B = −∂U/∂x_B = −(E A/L) e d,   f_A = −f_B
/// K = (E A/L) (e 1 + d dᵀ/L²): positive semi-definite where the bar is stretched; its part d dᵀ everywhere
/// ```
#[derive(Debug)]
struct Bar {
    bodies: [BodyId; 2],
    /// L [m].
    rest_length: f64,
    /// E A [N].
    stiffness: f64,
}
// ANCHOR_END: type

// ANCHOR: element
impl Bar {
    /// d and e.
    fn strain(&self, motions: [&Motion; 2]) -> (Vec3, f64) {
        let d = motions[1].pose.position - motions[0].pose.position;
        (d, 0.5 * (d.length_squared() / (self.rest_length * self.rest_length) - 1.0))
    }
}

impl Force for Bar {
    fn kind(&self) -> &'static str {
        "bar"
    }
    fn bodies(&self) -> [BodyId; 2] {
        self.bodies
    }
    fn wrench(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> [Wrench; 2] {
        let (d, strain) = self.strain(motions);
        let force = d * (-self.stiffness / self.rest_length * strain);
        [Wrench { force: -force, torque: Vec3::ZERO }, Wrench { force, torque: Vec3::ZERO }]
    }
    fn tangent(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> Option<Tangent> {
        let (d, strain) = self.strain(motions);
        let mut tangent = Tangent::ZERO;
        for (row, column) in (0..3).flat_map(|row| (0..3).map(move |column| (row, column))) {
            // H of a step must stay positive definite: the softening of a pressed bar is left out.
            let across = if row == column { strain.max(0.0) } else { 0.0 };
            let along = d[row] * d[column] / (self.rest_length * self.rest_length);
            let entry = self.stiffness / self.rest_length * (across + along);
            for (i, j, sign) in [(0, 0, 1.0), (0, 6, -1.0), (6, 0, -1.0), (6, 6, 1.0)] {
                tangent.stiffness[i + row][j + column] = sign * entry;
            }
        }
        Some(tangent)
    }
    fn energy(&self, motions: [&Motion; 2], _time: f64, _memory: &[f64]) -> f64 {
        let (_, strain) = self.strain(motions);
        0.5 * self.stiffness * self.rest_length * strain * strain
    }
}
// ANCHOR_END: element

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // ANCHOR: use
    let (elements, length, stiffness, mass) = (16, 1.0, 2e4, 3.0); // E A [N], mass of the rod [kg]
    let mut model = Model::builder();
    model.gravity(Vec3::ZERO);
    let mut before = model.body(Body::fixed("clamp"));
    let size = length / elements as f64;
    for node in 1..=elements {
        // Half of the mass of each element goes to each of its nodes; nodes do not turn, so their inertia does not matter.
        let share = if node == elements { 0.5 } else { 1.0 } * mass / elements as f64;
        let body = Body::new(format!("node-{node}"), share, Mat3::from_diagonal(Vec3::splat(1e-3)));
        let body = model.body(body.at(Vec3::X * (size * node as f64)));
        model.force(format!("bar-{node}"), Bar { bodies: [before, body], rest_length: size, stiffness });
        before = body;
    }
    let model = model.build()?;
    // ANCHOR_END: use

    // ANCHOR: check
    let found = modes(&model, &State::start_of(&model))?;
    let lowest = found.modes.iter().filter(|mode| mode.kind == ModeKind::Oscillating).map(|mode| mode.frequency);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    // ω = 2 (c/ℓ) sin(π/4n) of a chain clamped at one end; c π/2L of the rod, c² = E A L/m.
    let c = (stiffness * length / mass).sqrt();
    let chain = 2.0 * c / size * (std::f64::consts::PI / (4.0 * elements as f64)).sin() / std::f64::consts::TAU;
    let rod = 0.25 * c / length;
    assert!((lowest / chain - 1.0).abs() < 1e-6, "{lowest} Hz instead of {chain} Hz");
    println!("first frequency {lowest:.5} Hz: the chain has {chain:.5} Hz, the rod {rod:.5} Hz");
    // ANCHOR_END: check
    Ok(())
}

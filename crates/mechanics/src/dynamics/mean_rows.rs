//! Rows of a joint over a whole step: the discrete gradient C̄, with which its reactions do no work (§12.2 of the theory).
//!
//! Bodies move from q to q⁺ = (x + hẋ, A cay(hW)), w = (ẋ, W). A reaction C̄ᵀγ works γ·C̄(hw) on the way, so that
//!
//! ```text
//! C̄ (hw) = Ψ(q⁺) − Ψ(q)       exactly: nothing where a joint is closed at both ends
//! ```
//!
//! makes a step that neither gives nor takes energy by joints. C̄ is C in the middle of the way, q_m = (½(x + x⁺), half the turn), which
//! has the equation up to O(h³), and a force and a couple along the relative motion that do the rest: with the velocity u of B relative to A at
//! a common point, the relative angular velocity Ω and a length l,
//!
//! ```text
//! f = e u/(h(u² + l²Ω²)),    c = e l²Ω/(h(u² + l²Ω²)),    e = Ψ⁺ − Ψ − C_m(hw)
//! ```
//!
//! They act on both bodies with opposite signs at the same point, as all of C_m does, and angular momentum is conserved:
//! A⁺Iω⁺ = AIω + τ in body axes is I(ω⁺ − ω) + hW × IW = (1 − ½hW̃)Aᵀτ, and with A_m half the turn (1 − ½hW̃)AᵀA_m leaves what is along W and
//! multiplies what is across by √(1 + ¼h²W²). Any joint has C̄ without code of its own.
//!
//! The correction has no direction where two bodies turn as one. Rows that hold points s together along the axes of the world need none: with the mean levers
//! s̄ = ½(A + A⁺)s the displacement of a point is exactly h AW × s̄, and
//!
//! ```text
//! C̄ = [∓e, ∓(1 − ½hW̃)Aᵀ(s̄_A × e); ±e, ±(1 − ½hW̃)Aᵀ(s̄_B × e)]
//! ```
//!
//! keeps energy and angular momentum by itself. So do rows a·b that keep an axis a of A and one b of B at right angles: with the means of both
//!
//! ```text
//! a⁺·b⁺ − a·b = h (A_A W_A − A_B W_B)·(ā × b̄)     ⇒     C̄ = [0, (1 − ½hW̃)Aᵀ(ā × b̄); 0, −(1 − ½hW̃)Aᵀ(ā × b̄)]
//! ```

use crate::dynamics::rotation::cayley;
use crate::joint::{MAX_ROWS, Row, wrapped};
use crate::{Joint, Pose, Quat, Vec3};

/// Velocities of one body over a step: ẋ in the world, κW in body axes, by which it turns (κ: [`spin_scale`](crate::dynamics::rotation::spin_scale)).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Displacement {
    pub(crate) velocity: Vec3,
    pub(crate) spin: Vec3,
}

impl Displacement {
    /// From the six numbers (ẋ, W) and κ.
    pub(crate) fn new(w: &[f64], spin_scale: f64) -> Self {
        Self { velocity: Vec3::from_slice(&w[..3]), spin: spin_scale * Vec3::from_slice(&w[3..6]) }
    }

    /// The way of a body from a pose: where it is in the middle and at the end of h seconds.
    pub(crate) fn way(&self, from: &Pose, h: f64) -> Way {
        let turn = cayley(h * self.spin);
        // Half the angle about the same axis; the real part of `turn` is positive.
        let half = (turn + Quat::IDENTITY).normalize();
        Way {
            middle: Pose { position: from.position + self.velocity * (0.5 * h), rotation: from.rotation * half },
            after: Pose { position: from.position + self.velocity * h, rotation: (from.rotation * turn).normalize() },
        }
    }
}

/// Where a body is in the middle and at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Way {
    pub(crate) middle: Pose,
    pub(crate) after: Pose,
}

/// A row over a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanRow {
    /// Ψ at the end \[m or rad\].
    pub(crate) value: f64,
    /// C̄ of both bodies.
    pub(crate) mean: [[f64; 6]; 2],
    /// C at the end, and ∂Ψ/∂t there.
    pub(crate) after: [[f64; 6]; 2],
    pub(crate) rate: f64,
}

impl MeanRow {
    pub(crate) const ZERO: Self = Self { value: 0.0, mean: [[0.0; 6]; 2], after: [[0.0; 6]; 2], rate: 0.0 };
}

/// The motion of the two bodies of a joint over a step.
pub(crate) struct JointWay<'a> {
    pub(crate) joint: &'a dyn Joint,
    pub(crate) displacements: [Displacement; 2],
    pub(crate) ways: [Way; 2],
    /// How they are turned where it begins.
    pub(crate) turned: [Quat; 2],
    /// Points that the first three rows hold together along the axes of the world, where there are such rows.
    pub(crate) held_points: Option<[Vec3; 2]>,
    /// Axes that the rows after them keep at right angles.
    pub(crate) held_axes: &'a [[Vec3; 2]],
    /// Which of them are free to move.
    pub(crate) moves: [bool; 2],
    /// κ of both: rows are those of w = (ẋ, W).
    pub(crate) spin_scales: [f64; 2],
    /// h \[s\].
    pub(crate) step: f64,
    /// The end of the step \[s\].
    pub(crate) time: f64,
    /// A length of the model \[m\]: how much couples count against forces.
    pub(crate) length: f64,
}

impl JointWay<'_> {
    /// All rows; `before` are the values of Ψ(q, t + h).
    pub(crate) fn rows(&self, before: &[f64], out: &mut [MeanRow]) {
        let count = self.joint.rows();
        let mut after = [Row::ZERO; MAX_ROWS];
        self.joint.evaluate([&self.ways[0].after, &self.ways[1].after], self.time, &mut after[..count]);
        for (row, after) in out[..count].iter_mut().zip(&after) {
            *row = MeanRow { value: after.value, mean: [[0.0; 6]; 2], after: after.jacobian, rate: after.rate };
        }
        let held = if let Some(points) = self.held_points { self.held_rows(points, out) } else { 0 };
        if held < count {
            self.other_rows(before, &after[..count], held, out);
        }
    }

    /// C̄ of rows that hold points and axes, in closed form; returns how many there are.
    fn held_rows(&self, points: [Vec3; 2], out: &mut [MeanRow]) -> usize {
        let of_points = 3;
        for side in (0..2).filter(|side| self.moves[*side]) {
            let sign = if side == 0 { -1.0 } else { 1.0 };
            let (from, to) = (self.turned[side], self.ways[side].after.rotation);
            // Aᵀ of the start, (1 − ½hW̃) and κ.
            let spin = (0.5 * self.step) * self.displacements[side].spin;
            let in_body = |torque: Vec3| {
                let torque = from.conjugate() * torque;
                self.spin_scales[side] * (torque - spin.cross(torque))
            };
            let lever = 0.5 * (from * points[side] + to * points[side]);
            for (k, row) in out[..of_points].iter_mut().enumerate() {
                row.mean[side][k] = sign;
                write_angular(&mut row.mean[side], in_body(sign * lever.cross(Vec3::AXES[k])));
            }
            for (axes, row) in self.held_axes.iter().zip(&mut out[of_points..]) {
                let mean = |of: usize| 0.5 * (self.turned[of] * axes[of] + self.ways[of].after.rotation * axes[of]);
                write_angular(&mut row.mean[side], in_body(-sign * mean(0).cross(mean(1))));
            }
        }
        of_points + self.held_axes.len()
    }

    /// C̄ of the rows from `first` on: that in the middle, corrected.
    fn other_rows(&self, before: &[f64], after: &[Row], first: usize, out: &mut [MeanRow]) {
        let (count, h) = (after.len(), self.step);
        let mut middle = [Row::ZERO; MAX_ROWS];
        self.joint.evaluate([&self.ways[0].middle, &self.ways[1].middle], self.time, &mut middle[..count]);
        let correction = self.relative_motion();
        let w = self.displacements.map(|d| [d.velocity, d.spin].map(|v| v.to_array()));
        for k in first..count {
            let mut mean = middle[k].jacobian;
            let rate: f64 = mean.as_flattened().iter().zip(w.as_flattened().as_flattened()).map(|(c, w)| c * w).sum();
            let change = after[k].value - before[k];
            let change = if after[k].is_angle { wrapped(change) } else { change };
            let left = change - h * rate;
            mean.as_flattened_mut().iter_mut().zip(correction.as_flattened()).for_each(|(c, u)| *c += left * u);
            for side in (0..2).filter(|side| self.moves[*side]) {
                let spin = self.displacements[side].spin;
                let torque = across(spin, h, angular(&mean[side]));
                write_angular(&mut mean[side], self.spin_scales[side] * torque);
            }
            out[k].mean = mean;
        }
    }

    /// The row along the relative motion whose rate is 1/h. Motions below [`STILL`] have none: their error is below rounding, which would become a
    /// large force.
    fn relative_motion(&self) -> [[f64; 6]; 2] {
        let [a, b] = &self.displacements;
        let [way_a, way_b] = &self.ways;
        let spins = [way_a.middle.rotation * a.spin, way_b.middle.rotation * b.spin];
        let (about, arm) = (spins[1] - spins[0], way_b.middle.position - way_a.middle.position);
        // At the centre of mass of B.
        let apart = b.velocity - a.velocity - spins[0].cross(arm);
        let (l2, h) = (self.length * self.length, self.step);
        let size = apart.length_squared() + l2 * about.length_squared() + l2 * (STILL / h).powi(2);
        let share = (h * size).recip();
        let (f, c) = (share * apart, share * l2 * about);
        let on_a = way_a.middle.rotation.conjugate() * (arm.cross(f) + c);
        let on_b = way_b.middle.rotation.conjugate() * c;
        [[-f.x, -f.y, -f.z, -on_a.x, -on_a.y, -on_a.z], [f.x, f.y, f.z, on_b.x, on_b.y, on_b.z]]
    }

    /// −∂(C̄ᵀγ)/∂(hw), by differences; `rows` are those of this way, `from` are the poses it began with. Full, not its semi-definite part: Newton's
    /// method needs 3 iterations with the one and 14 to 26 with the other.
    pub(crate) fn stiffness(
        &self,
        from: [&Pose; 2],
        before: &[f64],
        rows: &[MeanRow],
        impulses: &[f64],
    ) -> [[f64; 12]; 12] {
        let mut tangent = [[0.0; 12]; 12];
        if impulses.iter().all(|impulse| *impulse == 0.0) {
            return tangent;
        }
        let here = reaction(rows, impulses);
        let mut shifted = [MeanRow::ZERO; MAX_ROWS];
        for direction in (0..12).filter(|direction| self.moves[direction / 6]) {
            let (side, k) = (direction / 6, direction % 6);
            let by = DIFFERENCE * if k < 3 { self.length } else { 1.0 };
            let (mut displacements, mut ways) = (self.displacements, self.ways);
            let part = if k < 3 { &mut displacements[side].velocity } else { &mut displacements[side].spin };
            part[k % 3] += by / self.step;
            ways[side] = displacements[side].way(from[side], self.step);
            JointWay { displacements, ways, ..*self }.rows(before, &mut shifted[..rows.len()]);
            let there = reaction(&shifted[..rows.len()], impulses);
            let by = if k < 3 { by } else { by / self.spin_scales[side] };
            (0..12).for_each(|i| tangent[i][direction] = (here[i] - there[i]) / by);
        }
        tangent
    }
}

/// C̄ᵀγ.
fn reaction(rows: &[MeanRow], impulses: &[f64]) -> [f64; 12] {
    let mut sum = [0.0; 12];
    for (row, impulse) in rows.iter().zip(impulses) {
        sum.iter_mut().zip(row.mean.as_flattened()).for_each(|(sum, entry)| *sum += impulse * entry);
    }
    sum
}

/// Bodies that move by less than this share of the length against each other: the third power of it is the error of the middle.
const STILL: f64 = 1e-4;
/// Perturbation relative to the length of the model, and in radians.
const DIFFERENCE: f64 = 1e-7;

/// What is along W stays, what is across it grows by √(1 + ¼h²W²).
fn across(spin: Vec3, h: f64, torque: Vec3) -> Vec3 {
    let (square, scaled) = (spin.length_squared(), 0.25 * h * h * spin.length_squared());
    if scaled < f64::EPSILON {
        return torque;
    }
    let along = spin * (torque.dot(spin) / square);
    along + (1.0 + scaled).sqrt() * (torque - along)
}

fn angular(part: &[f64; 6]) -> Vec3 {
    Vec3::from_slice(&part[3..])
}

fn write_angular(part: &mut [f64; 6], torque: Vec3) {
    part[3..].copy_from_slice(&torque.to_array());
}

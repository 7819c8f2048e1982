//! What fixed nodes take: all that the other impulses on them leave over.
//!
//! Of a step with H and c, so that momentum is balanced to rounding over every step:
//!
//! ```text
//! h f = M (v⁺ − v) + h α M v⁺ + (h R + h² K) v⁺ − h (f_e + R v) − h f_load − contact impulses
//! ```
//!
//! with forces and matrices of elements where the step has linearised them. Of smooth steppers, at the end of the step:
//!
//! ```text
//! f = M a + α M v − f_e − f_load − contact forces
//! ```

use crate::dynamics::columns::Columns;
use crate::dynamics::contact::support::Support;
use crate::dynamics::flexible_motion::loads;
use crate::flexible::element::Tangent;
use crate::flexible::elements::{MOST_COLUMNS, MOST_NODES, Response};
use crate::flexible::field::gather;
use crate::{Model, State, Vec3};
use signorini_collision::Contact;

/// A contact and its impulse on body B, in the world \[N s\].
type Load<'a> = (&'a Contact, Vec3);

/// A step of h seconds that has ended in a state.
pub(crate) struct Taken<'a> {
    pub(crate) model: &'a Model,
    pub(crate) state: &'a State,
    pub(crate) h: f64,
}

impl Taken<'_> {
    /// h f of all nodes that are fixed, of a step with H and c; of other nodes it has no meaning. `before` are the velocities of nodes
    /// where the step began, `guess` is where it has linearised the elements last, empty for where it began.
    pub(crate) fn left_over<'a>(
        &self,
        before: &[Vec3],
        guess: &[Vec3],
        contacts: impl Iterator<Item = Load<'a>>,
    ) -> Vec<Vec3> {
        let Self { model, state, h } = *self;
        let field = model.field();
        let after = &state.node_velocities;
        // q⁺ = q + h v⁺.
        let start: Vec<Vec3> = state.nodes.iter().zip(after).map(|(x, v)| *x - h * *v).collect();
        let mut impulses = vec![Vec3::ZERO; field.nodes()];
        loads(model, &start, state.time, &mut impulses);
        impulses.iter_mut().for_each(|impulse| *impulse *= -h);
        let change: Vec<Vec3> = after.iter().zip(before).map(|(after, before)| *after - *before).collect();
        field.add_mass_times(&change, 1.0, &mut impulses);
        let damped: Vec<Vec3> = after.iter().zip(&field.mass_damping).map(|(v, alpha)| *alpha * *v).collect();
        field.add_mass_times(&damped, h, &mut impulses);
        self.add_elements(&start, before, guess, &mut impulses);
        self.take_off_contacts(&start, contacts, &mut impulses);
        impulses
    }

    /// h f of all nodes that are fixed, of smooth steppers, from the accelerations at the end of the step.
    pub(crate) fn at_end<'a>(
        &self,
        columns: &Columns,
        accelerations: &[f64],
        contacts: impl Iterator<Item = Load<'a>>,
    ) -> Vec<Vec3> {
        let Self { model, state, h } = *self;
        let field = model.field();
        let State { nodes, node_velocities, time, .. } = state;
        let mut impulses = vec![Vec3::ZERO; field.nodes()];
        loads(model, nodes, *time, &mut impulses);
        impulses.iter_mut().for_each(|impulse| *impulse *= -h);
        // a + α v; nodes that are fixed have none.
        let mut moved = vec![Vec3::ZERO; field.nodes()];
        columns.scatter_nodes(accelerations, &mut moved);
        for ((moved, v), alpha) in moved.iter_mut().zip(node_velocities).zip(&field.mass_damping) {
            *moved += *alpha * *v;
        }
        field.add_mass_times(&moved, h, &mut impulses);
        let (mut x, mut v) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
        let mut force = [Vec3::ZERO; MOST_NODES];
        for elements in field.elements() {
            let force = &mut force[..elements.width()];
            for element in 0..elements.count() {
                let own = elements.nodes(element);
                if !own.iter().any(|node| field.is_fixed[*node as usize]) {
                    continue;
                }
                let (x, v) = (gather(own, nodes, &mut x), gather(own, node_velocities, &mut v));
                if elements.force(element, x, v, force).is_ok() {
                    own.iter().zip(&*force).for_each(|(node, force)| impulses[*node as usize] -= h * *force);
                }
            }
        }
        self.take_off_contacts(nodes, contacts, &mut impulses);
        impulses
    }

    /// Takes off what contacts of skins do to nodes.
    fn take_off_contacts<'a>(&self, nodes: &[Vec3], contacts: impl Iterator<Item = Load<'a>>, impulses: &mut [Vec3]) {
        let h = self.h;
        for (contact, impulse) in contacts {
            // By way of the force, as reports have it.
            let force = impulse / h;
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                if let Support::Face { nodes, weights } = Support::of(self.model, nodes, contact, side) {
                    for (node, weight) in nodes.iter().zip(weights) {
                        impulses[*node] += h * sign * weight * force;
                    }
                }
            }
        }
    }

    /// Adds (h R + h² K) v⁺ − h (f + R v) of all elements with fixed nodes.
    fn add_elements(&self, start: &[Vec3], before: &[Vec3], guess: &[Vec3], impulses: &mut [Vec3]) {
        let Self { model, state, h } = *self;
        let field = model.field();
        let (mut force, mut resistance) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
        let (mut x, mut v, mut next) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
        let mut matrix = vec![0.0; MOST_COLUMNS * MOST_COLUMNS];
        for elements in field.elements() {
            let width = elements.width();
            let (force, resistance) = (&mut force[..width], &mut resistance[..width]);
            let matrix = &mut matrix[..9 * width * width];
            for element in 0..elements.count() {
                let own = elements.nodes(element);
                if !own.iter().any(|node| field.is_fixed[*node as usize]) {
                    continue;
                }
                let (x, v) = (gather(own, start, &mut x), gather(own, before, &mut v));
                let next = gather(own, &state.node_velocities, &mut next);
                let (mut room, mut ahead) = ([Vec3::ZERO; MOST_NODES], [Vec3::ZERO; MOST_NODES]);
                let x_at = if guess.is_empty() { x } else { gather(own, guess, &mut room) };
                ahead.iter_mut().zip(x_at.iter().zip(x)).for_each(|(d, (at, start))| *d = *at - *start);
                let ahead = (!guess.is_empty()).then_some(&ahead[..width]);
                let response =
                    Response { force: &mut *force, resistance: &mut *resistance, matrix: &mut *matrix, ahead };
                // The step has used the same element at the same place: it has a force there.
                if elements.respond(element, x_at, v, Tangent::Positive, [h * h, h], response).is_err() {
                    continue;
                }
                for (i, &node) in own.iter().enumerate() {
                    let mut impulse = -h * (force[i] + resistance[i]);
                    for axis in 0..3 {
                        let row = &matrix[(3 * i + axis) * 3 * width..][..3 * width];
                        impulse[axis] +=
                            row.chunks_exact(3).zip(next).map(|(a, v)| Vec3::from_slice(a).dot(*v)).sum::<f64>();
                    }
                    impulses[node as usize] += impulse;
                }
            }
        }
    }
}

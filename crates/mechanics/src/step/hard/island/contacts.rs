//! What contacts do to an island in a step, as far as Newton's method keeps them: those that carry stay as they are along the directions they hold.

use super::matrix::ContactRow;

/// What contacts do to an island in a step.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandContacts {
    /// Whether any of them carries.
    pub(crate) is_loaded: bool,
    /// Dᵀλ of all of them where one does.
    pub(crate) pushed: Vec<f64>,
    /// Directions they hold.
    pub(crate) rows: Vec<ContactRow>,
    /// Who holds them, in their order.
    pub(crate) held: Vec<HeldContact>,
}

/// A contact that holds directions.
#[derive(Clone, Debug)]
pub(crate) struct HeldContact {
    /// How many: its normal, and its tangents where it sticks.
    pub(crate) rows: usize,
    /// λ_n \[N s\].
    pub(crate) normal: f64,
    /// Dᵀλ of the contact alone, by local velocities.
    pub(crate) push: Vec<(usize, f64)>,
}

impl IslandContacts {
    /// Without those that would pull, as far as there are any; `more` is what Newton's method has added to the impulses of all rows.
    pub(super) fn without_pulling(&self, more: &[f64]) -> Option<Self> {
        let mut first = 0;
        let starts = self.held.iter().map(|contact| {
            first += contact.rows;
            first - contact.rows
        });
        let pulls: Vec<(usize, bool)> =
            starts.zip(&self.held).map(|(start, contact)| (start, contact.normal + more[start] < 0.0)).collect();
        if pulls.iter().all(|(_, pulls)| !pulls) {
            return None;
        }
        let mut left = Self { is_loaded: true, pushed: self.pushed.clone(), ..Self::default() };
        for (contact, (start, pulls)) in self.held.iter().zip(pulls) {
            if pulls {
                contact.push.iter().for_each(|(column, push)| left.pushed[*column] -= push);
            } else {
                left.rows.extend_from_slice(&self.rows[start..start + contact.rows]);
                left.held.push(contact.clone());
            }
        }
        Some(left)
    }

    /// The work that they do along a displacement velocity, with what Newton's method has added to their impulses \[J\].
    pub(super) fn work(&self, w: &[f64], more: &[f64]) -> f64 {
        let of_rows =
            self.rows.iter().zip(more).map(|(row, g)| g * row.iter().map(|(k, entry)| entry * w[*k]).sum::<f64>());
        self.pushed.iter().zip(w).map(|(p, w)| p * w).sum::<f64>() + of_rows.sum::<f64>()
    }
}

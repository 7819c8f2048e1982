//! IP-1: balls in the box by the stopping rule of the thesis.

use super::{THESIS, sizes};
use crate::Experiment;
use signorini_solver::Stopping;

/// Balls (n_v/6) and mean iterations, table 5.3.
const PUBLISHED: sizes::Published = [(64, 17.2), (280, 17.9), (595, 17.7), (1190, 17.8)];

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "IP-1",
    title: "Balls in a box: iterations do not depend on the size",
    source: THESIS,
    description: "A round container of 1 m diameter is filled with frictionless balls of 70 mm and 1000 kg/m³, h = 0.02 s, 50 steps from a \
                  cold start each. A step ends when ‖r_γ‖/n_γ, ‖r_λ‖/n_λ and ‖r_d‖/n_v are below 1e-10 and μ below 1e-9. Quick: 64 \
                  and 280 balls only.",
    seconds: [1.3, 81.0],
    run: |context| sizes::run(context, "IP-1", Stopping::Thesis, PUBLISHED),
};

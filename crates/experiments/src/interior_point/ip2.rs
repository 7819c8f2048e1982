//! IP-2: balls in the box by the stopping rule of 2015.

use super::{PAPER, sizes};
use crate::Experiment;
use signorini_solver::Stopping;

/// The published matrix sizes 1200, 3200, 4500 and 13800 stand for about these numbers of balls.
const PUBLISHED: sizes::Published = [(64, 16.7), (280, 18.6), (595, 19.4), (1190, 18.9)];

pub(super) const EXPERIMENT: Experiment = Experiment {
    id: "IP-2",
    title: "Balls in a box by the stopping rule of 2015",
    source: PAPER,
    description: "The scene of IP-1; a step ends when ‖r_p‖/m and ‖r_d‖/n are below 1e-8 and μ below 1e-7. The paper gives sizes of \
                  matrices (1200, 3200, 4500, 13800), the numbers of balls here are those of IP-1. Quick: 64 and 280 balls only.",
    seconds: [1.1, 170.0],
    run: |context| sizes::run(context, "IP-2", Stopping::Paper, PUBLISHED),
};

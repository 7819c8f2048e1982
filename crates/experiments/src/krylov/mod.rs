//! Experiments of the Krylov and spectral methods paper (KS-*): frictionless piles in a cylinder.

mod charts;
mod compare;
mod equal_iterations;
mod first;
mod lids;
mod pile;
mod piles;
mod sizes;

use crate::Experiment;

const SOURCE: &str = "paper on Krylov and spectral methods (2013)";

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] = &[
    Experiment {
        id: "KS-1",
        title: "GPMINRES against Jacobi on 1000 spheres with 3525 contacts",
        source: SOURCE,
        description: "One frictionless step of 1000 spheres at rest in a cylinder, 3525 contacts. GPMINRES with and without a \
                      preconditioner, SPG and Kučera's method against projected Jacobi, from no impulses. The container is not published: \
                      it is chosen so that Jacobi converges as slowly as published.",
        seconds: [17.0, 34.0],
        run: first::run,
    },
    Experiment {
        id: "KS-2",
        title: "Four methods against the number of spheres",
        source: SOURCE,
        description: "1000, 2000 and 4000 spheres of 0.1 m and 6.28 kg in a cylinder of 2 m, with 3634, 8507 and 17161 contacts; Jacobi, SPG, \
                      GPMINRES and Kučera's method after equal iterations.",
        seconds: [3.3, 28.0],
        run: sizes::run,
    },
    Experiment {
        id: "KS-3",
        title: "Four methods under a heavy mass",
        source: SOURCE,
        description: "1000 spheres of 0.1 m and 6.28 kg in a cylinder of 1.5 m under a cylindrical mass of 1000, 4000 and 16000 kg, 4295 contacts; \
                      Jacobi, SPG, GPMINRES and Kučera's method after equal iterations.",
        seconds: [8.0, 11.0],
        run: lids::run,
    },
];

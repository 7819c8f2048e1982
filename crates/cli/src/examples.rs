//! Problems that come with the program: `signorini solve example:NAME`.

use crate::nearest::nearest;
use anyhow::{Result, bail};
use signorini_solver::family::{Brick, Chain, ElasticSlab, Gaps, Net, RandomProblem, SpherePacking, Stack};
use signorini_solver::{Cone, ConeProblem, ProblemError};

/// A built-in problem.
pub(crate) struct Example {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    pub(crate) build: fn() -> Result<ConeProblem, ProblemError>,
}

/// What an argument starts with to name an example.
pub(crate) const PREFIX: &str = "example:";

/// Every built-in problem; a new one is a line here.
pub(crate) const ALL: &[Example] = &[
    Example {
        name: "incline",
        description: "a 2 kg block starts to slide down a slope of 30 degrees, friction 0.3, one step of 10 ms: \
                      0.0216173 m/s along the slope, 0.0064852 m/s off it (relaxed law)",
        build: incline,
    },
    Example {
        name: "pile",
        description: "1000 spheres of 70 mm settled in a box, friction 0.3, one step of 10 ms",
        build: || SpherePacking { gaps: Gaps::Loosened, ..SpherePacking::default() }.problem(),
    },
    Example {
        name: "pile-frictionless",
        description: "the same pile without friction",
        build: || SpherePacking { friction: 0.0, gaps: Gaps::Loosened, ..SpherePacking::default() }.problem(),
    },
    Example {
        name: "stack",
        description: "60 blocks on one axis, each ten times heavier than the one below: forces over 59 decades",
        build: || Stack { levels: 60, ratio: 10.0, ..Stack::default() }.problem(),
    },
    Example {
        name: "box",
        description: "a box slides down a slope of 30 degrees on 12 contacts, friction 0.3: forces are not unique",
        build: || {
            let incline = std::f64::consts::FRAC_PI_6;
            Brick { incline, friction: 0.3, contacts: [4, 3], ..Brick::default() }.problem()
        },
    },
    Example {
        name: "chain",
        description: "ten links on joints hang from a support: a linear problem",
        build: || Chain::default().problem(),
    },
    Example {
        name: "net",
        description: "a net of stiff springs on frictional supports at two edges: H couples all nodes",
        build: || Net::default().problem(),
    },
    Example {
        name: "slab",
        description: "an elastic slab of 360 tetrahedra on 30 contacts, friction 0.5: some stick, slide, part",
        build: || ElasticSlab::default().problem(),
    },
    Example {
        name: "mixed",
        description: "joints, friction, rolling friction and soft contacts in one random problem",
        build: || {
            let random =
                RandomProblem { bodies: 8, blocks: 14, softness: 0.1, rolling: 0.4, seed: 3, ..Default::default() };
            Ok(random.generate()?.problem)
        },
    },
];

/// Finds an example by name.
pub(crate) fn find(name: &str) -> Result<&'static Example> {
    if let Some(example) = ALL.iter().find(|example| example.name == name) {
        return Ok(example);
    }
    let names: Vec<&str> = ALL.iter().map(|example| example.name).collect();
    let nearest = nearest(name, &names);
    let nearest = nearest.first().map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
    bail!("there is no such example; there are: {}{nearest}", names.join(", "))
}

/// Slope θ, friction μ < tan θ, first step h from rest. The relaxed law gives
/// v_t = h g (sin θ − μ cos θ)/(1 + μ²), v_n = μ v_t.
fn incline() -> Result<ConeProblem, ProblemError> {
    let Incline { mass, mu, step, gravity, angle } = INCLINE;
    let impulse = step * mass * gravity;
    ConeProblem::builder()
        .diagonal_body(&[mass; 3])
        .body_name("block")
        .linear(&[impulse * angle.cos(), -impulse * angle.sin(), 0.0])
        .rows(Cone::Friction { mu }, &[&[(0, 1.0)], &[(1, 1.0)], &[(2, 1.0)]], &[0.0; 3])
        .block_name("slope")
        .build()
}

struct Incline {
    mass: f64,
    mu: f64,
    step: f64,
    gravity: f64,
    angle: f64,
}

const INCLINE: Incline = Incline { mass: 2.0, mu: 0.3, step: 0.01, gravity: 9.81, angle: std::f64::consts::FRAC_PI_6 };

/// Velocities of the incline, in closed form: off the slope, down it, across it.
pub(crate) fn incline_velocity() -> [f64; 3] {
    let Incline { mu, step, gravity, angle, .. } = INCLINE;
    let along = step * gravity * (angle.sin() - mu * angle.cos()) / (1.0 + mu * mu);
    [mu * along, along, 0.0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_example_can_be_built_and_found() {
        for example in ALL {
            assert!((example.build)().is_ok(), "{}", example.name);
            assert!(find(example.name).is_ok_and(|found| found.name == example.name));
        }
    }

    #[test]
    fn the_description_of_the_incline_states_its_closed_form() {
        let [off, along, _] = incline_velocity();
        for number in [format!("{along:.7} m/s along"), format!("{off:.7} m/s off")] {
            assert!(ALL[0].description.contains(&number), "{number}");
        }
    }

    #[test]
    fn an_unknown_example_names_the_nearest() {
        let message = find("inclin").map(|_| ()).unwrap_err().to_string();
        assert!(message.contains("there are: incline") && message.contains("did you mean `incline`"), "{message}");
        assert!(!find("zzz").map(|_| ()).unwrap_err().to_string().contains("did you mean"));
    }
}

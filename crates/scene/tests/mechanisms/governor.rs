//! The angle at which a governor's arms stand.

use crate::support::Run;
use std::f64::consts::PI;

#[test]
fn the_governor_settles_where_spin_spring_and_weight_balance() {
    let (l, offset, ball, rod, density, sleeve): (f64, f64, f64, f64, f64, f64) =
        (0.3, 0.04, 0.035, 0.006, 7800.0, 2.0);
    let (ball, rod) = (density * 4.0 / 3.0 * PI * ball.powi(3), density * PI * rod * rod * l);
    // Rods of radius r have r²/2 about their axis and l²/12 + r²/4 across it, for a unit of mass.
    let (along, across) = (0.5 * 0.006 * 0.006, l * l / 12.0 + 0.25 * 0.006 * 0.006);
    let slack = 2.0 * l * 30_f64.to_radians().cos();
    for (spin, stiffness) in [(20.0, 5e5), (25.0, 5e4)] {
        // J(θ) = 2 m_b (o + l s)² + 4 m_r ((o + l s/2)² + across s² + along c²);
        // V(θ) = −g (2 m_b + m_r + 3 m_r + 2 m_s) l c + ½ k (2 l c − slack)²,  s = sin θ, c = cos θ.
        let torque = |theta: f64| {
            let (s, c) = theta.sin_cos();
            let spread = 4.0 * ball * (offset + l * s) * l * c
                + 4.0 * rod * ((offset + 0.5 * l * s) * l * c + 2.0 * (across - along) * s * c);
            let weight = 9.81 * (2.0 * ball + 4.0 * rod + 2.0 * sleeve) * l * s;
            0.5 * spin * spin * spread - weight + stiffness * (2.0 * l * c - slack) * 2.0 * l * s
        };
        let (mut low, mut high) = (0.1, 1.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if torque(middle) > 0.0 { low = middle } else { high = middle }
        }
        let spring = stiffness.to_string();
        let mut run = Run::new("flyball-governor", &[("spin", &spin.to_string()), ("stiffness", &spring)], 4e-4);
        while run.state().time < 0.3 - 1e-9 {
            run.step();
        }
        // The damper leaves e⁻⁸ = 3e-4 of what the arms had to move: c (2 l s)²/(2 M) = 28/s for 0.3 s, M = 0.49 kg m².
        let theta = (-run.position("sleeve").z / (2.0 * l)).acos();
        let moved = low - 30_f64.to_radians();
        assert!(moved > 1e-3 && (theta - low).abs() < 3e-4 * moved, "{spin}: {theta}, {low}");
    }
}

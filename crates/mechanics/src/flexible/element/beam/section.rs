//! Cross-sections of beams: the beam runs along x, the section lies in y and z.

use crate::ParameterError;
use std::f64::consts::PI;

/// What a beam needs to know of its section.
///
/// Shear factors are those of elasticity for ν = 0 (5/6, 6/7, …); overwrite the field for others.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Section {
    /// Area A \[m²\].
    pub area: f64,
    /// I_y = ∫ z² dA \[m⁴\]: bending about y, deflection along z.
    pub inertia_y: f64,
    /// I_z = ∫ y² dA \[m⁴\]: bending about z, deflection along y.
    pub inertia_z: f64,
    /// Torsion constant J \[m⁴\]; I_y + I_z for circles only.
    pub torsion: f64,
    /// κ, the share of the area that carries shear.
    pub shear_factor: f64,
}

impl Section {
    /// A rectangle of `width` along y and `height` along z \[m\].
    ///
    /// J = a b³ (1/3 − 64/π⁵ (b/a) Σ tanh(n π a / 2b)/n⁵), n odd, with sides a ≥ b (de Saint-Venant).
    ///
    /// # Errors
    /// A side is not a finite value > 0.
    pub fn rectangle(width: f64, height: f64) -> Result<Self, ParameterError> {
        positive("width of the section", width)?;
        positive("height of the section", height)?;
        let (a, b) = (width.max(height), width.min(height));
        // Terms fall as n⁻⁵: what is left after n = 99 is below 2e-9 of the first.
        let sum: f64 =
            (0..50).rev().map(|k| f64::from(2 * k + 1)).map(|n| (n * PI * a / (2.0 * b)).tanh() / n.powi(5)).sum();
        Ok(Self {
            area: width * height,
            inertia_y: width * height.powi(3) / 12.0,
            inertia_z: height * width.powi(3) / 12.0,
            torsion: a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * sum),
            shear_factor: 5.0 / 6.0,
        })
    }

    /// A full circle of this radius \[m\].
    ///
    /// # Errors
    /// The radius is not a finite value > 0.
    pub fn circle(radius: f64) -> Result<Self, ParameterError> {
        Self::tube(radius, 0.0)
    }

    /// A tube of these radii \[m\]. κ = 6 / (7 + 20 (m / (1 + m²))²) with m = inner/outer: 6/7 full, 1/2 thin.
    ///
    /// # Errors
    /// The outer radius is not a finite value > 0, or the inner not in 0 ≤ inner < outer.
    pub fn tube(outer: f64, inner: f64) -> Result<Self, ParameterError> {
        positive("outer radius of the section", outer)?;
        if !(0.0..outer).contains(&inner) {
            return Err(ParameterError::number(
                "inner radius of the section",
                inner,
                "a value ≥ 0 and < the outer radius",
            ));
        }
        let m = inner / outer;
        let inertia = PI * (outer.powi(4) - inner.powi(4)) / 4.0;
        Ok(Self {
            area: PI * (outer * outer - inner * inner),
            inertia_y: inertia,
            inertia_z: inertia,
            torsion: 2.0 * inertia,
            shear_factor: 6.0 / (7.0 + 20.0 * (m / (1.0 + m * m)).powi(2)),
        })
    }

    /// Checks all numbers.
    ///
    /// # Errors
    /// One is not a finite value > 0.
    pub fn validate(&self) -> Result<(), ParameterError> {
        positive("area of the section", self.area)?;
        positive("moment I_y of the section", self.inertia_y)?;
        positive("moment I_z of the section", self.inertia_z)?;
        positive("torsion constant of the section", self.torsion)?;
        positive("shear factor of the section", self.shear_factor)
    }
}

fn positive(what: &'static str, value: f64) -> Result<(), ParameterError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(ParameterError::number(what, value, "a finite value > 0"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torsion_of_a_square_and_of_a_strip_are_the_known_ones() {
        // Timoshenko and Goodier's table: J = 0.1406 a b³ for a square, 0.229 for 2 : 1, 1/3 for a thin strip.
        assert!((Section::rectangle(1.0, 1.0).unwrap().torsion - 0.1406).abs() < 5e-5);
        assert!((Section::rectangle(1.0, 2.0).unwrap().torsion / 2.0 - 0.229).abs() < 5e-4);
        assert!((Section::rectangle(1000.0, 1.0).unwrap().torsion / 1000.0 - 1.0 / 3.0).abs() < 1e-3);
    }

    #[test]
    fn a_circle_is_a_tube_without_a_hole() {
        let full = Section::circle(2.0).unwrap();
        assert!((full.inertia_y - PI * 4.0).abs() < 1e-14 && (full.area - PI * 4.0).abs() < 1e-14);
        let (outer, hole, tube) = (full, Section::circle(1.0).unwrap(), Section::tube(2.0, 1.0).unwrap());
        assert!((tube.area - (outer.area - hole.area)).abs() < 1e-14);
        assert!((tube.torsion - (outer.torsion - hole.torsion)).abs() < 1e-14);
        assert!((Section::tube(1.0, 0.9999).unwrap().shear_factor - 0.5).abs() < 1e-3);
    }

    #[test]
    fn sections_without_an_area_are_refused() {
        for section in [Section::rectangle(0.0, 1.0), Section::rectangle(1.0, f64::NAN), Section::circle(f64::INFINITY)]
        {
            assert!(section.is_err());
        }
        assert!(Section::tube(1.0, 1.0).is_err() && Section::tube(1.0, f64::NAN).is_err());
    }
}

//! What flexible bodies are made of: linear elasticity with Rayleigh damping, and the neo-Hookean law.

mod neo_hookean;

pub use neo_hookean::NeoHookean;
pub(crate) use neo_hookean::log_determinant;

use crate::{Mat3, ParameterError};

/// Rayleigh damping: the damping matrix α M + β K.
#[derive(Clone, Copy, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Rayleigh {
    /// α, the part of the mass \[1/s\]: damps slow motion, rigid motion included.
    pub mass: f64,
    /// β, the part of the stiffness \[s\]: damps fast vibration.
    pub stiffness: f64,
}

/// An isotropic linearly elastic material.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Elastic {
    /// Young's modulus E \[Pa\], > 0.
    pub youngs_modulus: f64,
    /// Poisson's ratio ν, in −1 < ν < 0.5.
    pub poisson: f64,
    /// Density ρ at rest \[kg/m³\], > 0.
    pub density: f64,
    /// Damping.
    pub damping: Rayleigh,
}

/// The constants of Lamé: σ = λ tr(ε) I + 2 μ ε.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// λ \[Pa\].
    pub lambda: f64,
    /// μ, the shear modulus \[Pa\].
    pub mu: f64,
}

impl Elastic {
    /// An undamped material of Young's modulus \[Pa\], Poisson's ratio and density \[kg/m³\].
    ///
    /// # Errors
    /// See [`Elastic::validate`].
    ///
    /// ```
    /// use signorini_mechanics::flexible::material::Elastic;
    /// let steel = Elastic::new(210e9, 0.3, 7850.0)?;
    /// assert!((steel.lame().mu - 80.77e9).abs() < 0.01e9);
    /// assert!(Elastic::new(1e6, 0.5, 1000.0).is_err(), "incompressible");
    /// # Ok::<(), signorini_mechanics::ParameterError>(())
    /// ```
    pub fn new(youngs_modulus: f64, poisson: f64, density: f64) -> Result<Self, ParameterError> {
        let material = Self { youngs_modulus, poisson, density, damping: Rayleigh::default() };
        material.validate().map(|()| material)
    }

    /// Checks all numbers.
    ///
    /// # Errors
    /// A number is out of its range or not finite; names it and says what is allowed.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let number = |what, value: f64, fine: bool, allowed| {
            if fine && value.is_finite() { Ok(()) } else { Err(ParameterError::Number { what, value, allowed }) }
        };
        let Self { youngs_modulus, poisson, density, damping } = *self;
        number("Young's modulus", youngs_modulus, youngs_modulus > 0.0, "a finite value > 0 Pa")?;
        let below = "a value > -1 and < 0.5 (0.5 is incompressible: displacements alone cannot hold it; take 0.49)";
        number("Poisson's ratio", poisson, poisson > -1.0 && poisson < 0.5, below)?;
        number("density", density, density > 0.0, "a finite value > 0 kg/m³")?;
        number("mass damping", damping.mass, damping.mass >= 0.0, "a finite value ≥ 0 1/s")?;
        number("stiffness damping", damping.stiffness, damping.stiffness >= 0.0, "a finite value ≥ 0 s")
    }

    /// λ = E ν / ((1 + ν)(1 − 2ν)), μ = E / (2(1 + ν)).
    #[must_use]
    pub fn lame(&self) -> Lame {
        let (e, nu) = (self.youngs_modulus, self.poisson);
        Lame { lambda: e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu: self.shear_modulus() }
    }

    /// G = μ = E / (2(1 + ν)) \[Pa\].
    #[must_use]
    pub fn shear_modulus(&self) -> f64 {
        self.youngs_modulus / (2.0 * (1.0 + self.poisson))
    }
}

impl Lame {
    /// The stress \[Pa\] of a small strain: σ = λ tr(ε) I + 2 μ ε.
    #[must_use]
    pub fn stress(&self, strain: Mat3) -> Mat3 {
        let trace = strain.x_axis.x + strain.y_axis.y + strain.z_axis.z;
        Mat3::from_diagonal(glam::DVec3::splat(self.lambda * trace)) + strain * (2.0 * self.mu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused_by_name() {
        let cases = [
            (0.0, 0.3, 1.0, "Young's modulus"),
            (f64::NAN, 0.3, 1.0, "Young's modulus"),
            (f64::INFINITY, 0.3, 1.0, "Young's modulus"),
            (1.0, 0.5, 1.0, "Poisson's ratio"),
            (1.0, -1.0, 1.0, "Poisson's ratio"),
            (1.0, f64::NAN, 1.0, "Poisson's ratio"),
            (1.0, 0.3, 0.0, "density"),
        ];
        for (e, nu, rho, name) in cases {
            let message = Elastic::new(e, nu, rho).unwrap_err().to_string();
            assert!(message.starts_with(name), "{message}");
        }
        let damped =
            Elastic { damping: Rayleigh { mass: 0.0, stiffness: -1.0 }, ..Elastic::new(1.0, 0.0, 1.0).unwrap() };
        assert!(damped.validate().is_err());
    }

    #[test]
    fn uniaxial_stress_has_the_strains_of_young_and_poisson() {
        let (e, nu) = (3.0e6, 0.35);
        let material = Elastic::new(e, nu, 1.0).unwrap();
        let strain = 1e-3;
        let stress = material.lame().stress(Mat3::from_diagonal(glam::DVec3::new(strain, -nu * strain, -nu * strain)));
        assert!((stress.x_axis.x - e * strain).abs() < 1e-12 * e);
        assert!(stress.y_axis.y.abs() < 1e-12 * e && stress.z_axis.z.abs() < 1e-12 * e);
    }
}

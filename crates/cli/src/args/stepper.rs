//! `--stepper NAME[,PARAMETER=X]`.

use crate::nearest::nearest;
use signorini_mechanics::Stepper;

/// Reads a stepper with its parameters.
pub(super) fn parse_stepper(text: &str) -> Result<Stepper, String> {
    let mut parts = text.split(',').map(str::trim);
    let name = parts.next().unwrap_or_default();
    let mut stepper = Stepper::named(name).ok_or_else(|| unknown(name))?;
    for part in parts {
        let (parameter, value) =
            part.split_once('=').ok_or_else(|| format!("`{part}`: expected PARAMETER=NUMBER after the name"))?;
        let value = value.trim().parse::<f64>().map_err(|_| format!("`{part}`: expected a number after ="))?;
        if !stepper.set(parameter.trim(), value) {
            let own = stepper.parameters();
            let has = match own.is_empty() {
                true => "it has none".to_owned(),
                false => format!("it has {}", own.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")),
            };
            return Err(format!("`{name}` has no parameter `{}`; {has}", parameter.trim()));
        }
    }
    stepper.check().map_err(|error| error.to_string())?;
    Ok(stepper)
}

fn unknown(name: &str) -> String {
    let names: Vec<&str> = Stepper::ALL.iter().map(Stepper::name).collect();
    let nearest = match nearest(name, &names) {
        near if near.is_empty() => String::new(),
        near => format!("; nearest: {}", near.join(", ")),
    };
    format!("there is no stepper `{name}`{nearest}; there are: {}", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stepper_is_a_name_with_parameters_of_its_own() {
        assert_eq!(parse_stepper("rk4"), Ok(Stepper::Rk4));
        assert_eq!(parse_stepper("hht, alpha = -0.2"), Ok(Stepper::Hht { alpha: -0.2 }));
        assert_eq!(parse_stepper("newmark,gamma=0.6,beta=0.5"), Ok(Stepper::Newmark { beta: 0.5, gamma: 0.6 }));
        let message = |text| parse_stepper(text).unwrap_err();
        assert!(
            message("generalized-alpha").contains("nearest: generalised-alpha"),
            "{}",
            message("generalized-alpha")
        );
        assert_eq!(message("rk4,rho=1"), "`rk4` has no parameter `rho`; it has none");
        assert_eq!(message("hht,rho=1"), "`hht` has no parameter `rho`; it has alpha");
        assert_eq!(message("generalised-alpha,rho=1.5"), "rho is 1.5, expected a number from 0 to 1");
        assert_eq!(message("hht,alpha=-0.5"), "alpha is -0.5, expected a number from -1/3 to 0");
        assert!(
            parse_stepper("hht,alpha=nan").is_err()
                && parse_stepper("hht,alpha").is_err()
                && parse_stepper("").is_err()
        );
    }
}

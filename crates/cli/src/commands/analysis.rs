//! What the analyses of a scene share: reading it, and saying why there is no answer.

use super::scene_errors;
use crate::args::SceneArgs;
use crate::exit::Exit;
use crate::printer::Printer;
use serde_json::{Value, json};
use signorini_mechanics::Vec3;
use signorini_mechanics::analysis::AnalysisError;
use signorini_scene::{Overrides, Scene, load};

/// Reads the scene; if that fails everything is said already.
pub(super) fn read(args: &SceneArgs, printer: &mut Printer) -> Result<Scene, Exit> {
    let overrides = Overrides { set: args.set.clone(), seed: args.seed, stepper: None };
    match load(&args.scene, &overrides) {
        Ok(scene) => {
            scene.warnings.iter().for_each(|warning| printer.warning(&args.scene, warning));
            Ok(scene)
        }
        Err(errors) => {
            scene_errors::tell(&errors, printer);
            let errors = scene_errors::objects(&errors);
            printer.object(&json!({ "scene": args.scene, "status": "error", "errors": errors }));
            Err(Exit::CouldNotRun)
        }
    }
}

/// An analysis without an answer.
pub(super) fn refused(args: &SceneArgs, error: &AnalysisError, printer: &mut Printer) -> Exit {
    printer.error(Some(&args.scene), &error.to_string(), error.hint());
    printer.object(&json!({ "scene": args.scene, "status": "error", "error": error.to_string() }));
    Exit::CouldNotRun
}

/// How many degrees of freedom, in words.
pub(super) fn freedoms(count: usize) -> String {
    if count == 1 { "1 degree of freedom".into() } else { format!("{count} degrees of freedom") }
}

/// A vector for people.
pub(super) fn vector(v: Vec3) -> String {
    v.to_array().map(number).join(" ")
}

/// A number for people: six digits, without rounding noise.
pub(super) fn number(x: f64) -> String {
    match x.abs() {
        size if size < 1e-12 => "0".into(),
        size if (1e-3..1e6).contains(&size) => {
            let digits = (5 - size.log10().floor() as i32).clamp(0, 9) as usize;
            let text = format!("{x:.digits$}");
            if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
        }
        _ => format!("{x:.4e}"),
    }
}

/// A vector for machines.
pub(super) fn array(v: Vec3) -> Value {
    json!(v.to_array())
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_six_digits_and_no_noise() {
        let cases = [(0.0, "0"), (1e-16, "0"), (9.81, "9.81"), (-0.123_456_78, "-0.123457"), (100.0, "100")];
        let more = [(123_456.7, "123457"), (1e7, "1.0000e7"), (2.5e-5, "2.5000e-5"), (0.001, "0.001"), (10.0, "10")];
        for (x, text) in cases.into_iter().chain(more) {
            assert_eq!(number(x), text);
        }
    }
}

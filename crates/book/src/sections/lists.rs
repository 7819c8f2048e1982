//! Solvers and time-steppers, as `signorini solvers` and `signorini steppers` list them.

use signorini_mechanics::Stepper;
use signorini_solver::Method;

pub(super) fn solvers() -> String {
    let mark = |able: bool| if able { "yes" } else { "-" };
    let rows = Method::all().into_iter().map(|method| {
        let solver = method.describe();
        let accepts = solver.accepts;
        let exact = if method.solves_exact_law() { "itself" } else { "fixed point" };
        let exact = if accepts.friction { exact } else { "-" };
        let abilities = [mark(accepts.bilateral), mark(accepts.unilateral), mark(accepts.friction), exact];
        let name = format!("`{}`", solver.name);
        [name].into_iter().chain(abilities.map(str::to_owned)).chain([solver.summary.to_owned()]).collect()
    });
    let titles = ["solver", "bilateral", "unilateral", "friction", "exact law", "what it is"];
    super::table(&titles.map(str::to_owned), &rows.collect::<Vec<_>>())
}

pub(super) fn steppers() -> String {
    let rows = Stepper::ALL.iter().map(|stepper| {
        let contacts = if stepper.has_hard_contacts() { "hard" } else { "penalty" };
        let parameters = stepper.parameters();
        let parameters: Vec<String> = parameters.iter().map(|(name, value)| format!("`{name}={value}`")).collect();
        let name = format!("`{}`", stepper.name());
        let order = stepper.order().to_string();
        vec![name, contacts.to_owned(), order, parameters.join(" "), stepper.summary().to_owned()]
    });
    let titles = ["stepper", "contacts", "order", "parameters", "what it is"];
    super::table(&titles.map(str::to_owned), &rows.collect::<Vec<_>>())
}

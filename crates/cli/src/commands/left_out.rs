//! What analyses leave out, and say so: contacts, and what forces would come to remember.

use super::analysis::number;
use crate::args::SceneArgs;
use crate::printer::Printer;
use crate::words::counted;
use signorini_mechanics::Model;
use signorini_mechanics::analysis::ContactLeftOut;

/// Most pairs of bodies that are named one by one.
const MOST_NAMED: usize = 5;

/// Warns of bodies that touch or overlap; `place` says where they do. Whether some overlap that did not at the start: what was found
/// is then none of the scene.
pub(super) fn contacts(
    args: &SceneArgs,
    contacts: &[ContactLeftOut],
    place: impl Fn(&ContactLeftOut) -> String,
    printer: &mut Printer,
) -> bool {
    for contact in contacts.iter().take(MOST_NAMED) {
        let ContactLeftOut { bodies: [a, b], overlap, is_new_overlap, .. } = contact;
        let place = place(contact);
        let how = match (*overlap > 0.0, is_new_overlap) {
            (false, _) => format!("touch {place}"),
            (true, false) => format!("overlap by {} m {place}", number(*overlap)),
            (true, true) => format!("overlap by {} m {place}, which they do not at the start", number(*overlap)),
        };
        printer.warning(&args.scene, &format!("`{a}` and `{b}` {how}: contacts do not count in this analysis"));
    }
    if contacts.len() > MOST_NAMED {
        let others = counted(contacts.len() - MOST_NAMED, "more pair");
        printer.warning(&args.scene, &format!("contacts of {others} of bodies do not count either"));
    }
    contacts.iter().any(|contact| contact.is_new_overlap)
}

/// Notes forces whose memory is held: integrals of controllers.
pub(super) fn memory(args: &SceneArgs, model: &Model, printer: &mut Printer) {
    let layout = model.memory_layout();
    let with_memory = model.forces().enumerate().filter(|(index, _)| !layout.range(*index).is_empty());
    let names: Vec<String> = with_memory.map(|(_, (name, _))| format!("`{name}`")).collect();
    if !names.is_empty() {
        let (names, keep) =
            (names.join(", "), if names.len() == 1 { "keeps its integral" } else { "keep their integrals" });
        let note = format!("{names} {keep} of the start, 0: a steady error that the integral would undo stays");
        printer.note(Some(&args.scene), &note);
    }
}

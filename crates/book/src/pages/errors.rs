//! Every error the libraries declare, with what it means and where it is.

use super::header;
use crate::check::declared;
use crate::repository::Repository;
use anyhow::Result;

pub(super) fn page(repository: &Repository) -> Result<String> {
    let mut text = header("Index of error messages");
    text += "Words in braces are filled in. What to do about them is in [Troubleshooting](../troubleshooting.md).\n";
    let mut last = None;
    for message in declared(repository)? {
        if last.as_ref() != Some(&message.file) {
            let file = message.file.display();
            text += &format!("\n## {file}\n\n[source](../../../../{file})\n\n| message | meaning |\n|---|---|\n");
            last = Some(message.file.clone());
        }
        let cell = |text: &str| text.replace('|', "\\|");
        text += &format!("| {} | {} |\n", code(&cell(&message.text)), cell(&message.meaning));
    }
    Ok(text)
}

/// A text as a code span, with as many ticks as it needs.
fn code(text: &str) -> String {
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

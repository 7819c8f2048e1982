//! From text to a scene.

use crate::reader::nearest::hint;
use crate::reader::{Context, shortened};
use crate::{Origin, Overrides, Scene, SceneError, SceneErrors, document, gallery};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use toml::de::DeTable;

/// Larger scene files are refused.
const MOST_BYTES: u64 = 1 << 28;

/// Reads a scene: one of the gallery by its name, or else a file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn load(source: &str, overrides: &Overrides) -> Result<Scene, SceneErrors> {
    if let Some(entry) = gallery::find(source) {
        let context = Context::new(entry.name, entry.text, None, overrides.seed);
        return read(&context, entry.text, overrides, Origin::Gallery(entry.name.into()));
    }
    let path = Path::new(source);
    let text = text_of(path)?;
    let folder = path.parent();
    let context = Context::new(source, &text, folder, overrides.seed);
    read(&context, &text, overrides, Origin::File(path.to_owned()))
}

/// Reads the text of a scene. `origin_name` is what messages call it; files it names are looked for in `base_dir`.
///
/// # Errors
/// Everything that is wrong with it.
pub fn parse(
    text: &str,
    origin_name: &str,
    base_dir: Option<&Path>,
    overrides: &Overrides,
) -> Result<Scene, SceneErrors> {
    let context = Context::new(origin_name, text, base_dir, overrides.seed);
    let origin = match gallery::find(origin_name) {
        Some(entry) => Origin::Gallery(entry.name.into()),
        None => Origin::File(origin_name.into()),
    };
    read(&context, text, overrides, origin)
}

/// Reads a text within a context.
pub(crate) fn read(
    context: &Context<'_>,
    text: &str,
    overrides: &Overrides,
    origin: Origin,
) -> Result<Scene, SceneErrors> {
    // After an error of syntax the rest is guesswork; its errors, of syntax or not, would be as well.
    let (document, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.iter().min_by_key(|error| error.span().map_or(0, |span| span.start)) {
        let span = error.span().unwrap_or(0..0);
        match (error.message(), text.get(span.clone())) {
            ("duplicate key", Some(key)) if !key.is_empty() => context.error_with(
                &span,
                format!("not TOML: `{}` is given twice", shortened(key)),
                "every field and every [section] stands once; give one of the two another name, or join them",
            ),
            (message, _) => context.error(&span, format!("not TOML: {}", message.replace('\n', ", "))),
        }
    }
    let scene = match errors.is_empty() {
        true => document::read(context, &document, overrides, origin, text),
        false => None,
    };
    match (context.take_errors(), scene) {
        (None, Some(scene)) => Ok(scene),
        (Some(errors), _) => Err(errors),
        (None, None) => Err(SceneErrors(Vec::new())),
    }
}

/// The text of a file.
fn text_of(path: &Path) -> Result<String, SceneErrors> {
    let name = path.display().to_string();
    let wrong = |line, column, message, hint| {
        Err(SceneErrors(vec![SceneError { file: name.clone(), line, column, message, hint }]))
    };
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(MOST_BYTES + 1).read_to_end(&mut bytes));
    if let Err(error) = read {
        let scenes = gallery::list().iter().map(|entry| entry.name);
        let hint = path.extension().is_none().then(|| hint(&name, "scenes of the gallery", scenes));
        return wrong(0, 0, format!("cannot read the scene: {error}"), hint);
    }
    if bytes.len() as u64 > MOST_BYTES {
        return wrong(0, 0, format!("the file is larger than {MOST_BYTES} bytes"), None);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(text),
        Err(error) => {
            let good = &error.as_bytes()[..error.utf8_error().valid_up_to()];
            let good = String::from_utf8_lossy(good);
            let line = good.matches('\n').count() + 1;
            let column = good.rsplit('\n').next().map_or(1, |last| last.chars().count() + 1);
            wrong(line, column, "the file is no text in UTF-8".into(), None)
        }
    }
}

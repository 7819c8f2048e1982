//! Scenes that come with the program.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One line that says what it shows.
    pub title: &'static str,
    /// The scene file.
    pub text: &'static str,
}

const ENTRIES: &[Entry] = &[Entry {
    name: "balls-in-box",
    title: "Balls dropped into a box",
    text: include_str!("../../gallery/balls-in-box.toml"),
}];

/// All scenes, in the order of their names.
#[must_use]
pub fn list() -> &'static [Entry] {
    ENTRIES
}

/// The scene of a name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Entry> {
    ENTRIES.iter().find(|entry| entry.name == name)
}

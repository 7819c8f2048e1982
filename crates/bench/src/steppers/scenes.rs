//! Scenes of the gallery as models.

use anyhow::{Result, anyhow};
use signorini_mechanics::Model;
use signorini_scene::{Overrides, parse};

/// A scene of the gallery.
#[derive(Clone, Copy)]
pub(super) enum Gallery {
    Pendulum,
    DoublePendulum,
    NFourBar,
    Bricard,
}

impl Gallery {
    /// Its model, with some parameters set.
    pub(super) fn model(self, set: &[(&str, &str)]) -> Result<Model> {
        let (name, text) = match self {
            Self::Pendulum => ("pendulum", include_str!("../../../scene/gallery/pendulum.toml")),
            Self::DoublePendulum => ("double-pendulum", include_str!("../../../scene/gallery/double-pendulum.toml")),
            Self::NFourBar => ("n-four-bar", include_str!("../../../scene/gallery/n-four-bar.toml")),
            Self::Bricard => ("bricard", include_str!("../../../scene/gallery/bricard.toml")),
        };
        let set = set.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let overrides = Overrides { set, ..Overrides::default() };
        Ok(parse(text, name, None, &overrides).map_err(|errors| anyhow!("{errors}"))?.model)
    }
}

//! Which experiments are asked for, and how much of each.

use crate::args::ReproduceArgs;
use crate::nearest::nearest;
use anyhow::{Result, bail};
use signorini_experiments::{Effort, Experiment, all};

/// What the user asked for.
#[derive(Clone)]
pub(super) struct Selection {
    /// In the order of the list, each once.
    pub(super) experiments: Vec<&'static Experiment>,
    pub(super) effort: Effort,
}

/// Words that stand for every experiment.
const QUICK: &str = "quick";
const ALL: &str = "all";

pub(super) fn select(args: &ReproduceArgs) -> Result<Selection> {
    let is_asked = |word: &str| args.ids.iter().any(|id| id.eq_ignore_ascii_case(word));
    if is_asked(QUICK) && args.full {
        bail!("`quick` and --full contradict each other; `signorini reproduce all` runs the published sizes");
    }
    if is_asked(QUICK) && is_asked(ALL) {
        bail!("`quick` and `all` contradict each other: name one of them");
    }
    let unknown: Vec<&String> = args.ids.iter().filter(|id| !all().any(|own| is_meant(own, id))).collect();
    if let Some(id) = unknown.iter().find(|id| !id.eq_ignore_ascii_case(QUICK) && !id.eq_ignore_ascii_case(ALL)) {
        bail!("{}", no_such(id));
    }
    let every = is_asked(QUICK) || is_asked(ALL);
    let experiments = all().filter(|own| every || args.ids.iter().any(|id| is_meant(own, id))).collect();
    let effort = if args.quick || is_asked(QUICK) { Effort::Quick } else { Effort::Full };
    Ok(Selection { experiments, effort })
}

/// The part of an id before the number.
fn group(experiment: &Experiment) -> &'static str {
    experiment.id.split('-').next().unwrap_or(experiment.id)
}

/// Whether a word is the id of an experiment or of its group; capitals do not matter.
fn is_meant(experiment: &Experiment, word: &str) -> bool {
    experiment.id.eq_ignore_ascii_case(word) || group(experiment).eq_ignore_ascii_case(word)
}

fn no_such(id: &str) -> String {
    let ids: Vec<&str> = all().map(|experiment| experiment.id).collect();
    let near = match nearest(&id.to_uppercase(), &ids) {
        near if near.is_empty() => String::new(),
        near => format!("; nearest: {}", near.join(", ")),
    };
    format!("there is no experiment `{id}`{near}; there are: {}, and `quick`, `all`", ids.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    fn parsed(words: &[&str]) -> ReproduceArgs {
        let line = ["signorini", "reproduce"].into_iter().chain(words.iter().copied());
        match crate::args::Cli::parse_from(line).command {
            crate::args::Command::Reproduce(args) => args,
            _ => panic!("reproduce expected"),
        }
    }

    #[test]
    fn quick_is_all_of_them_small_and_all_is_all_as_published() {
        let quick = select(&parsed(&["quick"])).unwrap();
        assert_eq!((quick.experiments.len(), quick.effort), (all().count(), Effort::Quick));
        let published = select(&parsed(&["all"])).unwrap();
        assert_eq!((published.experiments.len(), published.effort), (all().count(), Effort::Full));
        assert_eq!(select(&parsed(&["all", "--quick"])).unwrap().effort, Effort::Quick);
        assert!(select(&parsed(&["quick", "--full"])).is_err());
        assert!(select(&parsed(&["quick", "all"])).is_err());
    }

    #[test]
    fn an_unknown_id_is_answered_with_the_list() {
        let Err(error) = select(&parsed(&["XX-77"])) else { panic!("an error expected") };
        assert!(error.to_string().starts_with("there is no experiment `XX-77`"), "{error}");
    }

    #[test]
    fn ids_and_groups_are_taken_once_in_the_order_of_the_list() {
        for experiment in all() {
            let asked = [experiment.id.to_lowercase(), experiment.id.to_owned()];
            let found = select(&parsed(&[&asked[0], &asked[1]])).unwrap().experiments;
            assert_eq!(found.iter().map(|own| own.id).collect::<Vec<_>>(), [experiment.id]);
            let of_group = select(&parsed(&[group(experiment)])).unwrap().experiments;
            assert!(of_group.iter().all(|own| group(own) == group(experiment)) && !of_group.is_empty());
        }
    }
}

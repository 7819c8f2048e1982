//! All that is known: one section an experiment.

use super::files::Folder;
use super::record::Record;
use super::selection::Selection;
use signorini_experiments::{Effort, Experiment, Row, Verdict, all};

/// What became of an experiment.
pub(super) enum Found {
    /// It ran, now or before.
    Outcome(Box<Record>),
    /// It could not go on, for this reason.
    Failed(String),
    /// It has not been run yet.
    Waiting,
}

/// One experiment.
pub(super) struct Section {
    pub(super) experiment: &'static Experiment,
    /// Whether it was asked for; others are shown because their outcome is in the folder.
    pub(super) is_asked: bool,
    pub(super) found: Found,
}

impl Section {
    pub(super) fn record(&self) -> Option<&Record> {
        match &self.found {
            Found::Outcome(record) => Some(record),
            _ => None,
        }
    }
    pub(super) fn rows(&self) -> &[Row] {
        self.record().map_or(&[], |record| &record.outcome.rows)
    }
}

/// Sections in the order of the list.
pub(super) struct Sheet {
    pub(super) sections: Vec<Section>,
}

impl Sheet {
    /// What is asked, with the outcomes that are in the folder, and the other outcomes there.
    pub(super) fn gather(selection: &Selection, folder: &Folder, fresh: bool) -> Self {
        let section = |experiment: &'static Experiment| {
            let is_asked = selection.experiments.iter().any(|asked| asked.id == experiment.id);
            let kept = folder.record(experiment.id).filter(Record::is_current);
            let found = match kept {
                Some(record) if !is_asked || (!fresh && record.answers(selection.effort)) => {
                    Found::Outcome(Box::new(record))
                }
                _ if is_asked => Found::Waiting,
                _ => return None,
            };
            Some(Section { experiment, is_asked, found })
        };
        Self { sections: all().filter_map(section).collect() }
    }

    pub(super) fn asked(&self) -> impl Iterator<Item = &Section> {
        self.sections.iter().filter(|section| section.is_asked)
    }

    /// Experiments asked for that have not been run.
    pub(super) fn waiting(&self) -> usize {
        self.asked().filter(|section| matches!(section.found, Found::Waiting)).count()
    }

    /// Seconds those are expected to take.
    pub(super) fn seconds_left(&self, effort: Effort) -> f64 {
        let waiting = self.asked().filter(|section| matches!(section.found, Found::Waiting));
        waiting.map(|section| section.experiment.expected_seconds(effort)).sum()
    }

    /// Whether all that was asked ran and no row falls short.
    pub(super) fn is_met(&self) -> bool {
        let met = |section: &Section| section.rows().iter().all(|row| row.verdict != Verdict::Short);
        self.asked().all(|section| section.record().is_some() && met(section))
    }

    /// Rows of some sections by verdict, in the order of [`VERDICTS`].
    pub(super) fn counts<'a>(sections: impl Iterator<Item = &'a Section>) -> [usize; VERDICTS.len()] {
        let mut counts = [0; VERDICTS.len()];
        for row in sections.flat_map(Section::rows) {
            let k = VERDICTS.iter().position(|verdict| *verdict == row.verdict);
            counts[k.unwrap_or_default()] += 1;
        }
        counts
    }
}

/// All verdicts, best first.
pub(super) const VERDICTS: [Verdict; 5] =
    [Verdict::Better, Verdict::AtPublished, Verdict::Short, Verdict::Informative, Verdict::NotRun];

//! Which frames are drawn.

use crate::{Recording, ViewError};

/// Frames of a run by their times.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameTimes {
    times: Vec<f64>,
}

/// A time or a span that is not in a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimeError {
    /// The run cannot be read.
    #[error(transparent)]
    View(#[from] ViewError),
    /// Outside the run.
    #[error("there is no frame at {asked} s: the run has frames from {first} to {last} s")]
    Outside {
        /// What was asked for.
        asked: f64,
        /// The first frame.
        first: f64,
        /// The last frame.
        last: f64,
    },
    /// A span that ends before it begins.
    #[error("a film from {from} to {to} s: expected an end after the start")]
    Backwards {
        /// Start.
        from: f64,
        /// End.
        to: f64,
    },
}

impl FrameTimes {
    /// Times of all frames: those of the steps, which frame k is after `k · every` of.
    ///
    /// # Errors
    /// A run that cannot be read.
    pub fn of(recording: &mut Recording) -> Result<Self, ViewError> {
        let every = recording.manifest().output.every.max(1) as usize;
        let mut times = Vec::new();
        for frame in 0..recording.frame_count() {
            let step = (frame as usize).checked_mul(every).and_then(|step| step.checked_sub(1));
            let known = step.and_then(|step| recording.steps().get(step)).map(|row| row.time);
            times.push(match known {
                Some(time) => time,
                None => recording.frame(frame)?.time,
            });
        }
        Ok(Self { times })
    }

    /// Times of the frames \[s\].
    #[must_use]
    pub fn times(&self) -> &[f64] {
        &self.times
    }

    /// The frame nearest to a time; half a frame beyond the run counts as its end.
    ///
    /// # Errors
    /// A time outside the run.
    pub fn nearest(&self, asked: f64) -> Result<u64, TimeError> {
        let (Some(&first), Some(&last)) = (self.times.first(), self.times.last()) else {
            return Err(TimeError::Outside { asked, first: f64::NAN, last: f64::NAN });
        };
        let slack = (last - first) * 1e-9 + self.times.get(1).map_or(0.0, |second| 0.5 * (second - first)).max(0.0);
        if asked.is_nan() || asked < first - slack || asked > last + slack {
            return Err(TimeError::Outside { asked, first, last });
        }
        let after = self.times.partition_point(|time| *time < asked).min(self.times.len() - 1);
        let before = after.saturating_sub(1);
        let is_before = (asked - self.times[before]).abs() <= (self.times[after] - asked).abs();
        Ok(if is_before { before } else { after } as u64)
    }

    /// `count` frames at equal times from one to another; the whole run without limits.
    ///
    /// # Errors
    /// Times outside the run, or in the wrong order.
    pub fn film(&self, from: Option<f64>, to: Option<f64>, count: usize) -> Result<Vec<u64>, TimeError> {
        let (from, to) = self.span(from, to)?;
        let last = count.max(2) - 1;
        (0..count.max(1)).map(|k| self.nearest(from + (to - from) * k as f64 / last as f64)).collect()
    }

    /// Start and end of a film \[s\].
    ///
    /// # Errors
    /// Times outside the run, or in the wrong order.
    pub fn span(&self, from: Option<f64>, to: Option<f64>) -> Result<(f64, f64), TimeError> {
        let from = from.or(self.times.first().copied()).unwrap_or(0.0);
        let to = to.or(self.times.last().copied()).unwrap_or(0.0);
        self.nearest(from)?;
        self.nearest(to)?;
        if to < from {
            return Err(TimeError::Backwards { from, to });
        }
        Ok((from, to))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_frame_is_taken_and_times_outside_are_refused() {
        let times = FrameTimes { times: (0..=10).map(|k| 0.1 * f64::from(k)).collect() };
        for (asked, expected) in [(0.0, 0), (0.04, 0), (0.06, 1), (0.5, 5), (1.0, 10), (1.04, 10)] {
            assert_eq!(times.nearest(asked).unwrap(), expected, "{asked}");
        }
        for asked in [-0.2, 1.2, f64::NAN, f64::INFINITY] {
            assert!(matches!(times.nearest(asked), Err(TimeError::Outside { .. })), "{asked}");
        }
        let message = times.nearest(3.0).unwrap_err().to_string();
        assert_eq!(message, "there is no frame at 3 s: the run has frames from 0 to 1 s");
    }

    #[test]
    fn films_have_as_many_frames_as_asked_at_equal_times() {
        let times = FrameTimes { times: (0..=100).map(|k| 0.01 * f64::from(k)).collect() };
        assert_eq!(times.film(None, None, 5).unwrap(), [0, 25, 50, 75, 100]);
        assert_eq!(times.film(Some(0.5), Some(0.6), 3).unwrap(), [50, 55, 60]);
        assert_eq!(times.film(None, None, 1).unwrap(), [0]);
        assert!(matches!(times.film(Some(0.6), Some(0.5), 3), Err(TimeError::Backwards { .. })));
        assert!(FrameTimes { times: vec![] }.film(None, None, 3).is_err());
    }
}

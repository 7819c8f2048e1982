//! Smooth curves through points.
//!
//! A [`Curve`] is a cubic spline c(u) with continuous curvature; u is the length of the chords between its points, so that |c'| is about 1.
//! An open one has no curvature at its ends and goes on straight beyond them, as smooth as elsewhere; a closed one has no ends.
//!
//! `spline` finds and evaluates it, `frame` turns two axes across it without needless spin, `foot` finds the point nearest to another.

mod foot;
mod frame;
mod spline;

use crate::Vec3;
use spline::Spline;

/// Samples between two points of a curve: tangents of neighbours then differ little, and the nearest leads to the nearest point.
const SAMPLES: usize = 8;
/// Curves whose |c'| falls below this at a sample turn on the spot.
const SLOWEST: f64 = 1e-3;

/// A smooth curve through points.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    spline: Spline,
    samples: Vec<Sample>,
    /// No point of the curve is further from the nearest sample \[m\].
    reach: f64,
}

/// A point of the curve and an axis across it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Sample {
    u: f64,
    point: Vec3,
    across: Vec3,
}

/// The curve at a parameter: c, c', c''.
#[derive(Clone, Copy, Debug)]
struct Place {
    point: Vec3,
    slope: Vec3,
    bend: Vec3,
}

/// The nearest point of a curve and two axes across it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foot {
    /// e₁·(q − c), e₂·(q − c): where q is, seen from the curve.
    pub(super) offsets: [f64; 2],
    /// Their gradients with respect to q.
    pub(super) gradients: [Vec3; 2],
}

/// Points that no curve goes through, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CurveError {
    /// Too few of them.
    #[error("{found} points, expected at least {least} for {} curve", if *.is_closed { "a closed" } else { "an open" })]
    TooFew {
        /// How many there are.
        found: usize,
        /// How many are needed.
        least: usize,
        /// Which kind of curve.
        is_closed: bool,
    },
    /// A coordinate that is no number, or too large for distances.
    #[error("point {index} is {point:?}, expected finite numbers of metres up to 1e100")]
    NotFinite {
        /// Which of them, counted from 0.
        index: usize,
        /// What was found.
        point: [f64; 3],
    },
    /// Two points in one place, one after the other.
    #[error("points {index} and {next} coincide, expected a distance{}", if *.next == 0 { " (a closed curve returns to its first point by itself)" } else { "" })]
    Coincident {
        /// Which of them, counted from 0.
        index: usize,
        /// The one after it.
        next: usize,
    },
    /// A curve that stops and turns on the spot.
    #[error("the curve turns on the spot after point {index}, expected points that bend it gently")]
    TurnsBack {
        /// The point before, counted from 0.
        index: usize,
    },
}

impl Curve {
    /// The curve that starts at the first point and ends at the last, of three at least, and goes on straight beyond.
    ///
    /// # Errors
    /// Points no curve goes through.
    pub fn open(points: &[Vec3]) -> Result<Self, CurveError> {
        Self::through(points, false)
    }

    /// The curve that returns from the last point to the first, of four at least.
    ///
    /// # Errors
    /// Points no curve goes through.
    pub fn closed(points: &[Vec3]) -> Result<Self, CurveError> {
        Self::through(points, true)
    }

    fn through(points: &[Vec3], is_closed: bool) -> Result<Self, CurveError> {
        let least = if is_closed { 4 } else { 3 };
        if points.len() < least {
            return Err(CurveError::TooFew { found: points.len(), least, is_closed });
        }
        let is_usable = |point: &Vec3| point.abs().max_element() <= 1e100 && !point.is_nan();
        if let Some(index) = points.iter().position(|point| !is_usable(point)) {
            return Err(CurveError::NotFinite { index, point: points[index].to_array() });
        }
        let size = points.iter().fold(0.0_f64, |m, point| m.max((*point - points[0]).abs().max_element()));
        let spline = Spline::through(points, is_closed);
        for (index, length) in spline.chords().enumerate() {
            // Chords below rounding of the whole have no direction.
            if length <= 1e-12 * size {
                return Err(CurveError::Coincident { index, next: (index + 1) % points.len() });
            }
        }
        let (samples, reach) = frame::samples(&spline);
        match samples.iter().position(|sample| spline.at(sample.u).slope.length() < SLOWEST) {
            Some(sample) => Err(CurveError::TurnsBack { index: sample / SAMPLES }),
            None => Ok(Self { spline, samples, reach }),
        }
    }
}

//! Line plots as SVG text.
//!
//! ```
//! use signorini_plot::{Axis, Curve, Plot};
//! let plot = Plot {
//!     title: "Residual".into(),
//!     x: Axis::linear("iteration"),
//!     y: Axis::logarithmic("natural map"),
//!     curves: vec![Curve::new("interior-point", 0, vec![[0.0, 1.0], [1.0, 1e-3], [2.0, 1e-9]])],
//!     ..Plot::default()
//! };
//! assert!(plot.document().starts_with("<svg xmlns="));
//! ```

mod axis;
mod plot;
mod style;
mod text;

pub use axis::{Axis, Scale};
pub use plot::{Curve, Plot, Rule, sample};
pub use style::stylesheet;
pub use text::escape;

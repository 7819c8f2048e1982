//! VTK files for ParaView and its like: four series, each an index (PVD) over one unstructured grid (VTU) a frame.
//!
//! | series | contents |
//! |---|---|
//! | `bodies` | centres of mass, with number, mass, radius, orientation (w x y z), velocity, angular velocity |
//! | `surfaces` | the shapes, with the number of the body and the velocity of every point |
//! | `flexible` | elements of flexible bodies where they are, with displacement, velocity, strain, stress, von Mises, tension |
//! | `contacts` | contact points, with bodies, normal, gap, force on B |

mod elements;
mod pvd;
mod series;
mod surface;
mod vtu;

pub(super) use series::{ContactPoint, Series};

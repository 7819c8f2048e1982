//! Experiments of the interior-point publications (IP-*).

mod counts;
mod ip1;
mod ip2;
mod ip3;
mod ip4;
mod ip5;
mod ip6;
mod scenes;
mod sizes;

use crate::Experiment;

/// In the order of the list.
pub(crate) const EXPERIMENTS: &[Experiment] =
    &[ip1::EXPERIMENT, ip2::EXPERIMENT, ip3::EXPERIMENT, ip4::EXPERIMENT, ip5::EXPERIMENT, ip6::EXPERIMENT];

const THESIS: &str = "thesis (interior point for non-smooth multibody dynamics), chapter 5";
const PAPER: &str = "paper of 2015 (primal-dual interior point for unilateral contacts)";

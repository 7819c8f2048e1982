//! (made next)

//! Bodies, joints, forces and time-stepping.

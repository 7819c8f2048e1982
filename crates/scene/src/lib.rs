//! Scene files, the gallery, run folders.

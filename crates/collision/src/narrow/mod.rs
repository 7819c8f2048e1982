//! Two colliders in, their contacts out.

pub(crate) mod general;

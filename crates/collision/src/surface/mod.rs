//! Contacts of deformable triangle surfaces: the skins of finite-element meshes.
//!
//! A [`SurfaceDetector`] finds contacts of surfaces with rigid colliders ([`convex`], [`rigid`]), with each other and with
//! themselves ([`triangles`]). Candidates come from balls about triangles: rigid colliders in a tree, triangles among
//! themselves in a grid.
//!
//! Rules:
//! * A node is tested by the signed distance of the other side; a node inside a body leaves through the nearest face that
//!   looks against any triangle around the node. Nodes are never pushed the way their surface looks.
//! * What overlaps by h is a contact only if nothing parts it sooner ([`shorter`]): a triangle or an edge that as a whole
//!   leaves through a face by less than h does not leave by h. So blocks pressed flush touch with their fronts, and not with
//!   sides that lie far inside the outline of the other.
//! * The inside of a triangle pushes along its normal, an edge only where both triangles beside it find it the nearest (or
//!   lie behind, for two edges), a node only through its own test. So nothing is seen twice at a seam, and flat seams have
//!   flat normals.
//! * A surface is solid behind, to a depth of half the longest edge of the triangle. Of all contacts a corner of the other
//!   side has with the surface, one behind counts only if it is the nearest: what has entered a thin plate is pushed back
//!   the way it came, as long as it is nearer to that side. What is in front of a triangle, touching or not, is not behind
//!   another that is farther away; sides that a corner of a body cannot have come by do not compete.
//! * Self-contact leaves out triangles within two rings of edges, and what is deeper than 2 % of an edge: a plate thinner
//!   than that touches itself through its thickness, and parts that have passed each other stay so.
//! * An open surface acts on its outer side only.
//! * An edge that passes through a convex body so deep that nothing else overlaps gives a contact along its mean normal.
//!
//! Limits: a body that pierces a triangle with all its corners outside of the surface, and no edge of the surface in it,
//! touches nothing; neither do two surfaces that deep. A node over the rim of another body, as near to its side as to its
//! front, leaves by the nearer of the two. Rims of two surfaces exactly over each other touch to a depth of 5 % of an edge. The rims of containers are not felt. Two surfaces of one body never
//! meet.

mod check;
mod convex;
mod distance;
mod found;
mod lowest;
mod mesh_sheet;
mod motion;
mod rigid;
mod search;
mod sheet;
mod shorter;
mod topology;
mod triangles;

pub(crate) use mesh_sheet::MeshSheet;

use crate::{Contact, Detector, Groups, ShapeError};
use found::settle;
use glam::DVec3;
use motion::Motion;
use search::Search;
use topology::Topology;

/// A surface of triangles whose corners move freely.
#[derive(Clone, Debug)]
pub struct DeformableSurface {
    /// The number contacts give in `bodies`: flexible bodies are numbered after all rigid ones.
    pub body: u32,
    /// The number contacts give in `colliders`: surfaces are numbered after all rigid colliders.
    pub collider: u32,
    /// Corners, counter-clockwise seen from outside: indices into one array of nodes shared by all surfaces.
    pub triangles: Vec<[u32; 3]>,
    /// Which others it meets.
    pub groups: Groups,
    /// The surface is grown by this thickness \[m\]; 0 for the skins of solids.
    pub margin: f64,
    /// Whether it touches itself; both sides of such contacts name this collider.
    pub touches_itself: bool,
}

impl DeformableSurface {
    /// A surface without thickness that meets everything but itself.
    #[must_use]
    pub fn new(body: u32, collider: u32, triangles: Vec<[u32; 3]>) -> Self {
        Self { body, collider, triangles, groups: Groups::ALL, margin: 0.0, touches_itself: false }
    }
}

/// Finds the contacts of deformable surfaces.
///
/// ```
/// use glam::DVec3;
/// use signorini_collision::{Collider, DeformableSurface, Detector, Mobility, Pose, Shape, SurfaceDetector};
/// // A ball over a square of two triangles.
/// let ball = Collider::new(0, Shape::Sphere { radius: 0.5 });
/// let mut rigid = Detector::new(vec![ball], vec![Mobility::Moving], &[]).unwrap();
/// let nodes = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
/// let square = DeformableSurface::new(1, 1, vec![[0, 1, 2], [0, 2, 3]]);
/// let mut surfaces = SurfaceDetector::new(vec![square], nodes.len(), &[]).unwrap();
/// let mut contacts = Vec::new();
/// rigid.detect(&[Pose::at(DVec3::new(0.75, 0.25, 0.625))], &[0.0], 0.15, &mut contacts);
/// surfaces.detect(&rigid, &[0.0], &nodes, &[0.0; 4], 0.15, &mut contacts);
/// let contact = contacts[0];
/// assert_eq!((contacts.len(), contact.colliders, contact.bodies), (1, [0, 1], [0, 1]));
/// assert_eq!((contact.gap, contact.normal), (0.125, -DVec3::Z));
/// assert_eq!(contact.points[1], DVec3::new(0.75, 0.25, 0.0));
/// assert_eq!(surfaces.triangle(contact.faces[1]), [0, 1, 2]);
/// ```
pub struct SurfaceDetector {
    surfaces: Vec<DeformableSurface>,
    topology: Topology,
    /// The surface of each triangle.
    surface_of: Vec<u32>,
    /// See [`Scene`](search::Scene); empty rows for surfaces that do not touch themselves.
    near: Vec<Vec<u32>>,
    /// Pairs of bodies that never touch, the smaller index first, sorted.
    excluded: Vec<(u32, u32)>,
    motion: Motion,
    search: Search,
    parallel: bool,
}

/// How far behind a triangle its surface is solid: half of its longest edge.
pub(crate) fn depth([a, b, c]: &[DVec3; 3]) -> f64 {
    0.5 * (*b - *a).length().max((*c - *b).length()).max((*a - *c).length())
}

impl SurfaceDetector {
    /// Prepares surfaces over so many nodes. Pairs of bodies in `excluded` never touch.
    ///
    /// # Errors
    /// A triangle or a margin that cannot be used, with the index of its surface.
    pub fn new(
        surfaces: Vec<DeformableSurface>,
        nodes: usize,
        excluded: &[(u32, u32)],
    ) -> Result<Self, (usize, ShapeError)> {
        for (index, surface) in surfaces.iter().enumerate() {
            check::check(surface, nodes).map_err(|error| (index, error))?;
        }
        let mut pairs: Vec<(u32, u32)> = excluded.iter().map(|&(a, b)| (a.min(b), a.max(b))).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let topology = Topology::new(surfaces.iter().map(|surface| &surface.triangles[..]), nodes);
        let surface_of = (0..).zip(&surfaces).flat_map(|(index, surface)| vec![index; surface.triangles.len()]);
        let mut near = Vec::with_capacity(topology.triangles.len());
        for surface in &surfaces {
            let (first, count) = (near.len() as u32, surface.triangles.len());
            if surface.touches_itself {
                near.extend(topology.within_two_rings(first..first + count as u32));
            } else {
                near.resize(near.len() + count, Vec::new());
            }
        }
        Ok(Self {
            near,
            surface_of: surface_of.collect(),
            motion: Motion::default(),
            search: Search::default(),
            topology,
            excluded: pairs,
            surfaces,
            parallel: true,
        })
    }

    /// The surfaces.
    #[must_use]
    pub fn surfaces(&self) -> &[DeformableSurface] {
        &self.surfaces
    }

    /// The nodes of a triangle; triangles are counted over all surfaces in order.
    ///
    /// # Panics
    /// If there is no such triangle, as for [`NO_FACE`](crate::NO_FACE).
    #[must_use]
    pub fn triangle(&self, face: u32) -> [u32; 3] {
        self.topology.triangles[face as usize]
    }

    /// Whether the threads of the present pool are used (the default) or one only. The contacts are the same, bit by bit.
    pub fn set_parallel(&mut self, parallel: bool) {
        self.parallel = parallel;
    }

    /// Appends every contact of the surfaces with gap < envelope + reach A + reach B, and sorts all of `contacts` by
    /// colliders and features. `rigid` has just detected at the poses of this step; `rigid_reach` has one entry a rigid
    /// body, `nodes` and `node_reach` one a node: where it is and how far it may travel in the step \[m\]. A triangle
    /// reaches as far as the farthest of its nodes. What comes out depends on these arguments alone. Nodes that are no
    /// numbers touch nothing.
    pub fn detect(
        &mut self,
        rigid: &Detector,
        rigid_reach: &[f64],
        nodes: &[DVec3],
        node_reach: &[f64],
        envelope: f64,
        contacts: &mut Vec<Contact>,
    ) {
        let count = self.topology.nodes();
        debug_assert!(nodes.len() >= count && node_reach.len() >= count);
        if nodes.len() < count || node_reach.len() < count {
            return;
        }
        let parallel = self.parallel && rayon::current_num_threads() > 1;
        let Self { surfaces, topology, surface_of, near, excluded, motion, search, .. } = self;
        motion.update(topology, surface_of, surfaces, nodes, node_reach, envelope);
        let scene = search::Scene {
            surfaces,
            topology,
            surface_of,
            near,
            excluded,
            motion,
            rigid,
            rigid_reach,
            nodes,
            node_reach,
            envelope,
        };
        let found = search.run(&scene, parallel);
        settle(found, contacts);
        contacts.sort_unstable_by(|a, b| {
            let key = (a.colliders, a.feature).cmp(&(b.colliders, b.feature));
            key.then(a.gap.total_cmp(&b.gap))
        });
    }
}

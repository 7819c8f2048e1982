//! The same contacts with parry's tree of boxes: leaves updated, tree refitted, overlapping leaves of the tree with itself.

use super::bed::Bed;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use signorini_collision::{Contact, NO_FACE};

/// How the tree follows its leaves.
#[derive(Clone, Copy)]
pub(super) enum Refit {
    /// `Bvh::refit`: the nodes are put in the order of the traversal as well.
    Ordered,
    /// `Bvh::refit_without_opt`.
    InPlace,
}

/// Contacts of spheres.
pub(super) struct TreeDetector {
    tree: Bvh,
    workspace: BvhWorkspace,
    refit: Refit,
    pairs: usize,
}

impl TreeDetector {
    pub(super) fn new(bed: &Bed, refit: Refit) -> Self {
        let leaves: Vec<Aabb> = (0..bed.poses.len()).map(|index| leaf(bed, index)).collect();
        let mut tree = Bvh::from_leaves(BvhBuildStrategy::Binned, &leaves);
        let mut workspace = BvhWorkspace::default();
        tree.refit(&mut workspace);
        Self { tree, workspace, refit, pairs: 0 }
    }

    pub(super) fn detect(&mut self, bed: &Bed, contacts: &mut Vec<Contact>) {
        for index in 0..bed.poses.len() {
            self.tree.insert_or_update_partially(leaf(bed, index), index as u32, 0.0);
        }
        match self.refit {
            Refit::Ordered => self.tree.refit(&mut self.workspace),
            Refit::InPlace => self.tree.refit_without_opt(),
        }
        contacts.clear();
        let mut pairs = 0;
        self.tree.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| {
            pairs += 1;
            let [a, b] = [a.min(b), a.max(b)];
            let [i, j] = [a as usize, b as usize];
            let between = bed.poses[j].position - bed.poses[i].position;
            let distance = between.length();
            let gap = distance - bed.radii[i] - bed.radii[j];
            if gap < bed.envelope + bed.reach[i] + bed.reach[j] {
                let normal = between / distance;
                let points =
                    [bed.poses[i].position + normal * bed.radii[i], bed.poses[j].position - normal * bed.radii[j]];
                contacts.push(Contact {
                    colliders: [a, b],
                    bodies: [a, b],
                    feature: 0,
                    faces: [NO_FACE; 2],
                    points,
                    normal,
                    gap,
                });
            }
        });
        self.pairs = pairs;
    }

    /// Overlapping boxes of the last step.
    pub(super) fn pairs(&self) -> usize {
        self.pairs
    }

    pub(super) fn bytes(&self) -> usize {
        self.tree.total_memory_size()
    }
}

fn leaf(bed: &Bed, index: usize) -> Aabb {
    let [x, y, z] = bed.poses[index].position.to_array();
    let half = bed.radii[index] + bed.reach[index] + bed.envelope / 2.0;
    Aabb::new(Vector::new(x - half, y - half, z - half), Vector::new(x + half, y + half, z + half))
}

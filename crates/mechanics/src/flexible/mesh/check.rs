//! Whether a mesh can be used.

use super::measure::{least_jacobian, longest_edge};
use super::{MeshError, VolumeMesh};
use crate::Vec3;

/// An element whose Jacobian is, at a node, below this part of the cube of its longest edge has no volume: 1e-10.
///
/// The Jacobian of a Tet4 is six times its volume. Rounding alone gives flat elements about 1e-16, slivers of poor but
/// usable meshes are above 1e-6.
pub const DEGENERATE: f64 = 1e-10;

/// The first thing found, and how often there is one like it.
struct Finding<T> {
    first: Option<T>,
    count: usize,
}

fn find<T>(found: impl Iterator<Item = T>) -> Finding<T> {
    let mut finding = Finding { first: None, count: 0 };
    for found in found {
        finding.first.get_or_insert(found);
        finding.count += 1;
    }
    finding
}

impl VolumeMesh {
    /// Checks everything: [`Self::check_references`], [`Self::check_shapes`], nodes of no element, and that the mesh is
    /// in one piece (see [`Self::components`] if it need not be).
    ///
    /// ```
    /// use signorini_mechanics::Vec3;
    /// use signorini_mechanics::flexible::mesh::{ElementKind, MeshError, box_mesh};
    /// let mut mesh = box_mesh(ElementKind::Tet4, Vec3::ONE, [2, 2, 2])?;
    /// mesh.elements.swap(4, 5);
    /// assert!(matches!(mesh.check(), Err(MeshError::Inverted { element: 1, count: 1, .. })));
    /// # Ok::<(), MeshError>(())
    /// ```
    ///
    /// # Errors
    /// The first kind of defect found, with the first thing that has it and how many have.
    pub fn check(&self) -> Result<(), MeshError> {
        self.check_references()?;
        self.check_shapes()?;
        self.check_unused()?;
        let components = self.components();
        match components.get(1) {
            Some(second) => Err(MeshError::Disconnected { pieces: components.len(), element: second[0] as usize }),
            None => Ok(()),
        }
    }
    /// Checks that there are elements, that coordinates are finite, that elements and sets name what exists, and elements
    /// no node twice. After this no function of the mesh panics.
    ///
    /// # Errors
    /// The first kind of defect found, with the first thing that has it and how many have.
    pub fn check_references(&self) -> Result<(), MeshError> {
        let nodes = self.kind.nodes();
        if !self.elements.len().is_multiple_of(nodes) {
            return Err(MeshError::PartOfElement { indices: self.elements.len(), nodes });
        }
        if self.elements.is_empty() {
            return Err(MeshError::Empty);
        }
        let infinite = find(self.nodes.iter().enumerate().filter(|(_, position)| !position.is_finite()));
        if let Some((node, &position)) = infinite.first {
            return Err(MeshError::NonFinite { node, position, count: infinite.count });
        }
        let beyond = |nodes: &[u32]| nodes.iter().copied().find(|&node| node as usize >= self.nodes.len());
        let outside = find(self.element_nodes().enumerate().filter_map(|(e, nodes)| Some((e, beyond(nodes)?))));
        if let Some((element, index)) = outside.first {
            return Err(MeshError::IndexOutOfRange { element, index, nodes: self.nodes.len(), count: outside.count });
        }
        let repeated = |nodes: &[u32]| (1..nodes.len()).find(|&k| nodes[..k].contains(&nodes[k])).map(|k| nodes[k]);
        let twice = find(self.element_nodes().enumerate().filter_map(|(e, nodes)| Some((e, repeated(nodes)?))));
        if let Some((element, node)) = twice.first {
            return Err(MeshError::RepeatedNode { element, node, count: twice.count });
        }
        self.check_sets()
    }
    fn check_sets(&self) -> Result<(), MeshError> {
        for (name, set) in &self.node_sets {
            let missing = find(set.iter().enumerate().filter(|(_, node)| **node as usize >= self.nodes.len()));
            if let Some((entry, node)) = missing.first {
                let found = format!("node {node}");
                let (name, count) = (name.clone(), missing.count);
                return Err(MeshError::SetEntry { what: "node set", name, entry, found, count });
            }
        }
        let (elements, faces) = (self.element_count(), self.kind.faces().len());
        for (name, set) in &self.face_sets {
            let is_missing = |entry: &(u32, u8)| entry.0 as usize >= elements || entry.1 as usize >= faces;
            let missing = find(set.iter().enumerate().filter(|(_, entry)| is_missing(entry)));
            if let Some((entry, (element, face))) = missing.first {
                let found = format!("face {face} of element {element}");
                let (name, count) = (name.clone(), missing.count);
                return Err(MeshError::SetEntry { what: "face set", name, entry, found, count });
            }
        }
        Ok(())
    }
    /// Checks that no element is inverted or flat: the Jacobian at its nodes, divided by the cube of its longest edge, is
    /// more than [`DEGENERATE`].
    ///
    /// # Errors
    /// The first such element and how many there are; inverted ones before flat ones.
    ///
    /// # Panics
    /// If an element names a node that does not exist.
    pub fn check_shapes(&self) -> Result<(), MeshError> {
        let mut x = [Vec3::ZERO; 10];
        let mut bad = Vec::new();
        for (element, nodes) in self.element_nodes().enumerate() {
            let x = self.gather(nodes, &mut x);
            // Scaled before it is multiplied: cubes of very large and very small lengths leave the range of numbers.
            let edge = longest_edge(self.kind, x);
            let mut scaled = [Vec3::ZERO; 10];
            for (scaled, position) in scaled.iter_mut().zip(x) {
                *scaled = (*position - x[0]) / edge;
            }
            let relative = least_jacobian(self.kind, &scaled[..x.len()]);
            // Not a number if all corners are in one place.
            let jacobian = if relative.is_nan() { 0.0 } else { relative };
            if jacobian <= DEGENERATE {
                bad.push((element, jacobian));
            }
        }
        let inverted = find(bad.iter().filter(|(_, jacobian)| *jacobian < -DEGENERATE));
        if let Some(&(element, jacobian)) = inverted.first {
            return Err(MeshError::Inverted { element, jacobian, count: inverted.count });
        }
        match bad.first() {
            Some(&(element, jacobian)) => Err(MeshError::ZeroVolume { element, jacobian, count: bad.len() }),
            None => Ok(()),
        }
    }
    fn check_unused(&self) -> Result<(), MeshError> {
        let mut used = vec![false; self.nodes.len()];
        for &node in &self.elements {
            used[node as usize] = true;
        }
        let unused = find(used.iter().enumerate().filter(|(_, used)| !**used));
        match unused.first {
            Some((node, _)) => Err(MeshError::UnusedNode { node, count: unused.count }),
            None => Ok(()),
        }
    }
}

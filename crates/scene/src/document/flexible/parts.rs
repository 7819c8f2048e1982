//! What links and loads name of a flexible body: its nodes, sets of them, and who holds which.

use glam::DVec3;
use signorini_mechanics::flexible::mesh::{FaceNodes, VolumeMesh};
use std::collections::BTreeMap;

/// Directions that are closer than this to a plane of others are none of their own.
const INDEPENDENT: f64 = 1e-6;

/// What holds a node.
#[derive(Clone, Debug, Default)]
enum Held {
    #[default]
    Free,
    /// Never moves.
    Fixed,
    /// In all directions, by the link of this name.
    Rigid(String),
    /// Along directions, by links whose names are beside them.
    Imposed(Vec<(DVec3, String)>),
}

/// What else a file says of a flexible body.
#[derive(Default)]
pub(crate) struct Parts {
    /// Where nodes start, in the world.
    pub(super) nodes: Vec<DVec3>,
    pub(super) node_sets: BTreeMap<String, Vec<u32>>,
    /// Faces by name.
    pub(super) face_sets: BTreeMap<String, Vec<FaceNodes>>,
    held: Vec<Held>,
}

/// Nodes that cannot be held, and why.
pub(super) struct HeldAlready {
    /// The first of them.
    pub(super) node: u32,
    pub(super) count: usize,
    pub(super) by: String,
}

impl Parts {
    pub(super) fn new(
        nodes: Vec<DVec3>,
        node_sets: BTreeMap<String, Vec<u32>>,
        face_sets: BTreeMap<String, Vec<FaceNodes>>,
    ) -> Self {
        let held = vec![Held::default(); nodes.len()];
        Self { nodes, node_sets, face_sets, held }
    }

    /// Those of a mesh whose references have been checked.
    pub(super) fn of(mesh: &VolumeMesh) -> Self {
        let faces = |name: &String| Some((name.clone(), mesh.faces_of_set(name).ok()?));
        let face_sets = mesh.face_sets.keys().filter_map(faces).collect();
        Self::new(mesh.nodes.clone(), mesh.node_sets.clone(), face_sets)
    }

    /// Remembers nodes that never move.
    pub(super) fn fix(&mut self, nodes: &[u32]) {
        nodes.iter().for_each(|&node| self.held[node as usize] = Held::Fixed);
    }

    /// Remembers that a link holds nodes in all directions.
    pub(super) fn hold(&mut self, nodes: &[u32], link: &str) -> Result<(), HeldAlready> {
        self.refuse(nodes, |held| match held {
            Held::Free => None,
            Held::Fixed => Some("`fixed`".into()),
            Held::Rigid(by) => Some(format!("link `{by}`")),
            Held::Imposed(all) => all.first().map(|(_, by)| format!("link `{by}`")),
        })?;
        nodes.iter().for_each(|&node| self.held[node as usize] = Held::Rigid(link.to_owned()));
        Ok(())
    }

    /// Remembers that a link imposes the motion of nodes along a direction.
    pub(super) fn impose(&mut self, nodes: &[u32], direction: DVec3, link: &str) -> Result<(), HeldAlready> {
        self.refuse(nodes, |held| match held {
            Held::Free => None,
            Held::Fixed => Some("`fixed`".into()),
            Held::Rigid(by) => Some(format!("link `{by}`")),
            Held::Imposed(all) => {
                let is_free = match all[..] {
                    [(a, _)] => a.cross(direction).length() > INDEPENDENT,
                    [(a, _), (b, _)] => a.cross(b).normalize_or_zero().dot(direction).abs() > INDEPENDENT,
                    _ => all.is_empty(),
                };
                if is_free { None } else { all.last().map(|(_, by)| format!("link `{by}`")) }
            }
        })?;
        for &node in nodes {
            match &mut self.held[node as usize] {
                Held::Imposed(all) => all.push((direction, link.to_owned())),
                other => *other = Held::Imposed(vec![(direction, link.to_owned())]),
            }
        }
        Ok(())
    }

    /// Nodes of a link that holds their mean alone: any but those that never move.
    pub(super) fn average(&self, nodes: &[u32]) -> Result<(), HeldAlready> {
        self.refuse(nodes, |held| matches!(held, Held::Fixed).then(|| "`fixed`".into()))
    }

    fn refuse(&self, nodes: &[u32], holder: impl Fn(&Held) -> Option<String>) -> Result<(), HeldAlready> {
        let mut bad = nodes.iter().filter_map(|&node| Some((node, holder(&self.held[node as usize])?)));
        match bad.next() {
            Some((node, by)) => Err(HeldAlready { node, by, count: 1 + bad.count() }),
            None => Ok(()),
        }
    }
}

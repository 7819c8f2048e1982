//! Which bodies each block touches.

use signorini_linalg::Halves;

/// Sets of vertices, one after the other.
#[derive(Default)]
pub(super) struct Cliques {
    start: Vec<usize>,
    pub(super) members: Vec<u32>,
}

impl Cliques {
    /// Becomes other sets, in the memory it has: `list(set, found)` names the members of one. A member named twice in a row is one.
    pub(super) fn update(&mut self, count: usize, halves: Halves, list: &(impl Fn(usize, &mut dyn FnMut(u32)) + Sync)) {
        let Self { start, members } = self;
        halves.starts(count, start, &|set| {
            let (mut size, mut last) = (0, None);
            list(set, &mut |vertex| {
                size += usize::from(last != Some(vertex));
                last = Some(vertex);
            });
            size
        });
        members.resize(start[count], 0);
        halves.parts(start, members, &|set, own| {
            let (mut at, mut last) = (0, None);
            list(set, &mut |vertex| {
                if last != Some(vertex) {
                    own[at] = vertex;
                    at += 1;
                }
                last = Some(vertex);
            });
        });
    }

    /// Members of a set.
    pub(super) fn of(&self, set: usize) -> &[u32] {
        &self.members[self.start[set]..self.start[set + 1]]
    }
    /// Number of sets.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }
}

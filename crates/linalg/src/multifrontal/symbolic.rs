//! The symbolic phase: elimination tree, supernodes, fronts, and where everything is stored.

use crate::{FactorError, Graph};

/// Fronts, storage and element positions of a factorisation; depends on the pattern alone.
#[derive(Debug)]
pub struct MultifrontalStructure {
    pub(super) dimension: usize,
    /// Position in elimination order of each row.
    pub(super) place: Vec<usize>,
    /// Supernodes, children before parents.
    pub(super) nodes: Vec<Node>,
    /// Disjoint parts of the tree that threads work on; the last one is the top of the tree.
    pub(super) regions: Vec<Region>,
    /// Local rows in its front of each element, elements in the order of their nodes.
    pub(super) element_rows: Vec<u32>,
    /// Largest front.
    pub(super) largest_front: usize,
    /// Rows of the largest element.
    pub(super) largest_element: usize,
}

/// A supernode.
#[derive(Debug)]
pub(super) struct Node {
    /// First pivot, in elimination order.
    pub(super) first: usize,
    /// Number of pivots.
    pub(super) pivots: usize,
    /// Rows below the pivots, in elimination order, ascending.
    pub(super) border: Vec<u32>,
    pub(super) children: Vec<usize>,
    /// Runs of border rows that are neighbours in the parent's front too: first row here, first row there, length.
    pub(super) in_parent: Vec<(u32, u32, u32)>,
    /// Where the columns of L start in the region's factor, `(pivots + border) × pivots`, column-major.
    pub(super) panel: usize,
    /// Where the update matrix starts in the region's work space, `border × border`, column-major.
    pub(super) update: usize,
    pub(super) region: usize,
    /// Elements assembled here: number, first entry in `element_rows`, count of rows.
    pub(super) elements: Vec<(u32, u32, u32)>,
}

/// Nodes worked on one after the other by one thread.
#[derive(Debug, Default)]
pub(super) struct Region {
    pub(super) nodes: Vec<usize>,
    pub(super) factor: usize,
    pub(super) work: usize,
}

/// Two adjacent supernodes are merged if together they have at most this many columns and less than this share of zeros.
const RELAX: [(usize, f64); 4] = [(6, 1.0), (18, 0.8), (48, 0.1), (usize::MAX, 0.05)];
/// A subtree with less than this share of the operations is one region.
const REGION_SHARE: f64 = 0.25;

const NONE: usize = usize::MAX;

impl MultifrontalStructure {
    /// Analyses the matrix whose rows belong to the vertices of `graph` (consecutive, as many as its weight) and whose
    /// elements touch the given rows; `order[k]` is the vertex eliminated k-th. Rows of one element must belong to
    /// vertices that are joined in the graph.
    ///
    /// # Errors
    /// [`FactorError::Structure`] if a row is out of range or an element joins vertices the graph does not.
    pub fn analyse<'a>(
        graph: &Graph,
        order: &[usize],
        elements: impl IntoIterator<Item = &'a [usize]>,
    ) -> Result<Self, FactorError> {
        let start = graph.row_start();
        let tree = Tree::new(graph, order);
        let mut place = vec![0; start[graph.vertices()]];
        let mut next = 0;
        let mut block_place = Vec::with_capacity(graph.vertices() + 1);
        for &vertex in &tree.order {
            block_place.push(next);
            for row in start[vertex]..start[vertex + 1] {
                place[row] = next;
                next += 1;
            }
        }
        block_place.push(next);
        let mut nodes = tree.supernodes(graph, &block_place);
        let regions = assign_regions(&mut nodes);
        let mut this = Self {
            dimension: next,
            place,
            largest_front: nodes.iter().map(|node| node.pivots + node.border.len()).max().unwrap_or(0),
            nodes,
            regions,
            element_rows: Vec::new(),
            largest_element: 0,
        };
        this.place_elements(elements)?;
        Ok(this)
    }

    /// Order of the matrix.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Number of values stored for the factor.
    #[must_use]
    pub fn factor_entries(&self) -> usize {
        self.regions.iter().map(|region| region.factor).sum()
    }

    /// Multiplications and additions of one factorisation, to leading order.
    #[must_use]
    pub fn flops(&self) -> f64 {
        self.nodes.iter().map(Node::flops).sum()
    }

    fn place_elements<'a>(&mut self, elements: impl IntoIterator<Item = &'a [usize]>) -> Result<(), FactorError> {
        let mut node_of = vec![0_usize; self.dimension];
        for (s, node) in self.nodes.iter().enumerate() {
            node_of[node.first..node.first + node.pivots].fill(s);
        }
        let mut assigned: Vec<Vec<(u32, u32, u32)>> = self.nodes.iter().map(|_| Vec::new()).collect();
        for (number, rows) in elements.into_iter().enumerate() {
            let bad = |row: usize| FactorError::Structure { column: row };
            if let Some(&row) = rows.iter().find(|row| **row >= self.dimension) {
                return Err(bad(row));
            }
            let Some(first) = rows.iter().map(|&row| self.place[row]).min() else { continue };
            let s = node_of[first];
            let node = &self.nodes[s];
            let begin = self.element_rows.len();
            for &row in rows {
                let place = self.place[row];
                let local = match place < node.first + node.pivots {
                    true => place - node.first,
                    false => node.pivots + node.border.binary_search(&(place as u32)).map_err(|_| bad(row))?,
                };
                self.element_rows.push(local as u32);
            }
            assigned[s].push((number as u32, begin as u32, rows.len() as u32));
            self.largest_element = self.largest_element.max(rows.len());
        }
        // Rows and positions are kept in 32 bits.
        if self.element_rows.len() > u32::MAX as usize || self.dimension > u32::MAX as usize {
            return Err(FactorError::Memory);
        }
        for (node, elements) in self.nodes.iter_mut().zip(assigned) {
            node.elements = elements;
        }
        Ok(())
    }
}

impl Node {
    fn flops(&self) -> f64 {
        let (p, b) = (self.pivots as f64, self.border.len() as f64);
        p * p * p / 3.0 + p * p * b + p * b * b
    }
}

/// The elimination tree of the vertices, in a postorder of the given order.
struct Tree {
    /// Vertex eliminated k-th.
    order: Vec<usize>,
    position: Vec<usize>,
    /// Parent by position.
    parent: Vec<usize>,
}

impl Tree {
    fn new(graph: &Graph, order: &[usize]) -> Self {
        let parent = elimination_tree(graph, order);
        let n = order.len();
        // Postorder, children in their order: depth first from every root.
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut stack = Vec::new();
        for k in (0..n).rev() {
            if parent[k] == NONE { stack.push((k, 0)) } else { children[parent[k]].push(k) }
        }
        // `children` were pushed in descending order.
        let mut post = Vec::with_capacity(n);
        while let Some((k, visited)) = stack.pop() {
            match children[k].len() - visited {
                0 => post.push(k),
                left => {
                    stack.push((k, visited + 1));
                    stack.push((children[k][left - 1], 0));
                }
            }
        }
        let mut new_position = vec![0; n];
        for (new, &old) in post.iter().enumerate() {
            new_position[old] = new;
        }
        let parent =
            post.iter().map(|&old| if parent[old] == NONE { NONE } else { new_position[parent[old]] }).collect();
        let order: Vec<usize> = post.iter().map(|&old| order[old]).collect();
        let mut position = vec![0; n];
        for (k, &vertex) in order.iter().enumerate() {
            position[vertex] = k;
        }
        Self { order, position, parent }
    }

    /// Supernodes with their borders in scalar rows.
    fn supernodes(&self, graph: &Graph, block_place: &[usize]) -> Vec<Node> {
        let n = self.order.len();
        let weight = |k: usize| block_place[k + 1] - block_place[k];
        // Border of every vertex as positions: neighbours eliminated later, and the borders of its children.
        let mut borders: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut child_count = vec![0_usize; n];
        let mut mark = vec![NONE; n];
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); n];
        for k in 0..n {
            let mut border = Vec::new();
            mark[k] = k;
            let later =
                graph.neighbours(self.order[k]).iter().map(|&vertex| self.position[vertex]).filter(|at| *at > k);
            for at in later.chain(children[k].iter().flat_map(|&child| borders[child].iter().copied())) {
                if mark[at] != k {
                    mark[at] = k;
                    border.push(at);
                }
            }
            border.sort_unstable();
            borders[k] = border;
            if self.parent[k] != NONE {
                children[self.parent[k]].push(k);
                child_count[self.parent[k]] += 1;
            }
        }
        // Groups of consecutive positions; a group absorbs the one before it when that is its child and merging pays.
        let mut groups: Vec<Group> = Vec::new();
        for k in 0..n {
            let rows = weight(k) + borders[k].iter().map(|&at| weight(at)).sum::<usize>();
            let mut group = Group { first: k, last: k, columns: weight(k), rows, zeros: 0.0 };
            while let Some(child) = groups.last() {
                let is_child = self.parent[child.last] != NONE
                    && self.parent[child.last] <= group.last
                    && self.parent[child.last] >= group.first;
                match is_child.then(|| child.merged(&group)).flatten() {
                    Some(merged) => {
                        group = merged;
                        groups.pop();
                    }
                    None => break,
                }
            }
            groups.push(group);
        }
        self.finish(&groups, &borders, block_place)
    }

    fn finish(&self, groups: &[Group], borders: &[Vec<usize>], block_place: &[usize]) -> Vec<Node> {
        let mut group_of = vec![0_usize; self.order.len()];
        for (s, group) in groups.iter().enumerate() {
            group_of[group.first..=group.last].fill(s);
        }
        let mut nodes: Vec<Node> = groups
            .iter()
            .map(|group| {
                // The border of a supernode is that of its last vertex: its ancestors contain the others'.
                let border = borders[group.last]
                    .iter()
                    .flat_map(|&at| block_place[at]..block_place[at + 1])
                    .map(|row| row as u32)
                    .collect();
                Node {
                    first: block_place[group.first],
                    pivots: block_place[group.last + 1] - block_place[group.first],
                    border,
                    children: Vec::new(),
                    in_parent: Vec::new(),
                    panel: 0,
                    update: 0,
                    region: 0,
                    elements: Vec::new(),
                }
            })
            .collect();
        for s in 0..nodes.len() {
            let parent = self.parent[groups[s].last];
            if parent == NONE {
                continue;
            }
            let parent = group_of[parent];
            let (first, pivots) = (nodes[parent].first, nodes[parent].pivots);
            let parent_border = &nodes[parent].border;
            let mut at = 0;
            let mut runs: Vec<(u32, u32, u32)> = Vec::new();
            for (here, &row) in nodes[s].border.iter().enumerate() {
                let there = if (row as usize) < first + pivots {
                    row - first as u32
                } else {
                    // Both lists ascend and the parent's contains this one's.
                    while parent_border[at] < row {
                        at += 1;
                    }
                    (pivots + at) as u32
                };
                match runs.last_mut() {
                    // A run stays on one side of the last pivot, where the storage changes.
                    Some((_, to, length)) if *to + *length == there && there as usize != pivots => *length += 1,
                    _ => runs.push((here as u32, there, 1)),
                }
            }
            nodes[s].in_parent = runs;
            nodes[parent].children.push(s);
        }
        nodes
    }
}

/// Consecutive vertices of the tree that form one supernode.
#[derive(Clone)]
struct Group {
    first: usize,
    last: usize,
    /// Scalar columns.
    columns: usize,
    /// Scalar rows of the front.
    rows: usize,
    /// Entries of the panel that are zero, from earlier merges.
    zeros: f64,
}

impl Group {
    /// This group and its parent `next` as one, if that wastes little.
    fn merged(&self, next: &Self) -> Option<Self> {
        let columns = self.columns + next.columns;
        let rows = self.columns + next.rows;
        // Columns of the child grow from its own rows to those of the merged front.
        let added = self.columns as f64 * (rows - self.rows) as f64;
        let zeros = self.zeros + next.zeros + added;
        let entries = columns as f64 * (rows as f64 - 0.5 * columns as f64);
        let pays = RELAX.iter().any(|&(most, share)| columns <= most && zeros < share * entries) || added == 0.0;
        pays.then_some(Self { first: self.first, last: next.last, columns, rows, zeros })
    }
}

fn elimination_tree(graph: &Graph, order: &[usize]) -> Vec<usize> {
    let n = order.len();
    let mut position = vec![0; n];
    for (k, &vertex) in order.iter().enumerate() {
        position[vertex] = k;
    }
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for (k, &vertex) in order.iter().enumerate() {
        for &neighbour in graph.neighbours(vertex) {
            let mut at = position[neighbour];
            // Climb to the root of the subtree found so far, with path compression [Liu 1986].
            while at < k {
                let next = ancestor[at];
                ancestor[at] = k;
                if next == NONE {
                    parent[at] = k;
                    break;
                }
                at = next;
            }
        }
    }
    parent
}

/// Cuts the tree into subtrees of limited work and the top, and lays out their storage.
fn assign_regions(nodes: &mut [Node]) -> Vec<Region> {
    let mut work: Vec<f64> = nodes.iter().map(Node::flops).collect();
    for s in 0..nodes.len() {
        work[s] += nodes[s].children.iter().map(|&child| work[child]).sum::<f64>();
    }
    let limit = REGION_SHARE * nodes.iter().map(Node::flops).sum::<f64>();
    let mut in_subtree = vec![NONE; nodes.len()];
    let mut regions: Vec<Region> = Vec::new();
    // Parents come after children: going down from the end, a node is a subtree root if its parent is not in one.
    for s in (0..nodes.len()).rev() {
        if in_subtree[s] == NONE && work[s] <= limit {
            in_subtree[s] = regions.len();
            regions.push(Region::default());
        }
        if in_subtree[s] != NONE {
            for child in nodes[s].children.clone() {
                in_subtree[child] = in_subtree[s];
            }
        }
    }
    let top = regions.len();
    regions.push(Region::default());
    for s in 0..nodes.len() {
        let region = if in_subtree[s] == NONE { top } else { in_subtree[s] };
        nodes[s].region = region;
        regions[region].nodes.push(s);
    }
    for region in 0..regions.len() {
        lay_out(nodes, &mut regions[region], region);
    }
    regions
}

/// Offsets of panels and update matrices; the space of an update is free again once its parent has gathered it.
fn lay_out(nodes: &mut [Node], region: &mut Region, index: usize) {
    let mut free = FreeList::default();
    for &s in &region.nodes {
        let (pivots, border) = (nodes[s].pivots, nodes[s].border.len());
        nodes[s].panel = region.factor;
        region.factor += (pivots + border) * pivots;
        nodes[s].update = free.take(border * border);
        for child in nodes[s].children.clone() {
            if nodes[child].region == index {
                free.give(nodes[child].update, nodes[child].border.len().pow(2));
            }
        }
    }
    region.work = free.end;
}

/// First-fit allocation of ranges, simulated once.
#[derive(Default)]
struct FreeList {
    gaps: Vec<(usize, usize)>,
    end: usize,
}

impl FreeList {
    fn take(&mut self, size: usize) -> usize {
        if size == 0 {
            return 0;
        }
        if let Some(at) = self.gaps.iter().position(|&(_, gap)| gap >= size) {
            let (start, gap) = self.gaps[at];
            if gap == size {
                _ = self.gaps.remove(at)
            } else {
                self.gaps[at] = (start + size, gap - size)
            }
            return start;
        }
        // A gap at the end can grow.
        if let Some(&(start, gap)) = self.gaps.last()
            && start + gap == self.end
        {
            self.gaps.pop();
            self.end = start + size;
            return start;
        }
        self.end += size;
        self.end - size
    }

    fn give(&mut self, start: usize, size: usize) {
        if size == 0 {
            return;
        }
        let at = self.gaps.partition_point(|&(first, _)| first < start);
        self.gaps.insert(at, (start, size));
        if at + 1 < self.gaps.len() && start + size == self.gaps[at + 1].0 {
            self.gaps[at].1 += self.gaps.remove(at + 1).1;
        }
        if at > 0 && self.gaps[at - 1].0 + self.gaps[at - 1].1 == start {
            self.gaps[at - 1].1 += self.gaps.remove(at).1;
        }
    }
}

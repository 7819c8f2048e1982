//! LU of small saddle-point matrices made of dense groups: bodies with their rows, as mechanisms have them.
//!
//! The pattern is symmetric, the values need not be. Groups are eliminated in an order that is found once (least degree first), each in a dense front
//! with partial pivoting among its own rows. A *late* group, the rows of a joint, has nothing on its diagonal before its bodies are gone: it
//! waits for all of them.
//!
//! ```text
//! front of a group:  [ A_gg  A_gr ]      g its own unknowns, r those of later groups that meet it
//!                    [ A_rg  ·    ]  →   A_rr − A_rg A_gg⁻¹ A_gr is added to the front of the first group in r
//! ```
//!
//! For tens of unknowns this is several times as fast as a general sparse factorisation, which looks for pivots and fill every time.

use crate::dot::dot;
use crate::factor::FactorError;
use std::collections::BTreeSet;

/// A factor and the memory it is made in again and again.
#[derive(Clone, Debug)]
pub struct GroupLu {
    fronts: Vec<Front>,
    /// Front of every group.
    front_of: Vec<usize>,
    /// First unknown of every group, and the number of all.
    start: Vec<usize>,
    values: Vec<f64>,
    /// Row that was swapped into the place of every pivot, within its front.
    pivots: Vec<u32>,
    room: Vec<f64>,
}

/// A dense matrix in which one group is eliminated.
#[derive(Clone, Debug)]
struct Front {
    /// Number of pivots.
    own: usize,
    /// Unknowns: its own first, then those of later groups, ascending in the order of elimination.
    unknowns: Vec<u32>,
    /// Where its values begin.
    first: usize,
    /// Where its pivots begin.
    first_pivot: usize,
    /// The front its remainder is added to, and the places of its later unknowns there.
    parent: Option<(usize, Vec<u32>)>,
}

/// A group of unknowns that are eliminated together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Group {
    /// Number of unknowns.
    pub size: usize,
    /// Whether it waits for all its neighbours that are not late.
    pub is_late: bool,
}

impl GroupLu {
    /// Finds an order for groups, whose unknowns are numbered one group after the other, with these pairs of neighbours.
    #[must_use]
    pub fn analyse(groups: &[Group], edges: &[(usize, usize)]) -> Self {
        let count = groups.len();
        let mut start = vec![0];
        for group in groups {
            start.push(start[start.len() - 1] + group.size);
        }
        let order = order(groups, edges);
        let mut place = vec![0; count];
        order.iter().enumerate().for_each(|(at, (group, _))| place[*group] = at);
        let (mut fronts, mut first, mut first_pivot) = (Vec::with_capacity(count), 0, 0);
        for (group, later) in &order {
            let mut later = later.clone();
            later.sort_by_key(|other| place[*other]);
            let of = |group: usize| (start[group]..start[group + 1]).map(|unknown| unknown as u32);
            let unknowns: Vec<u32> = of(*group).chain(later.iter().flat_map(|other| of(*other))).collect();
            let size = unknowns.len();
            let parent = later.first().map(|other| (place[*other], Vec::new()));
            fronts.push(Front { own: groups[*group].size, unknowns, first, first_pivot, parent });
            first += size * size;
            first_pivot += groups[*group].size;
        }
        for at in 0..count {
            if let Some((parent, _)) = fronts[at].parent {
                let later = &fronts[at].unknowns[fronts[at].own..];
                let places = later.iter().map(|unknown| fronts[parent].position(*unknown)).collect();
                fronts[at].parent = Some((parent, places));
            }
        }
        let unknowns = start[count];
        Self {
            fronts,
            front_of: place,
            start,
            values: vec![0.0; first],
            pivots: vec![0; first_pivot],
            room: vec![0.0; unknowns],
        }
    }

    /// Number of unknowns.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.room.len()
    }

    /// Where an entry of the matrix is written to. Its row and column must belong to the same group or to neighbours.
    #[must_use]
    pub fn slot(&self, row: usize, column: usize) -> usize {
        let group = |unknown: usize| self.start.partition_point(|first| *first <= unknown) - 1;
        let front = &self.fronts[self.front_of[group(row)].min(self.front_of[group(column)])];
        let (i, j) = (front.position(row as u32), front.position(column as u32));
        front.first + i as usize * front.unknowns.len() + j as usize
    }

    /// The values of the matrix, all zero, to be written before [`GroupLu::factorise`].
    pub fn cleared(&mut self) -> &mut [f64] {
        self.values.fill(0.0);
        &mut self.values
    }

    /// Eliminates all groups.
    ///
    /// # Errors
    /// A pivot that is zero or not finite.
    pub fn factorise(&mut self) -> Result<(), FactorError> {
        let Self { fronts, values, pivots, .. } = self;
        for front in fronts.iter() {
            let (size, end) = (front.unknowns.len(), front.first + front.unknowns.len().pow(2));
            let (before, later) = values.split_at_mut(end);
            let a = &mut before[front.first..];
            eliminate(a, size, front.own, &mut pivots[front.first_pivot..front.first_pivot + front.own])
                .map_err(|k| FactorError::Pivot { pivot: front.unknowns[k] as usize })?;
            if let Some((parent, places)) = &front.parent {
                let parent = &fronts[*parent];
                let width = parent.unknowns.len();
                let to = &mut later[parent.first - end..];
                for (i, row) in places.iter().zip(a[front.own * size..].chunks_exact(size)) {
                    let line = &mut to[*i as usize * width..(*i as usize + 1) * width];
                    places.iter().zip(&row[front.own..]).for_each(|(j, value)| line[*j as usize] += value);
                }
            }
        }
        Ok(())
    }

    /// Replaces `rhs` by A⁻¹ rhs.
    pub fn solve_in_place(&mut self, rhs: &mut [f64]) {
        let Self { fronts, values, pivots, room, .. } = self;
        for front in fronts.iter() {
            let (size, own) = (front.unknowns.len(), front.own);
            let a = &values[front.first..front.first + size * size];
            let x = &mut room[..size];
            x.iter_mut().zip(&front.unknowns).for_each(|(x, unknown)| *x = rhs[*unknown as usize]);
            for (k, pivot) in pivots[front.first_pivot..front.first_pivot + own].iter().enumerate() {
                x.swap(k, *pivot as usize);
            }
            for (i, line) in a.chunks_exact(size).enumerate().take(own) {
                x[i] -= dot(&line[..i], &x[..i]);
            }
            let (x, later) = x.split_at_mut(own);
            // Bodies have six unknowns, joints mostly three or five: sums of a length that is known are several times as fast.
            match own {
                6 => subtract_product::<6>(&a[own * size..], size, x, later),
                5 => subtract_product::<5>(&a[own * size..], size, x, later),
                3 => subtract_product::<3>(&a[own * size..], size, x, later),
                _ => {
                    let lines = a[own * size..].chunks_exact(size);
                    later.iter_mut().zip(lines).for_each(|(later, line)| *later -= dot(&line[..own], x));
                }
            }
            let x = &room[..size];
            x.iter().zip(&front.unknowns).for_each(|(x, unknown)| rhs[*unknown as usize] = *x);
        }
        for front in fronts.iter().rev() {
            let (size, own) = (front.unknowns.len(), front.own);
            let a = &values[front.first..front.first + size * size];
            let x = &mut room[..size];
            x.iter_mut().zip(&front.unknowns).for_each(|(x, unknown)| *x = rhs[*unknown as usize]);
            for k in (0..own).rev() {
                let line = &a[k * size..(k + 1) * size];
                x[k] = (x[k] - dot(&line[k + 1..], &x[k + 1..])) / line[k];
            }
            x[..own].iter().zip(&front.unknowns).for_each(|(x, unknown)| rhs[*unknown as usize] = *x);
        }
    }
}

/// `later` −= L x, with the N entries that lines of `size` begin with.
fn subtract_product<const N: usize>(lines: &[f64], size: usize, x: &[f64], later: &mut [f64]) {
    let Some(x) = x.first_chunk::<N>() else { return };
    for (later, line) in later.iter_mut().zip(lines.chunks_exact(size)) {
        let Some(line) = line.first_chunk::<N>() else { return };
        let mut sums = [0.0; 2];
        (0..N).for_each(|k| sums[k % 2] += line[k] * x[k]);
        *later -= sums[0] + sums[1];
    }
}

impl Front {
    fn position(&self, unknown: u32) -> u32 {
        match self.unknowns.iter().position(|own| *own == unknown) {
            Some(at) => at as u32,
            None => unreachable!("an entry between groups that are no neighbours"),
        }
    }
}

/// Eliminates the first `own` unknowns of a dense matrix with pivots among their rows; the first unusable pivot as an error.
fn eliminate(a: &mut [f64], size: usize, own: usize, pivots: &mut [u32]) -> Result<(), usize> {
    for k in 0..own {
        let largest = (k..own)
            .map(|i| (a[i * size + k].abs(), i))
            .fold((0.0, k), |best, next| if next.0 > best.0 { next } else { best });
        let (value, pivot) = largest;
        if value == 0.0 || !value.is_finite() {
            return Err(k);
        }
        pivots[k] = pivot as u32;
        if pivot != k {
            let (above, below) = a.split_at_mut(pivot * size);
            above[k * size..(k + 1) * size].swap_with_slice(&mut below[..size]);
        }
        let (above, below) = a.split_at_mut((k + 1) * size);
        let line = &above[k * size..];
        let inverse = line[k].recip();
        for row in below.chunks_exact_mut(size).take(size - k - 1) {
            if row[k] == 0.0 {
                continue;
            }
            let factor = row[k] * inverse;
            row[k] = factor;
            row[k + 1..].iter_mut().zip(&line[k + 1..]).for_each(|(entry, pivot)| *entry -= factor * pivot);
        }
    }
    Ok(())
}

/// An order of elimination: every group with its later neighbours, fill included.
fn order(groups: &[Group], edges: &[(usize, usize)]) -> Vec<(usize, Vec<usize>)> {
    let count = groups.len();
    let mut neighbours = vec![BTreeSet::new(); count];
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        neighbours[a].insert(b);
        neighbours[b].insert(a);
    }
    // How many neighbours a late group still waits for.
    let waits = |group: usize| neighbours[group].iter().filter(|other| !groups[**other].is_late).count();
    let mut waiting: Vec<usize> = (0..count).map(|g| if groups[g].is_late { waits(g) } else { 0 }).collect();
    let waits_for: Vec<Vec<usize>> = (0..count)
        .map(|g| match groups[g].is_late {
            true => Vec::new(),
            false => neighbours[g].iter().copied().filter(|other| groups[*other].is_late).collect(),
        })
        .collect();
    let degree = |group: usize, neighbours: &[BTreeSet<usize>]| -> usize {
        neighbours[group].iter().map(|other| groups[*other].size).sum()
    };
    let mut degrees: Vec<usize> = (0..count).map(|group| degree(group, &neighbours)).collect();
    let mut ready: BTreeSet<(usize, usize)> =
        (0..count).filter(|group| waiting[*group] == 0).map(|group| (degrees[group], group)).collect();
    let mut order = Vec::with_capacity(count);
    while let Some((_, group)) = ready.pop_first() {
        let later: Vec<usize> = std::mem::take(&mut neighbours[group]).into_iter().collect();
        for &a in &later {
            neighbours[a].remove(&group);
            neighbours[a].extend(later.iter().copied().filter(|b| *b != a));
        }
        for &other in &waits_for[group] {
            waiting[other] -= 1;
        }
        for &other in later.iter().chain(&waits_for[group]) {
            if waiting[other] == 0 {
                ready.remove(&(degrees[other], other));
                degrees[other] = degree(other, &neighbours);
                ready.insert((degrees[other], other));
            }
        }
        order.push((group, later));
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers in [−1, 1] from a fixed sequence.
    fn numbers() -> impl FnMut() -> f64 {
        let mut state = 1_u64;
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// A mechanism: bodies of six unknowns, joints with rows between pairs of them.
    fn mechanism(bodies: usize, joints: &[(usize, usize, usize)]) -> (Vec<Group>, Vec<(usize, usize)>) {
        let mut groups = vec![Group { size: 6, is_late: false }; bodies];
        let mut edges = Vec::new();
        for &(a, b, rows) in joints {
            let joint = groups.len();
            groups.push(Group { size: rows, is_late: true });
            edges.extend([(a, joint), (b, joint), (a, b)]);
        }
        (groups, edges)
    }

    #[test]
    fn chains_loops_and_stars_are_solved_as_dense_matrices_are() {
        let chain: Vec<_> = (0..7).map(|k| (k, k + 1, 5)).collect();
        let mut ring = chain.clone();
        ring.push((7, 0, 3));
        let star: Vec<_> = (1..6).map(|k| (0, k, 3)).collect();
        for (bodies, joints) in [(8, chain), (8, ring), (6, star), (2, vec![(0, 1, 6)]), (1, vec![(0, 0, 5)])] {
            let (groups, edges) = mechanism(bodies, &joints);
            let mut lu = GroupLu::analyse(&groups, &edges);
            let n = lu.dimension();
            let mut next = numbers();
            for _ in 0..2 {
                let mut dense = vec![0.0; n * n];
                let mut entries = Vec::new();
                let start: Vec<usize> = (0..groups.len()).map(|g| groups[..g].iter().map(|g| g.size).sum()).collect();
                for (g, group) in groups.iter().enumerate() {
                    for i in 0..group.size {
                        for j in 0..group.size {
                            let unit = if i == j { 4.0 } else { 0.0 };
                            let value = if group.is_late { 1e-9 * unit } else { unit + next() };
                            entries.push((start[g] + i, start[g] + j, value));
                        }
                    }
                }
                for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
                    let size = if groups[b].is_late { 1.0 } else { 0.1 };
                    for i in 0..groups[a].size {
                        for j in 0..groups[b].size {
                            let (row, column, value) = (start[a] + i, start[b] + j, size * next());
                            let sign = if groups[b].is_late { -1.0 } else { 1.0 };
                            entries.extend([(row, column, sign * value), (column, row, value + 0.05 * next())]);
                        }
                    }
                }
                let slots: Vec<usize> = entries.iter().map(|(i, j, _)| lu.slot(*i, *j)).collect();
                let values = lu.cleared();
                for (slot, (i, j, value)) in slots.iter().zip(&entries) {
                    values[*slot] += value;
                    dense[i * n + j] += value;
                }
                lu.factorise().unwrap();
                let expected: Vec<f64> = (0..n).map(|_| next()).collect();
                let mut x: Vec<f64> =
                    dense.chunks_exact(n).map(|row| row.iter().zip(&expected).map(|(a, x)| a * x).sum()).collect();
                lu.solve_in_place(&mut x);
                let error = x.iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(error < 1e-9, "{bodies} bodies: {error:e}");
            }
        }
    }

    #[test]
    fn a_matrix_without_a_pivot_is_named() {
        let (groups, edges) = mechanism(1, &[(0, 0, 1)]);
        let mut lu = GroupLu::analyse(&groups, &edges);
        let slots: Vec<usize> = (0..5).map(|k| lu.slot(k, k)).collect();
        let values = lu.cleared();
        slots.iter().for_each(|slot| values[*slot] = 2.0);
        assert!(matches!(lu.factorise(), Err(FactorError::Pivot { pivot: 5 })));
    }

    #[test]
    fn a_chain_needs_room_that_grows_with_its_length() {
        let room = |links: usize| {
            let joints: Vec<_> = (0..links - 1).map(|k| (k, k + 1, 5)).collect();
            let (groups, edges) = mechanism(links, &joints);
            GroupLu::analyse(&groups, &edges).values.len()
        };
        assert!(room(200) < 5 * room(50), "{} {}", room(200), room(50));
    }
}

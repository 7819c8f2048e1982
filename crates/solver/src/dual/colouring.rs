//! Blocks sorted into colours, so that no two of a colour act on each other: they may change at the same time.
//!
//! Greedy in the order of the blocks: each gets the first colour that none of its neighbours has. A contact of two bodies
//! with at most d contacts each gets one of the first 2d − 1. A body with very many contacts needs as many colours as it has
//! contacts; most of those hold a few blocks only and are then as good as visited one after the other.

use super::DualProblem;
use super::explicit::BlockMatrix;

/// The blocks colour by colour.
#[derive(Default)]
pub(crate) struct Colouring {
    /// Blocks of the first colour, then of the second, …; ascending within a colour.
    pub(crate) order: Vec<u32>,
    /// Where each colour begins in `order`, and its end.
    pub(crate) start: Vec<usize>,
}

impl Colouring {
    /// Number of colours.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Sorts blocks by colour; the sort is stable.
    fn sort(&mut self, colours: &[u32], fill: &mut Vec<usize>) {
        let Self { order, start } = self;
        let count = colours.iter().max().map_or(0, |most| *most as usize + 1);
        start.clear();
        start.resize(count + 1, 0);
        colours.iter().for_each(|&colour| start[colour as usize + 1] += 1);
        for colour in 0..count {
            start[colour + 1] += start[colour];
        }
        fill.clone_from(start);
        order.clear();
        order.resize(colours.len(), 0);
        for (block, &colour) in colours.iter().enumerate() {
            order[fill[colour as usize]] = block as u32;
            fill[colour as usize] += 1;
        }
    }
}

/// Colours for blocks one after the other, with the room that takes.
#[derive(Default)]
pub(crate) struct Greedy {
    /// The colours of a body: the first 64 as bits, the rest in `more`.
    low: Vec<u64>,
    more: Vec<Colours>,
    taken: Colours,
    colours: Vec<u32>,
    fill: Vec<usize>,
}

/// A set of colours, one bit each.
#[derive(Clone, Default)]
struct Colours(Vec<u64>);

impl Colours {
    fn insert(&mut self, colour: u32) {
        let word = colour as usize / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (colour % 64);
    }
    fn unite(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a |= b);
    }
    fn first_missing(&self) -> u32 {
        let full = self.0.iter().take_while(|word| **word == u64::MAX).count();
        64 * full as u32 + self.0.get(full).map_or(0, |word| word.trailing_ones())
    }
}

impl Greedy {
    /// Colours such that no two blocks of one touch the same body.
    pub(super) fn colour<I: Iterator<Item = usize>>(
        &mut self,
        blocks: usize,
        bodies: usize,
        bodies_of: impl Fn(usize) -> I,
        out: &mut Colouring,
    ) {
        let Self { low, more, taken, colours, fill } = self;
        low.clear();
        low.resize(bodies, 0);
        // Bodies with more than 64 colours are few: their sets are kept for the next time, emptied.
        more.iter_mut().for_each(|set| set.0.clear());
        colours.clear();
        for block in 0..blocks {
            let free = !bodies_of(block).fold(0, |taken, body| taken | low[body]);
            let colour = if free != 0 {
                free.trailing_zeros()
            } else {
                taken.0.clear();
                bodies_of(block).filter(|&body| body < more.len()).for_each(|body| taken.unite(&more[body]));
                64 + taken.first_missing()
            };
            for body in bodies_of(block) {
                if colour < 64 {
                    low[body] |= 1 << colour;
                } else {
                    if more.len() <= body {
                        more.resize(body + 1, Colours::default());
                    }
                    more[body].insert(colour - 64);
                }
            }
            colours.push(colour);
        }
        out.sort(colours, fill);
    }

    /// Colours such that no two blocks of one are coupled in a matrix.
    pub(crate) fn colour_matrix(&mut self, matrix: &BlockMatrix, out: &mut Colouring) {
        let Self { taken, colours, fill, .. } = self;
        colours.clear();
        for block in 0..matrix.len() {
            taken.0.clear();
            // The couplings of a row are in ascending order: those before the block have a colour.
            matrix.row(block).map_while(|(other, _)| colours.get(other)).for_each(|&colour| taken.insert(colour));
            colours.push(taken.first_missing());
        }
        out.sort(colours, fill);
    }

    /// Colours such that no two blocks of one touch the same body, where [`DualProblem::is_local`].
    pub(crate) fn colour_dual(&mut self, dual: &DualProblem, out: &mut Colouring) {
        self.colour(dual.blocks(), dual.bodies(), |block| dual.bodies_of(block), out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delassus::Delassus;
    use crate::dual::Arrangement;
    use crate::family::{Chain, Net, RandomProblem, SpherePacking};
    use crate::{Cone, ConeProblem};
    use signorini_linalg::Threads;

    /// Every block has one colour, and blocks of a colour are not coupled in N, which is written out by other code.
    fn check(problem: &ConeProblem) -> usize {
        let mut delassus = Delassus::new(problem).unwrap();
        let mut dual = DualProblem::new(problem, &mut delassus, Threads::One, Arrangement::Neighbours).unwrap();
        let mut matrix = BlockMatrix::default();
        dual.write_out(&mut matrix).unwrap();
        let (mut greedy, mut colourings) = (Greedy::default(), vec![Colouring::default()]);
        greedy.colour_matrix(&matrix, &mut colourings[0]);
        if dual.is_local() {
            colourings.push(Colouring::default());
            greedy.colour_dual(&dual, &mut colourings[1]);
        }
        for colouring in &colourings {
            let mut sorted = colouring.order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(k, block)| k == *block as usize));
            assert_eq!(sorted.len(), dual.blocks());
            for colour in colouring.start.windows(2) {
                let blocks = &colouring.order[colour[0]..colour[1]];
                assert!(!blocks.is_empty() && blocks.is_sorted());
                for &block in blocks {
                    let clash = |(other, _): (usize, _)| other != block as usize && blocks.contains(&(other as u32));
                    assert!(!matrix.row(block as usize).any(clash));
                }
            }
        }
        // Coupled means touching a common body: both give the same colours.
        assert!(colourings.windows(2).all(|pair| pair[0].order == pair[1].order && pair[0].start == pair[1].start));
        colourings[0].len()
    }

    #[test]
    fn blocks_of_a_colour_do_not_act_on_each_other() {
        let packing = check(&SpherePacking { bodies: 300, ..Default::default() }.problem().unwrap());
        assert!((4..=24).contains(&packing), "{packing} colours");
        check(&Chain { links: 8, floor: Some(0.4), doubled: true, ..Default::default() }.problem().unwrap());
        for seed in 0..40 {
            let random = RandomProblem { bodies: 6, blocks: 12, softness: 0.2, seed, ..Default::default() };
            check(&random.generate().unwrap().problem);
        }
    }

    #[test]
    fn where_everything_is_coupled_every_block_has_its_own_colour() {
        let net = Net { nodes: [5, 4], ..Default::default() }.problem().unwrap();
        assert_eq!(check(&net), net.blocks());
        // One body with 100 contacts.
        let mut builder = ConeProblem::builder();
        builder.diagonal_body(&[1.0, 1.0]).linear(&[1.0, 0.0]);
        (0..100).for_each(|i| _ = builder.row(Cone::NonNegative, &[(0, 1.0), (1, 0.01 * f64::from(i))], 0.0));
        assert_eq!(check(&builder.build().unwrap()), 100);
    }
}

//! Colours of the blocks of a dual problem, and of a matrix written out.

use super::DualProblem;
use super::explicit::BlockMatrix;
use crate::colouring::{Colouring, Greedy};

impl DualProblem {
    /// Colours such that no two blocks of one touch the same body, where [`DualProblem::is_local`].
    pub(crate) fn colour(&self, greedy: &mut Greedy, out: &mut Colouring) {
        greedy.colour(self.blocks(), self.bodies(), |block| self.bodies_of(block), out);
    }
}

impl BlockMatrix {
    /// Colours such that no two blocks of one are coupled.
    pub(crate) fn colour(&self, greedy: &mut Greedy, out: &mut Colouring) {
        // The couplings of a row are in ascending order.
        let earlier = |block: usize| self.row(block).map(|(other, _)| other).take_while(move |other| *other < block);
        greedy.colour_coupled(self.len(), earlier, out);
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
        matrix.colour(&mut greedy, &mut colourings[0]);
        if dual.is_local() {
            colourings.push(Colouring::default());
            dual.colour(&mut greedy, &mut colourings[1]);
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

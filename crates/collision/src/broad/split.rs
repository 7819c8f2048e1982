//! Which balls go into the grid, which into the tree.
//!
//! Cells are as wide as the largest ball of the grid. One large ball among many small ones would put many of them in each
//! cell; in the tree it costs every ball a query. The radii are counted in classes, and of all cuts between classes the
//! cheapest is taken, in units of a test of two balls:
//!
//! ```text
//! grid:  n_g (C₁ + t),  t = min(n_g/2, 9 h³ · φ / mean volume),  φ = 0.64 the density of a packed bed
//! tree:  n (C₂ + C₃ log₂(1 + n_t)) if n_t > 0
//! ```

use super::{Ball, Member};

/// The data structure that finds pairs of colliders. It changes times, never results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadPhase {
    /// A grid for the colliders of like size, a tree for those that are much larger.
    #[default]
    Auto,
    /// A grid for all, its cells as wide as the largest collider.
    Grid,
    /// A tree for all.
    Tree,
}

/// Classes of radii: two an octave, from 2⁻¹²⁸ to 2¹²⁸ m.
const CLASSES: usize = 512;
/// C₁, C₂ and C₃, in tests of a pair. Chosen so that `signorini-bench contacts --choices` finds the automatic choice near the best
/// one; only times depend on them.
const GRID_BALL: f64 = 10.0;
const TREE_QUERY: f64 = 10.0;
const TREE_LEVEL: f64 = 32.0;
/// Tests of a ball in a bed of density 0.64 of balls of volume h³: the stretch behind it in its own row, length h, and
/// stretches of 2 h in four others.
const TESTS: f64 = 9.0 * 0.64;

#[derive(Clone, Copy, Default)]
struct Class {
    count: usize,
    /// Largest radius.
    radius: f64,
    /// Σ r³.
    cubes: f64,
}

fn class_of(ball: &Ball) -> usize {
    // NaN and negative numbers become 0, which is a class as good as any.
    ((ball.radius.log2() + 128.0) * 2.0).clamp(0.0, (CLASSES - 1) as f64) as usize
}

/// Deals `members` out.
pub(super) fn split(
    balls: &[Ball],
    members: &[Member],
    choice: BroadPhase,
    in_grid: &mut Vec<Member>,
    in_tree: &mut Vec<Member>,
) {
    in_grid.clear();
    in_tree.clear();
    let largest = match choice {
        BroadPhase::Grid => CLASSES,
        BroadPhase::Tree => 0,
        BroadPhase::Auto => cheapest_cut(balls, members),
    };
    for &member in members {
        let list = if class_of(member.of(balls)) < largest { &mut *in_grid } else { &mut *in_tree };
        list.push(member);
    }
}

/// The first class for the tree.
fn cheapest_cut(balls: &[Ball], members: &[Member]) -> usize {
    let mut classes = [Class::default(); CLASSES];
    for &member in members {
        let ball = member.of(balls);
        let class = &mut classes[class_of(ball)];
        class.count += 1;
        class.radius = class.radius.max(ball.radius);
        class.cubes += ball.radius.powi(3);
    }
    let all = members.len();
    let mut below = Class::default();
    let mut best = (tree_cost(all, all), 0);
    for (index, class) in classes.iter().enumerate().filter(|(_, class)| class.count > 0) {
        below = Class {
            count: below.count + class.count,
            radius: below.radius.max(class.radius),
            cubes: below.cubes + class.cubes,
        };
        let cost = grid_cost(&below) + tree_cost(all, all - below.count);
        if cost < best.0 {
            best = (cost, index + 1);
        }
    }
    best.1
}

fn grid_cost(class: &Class) -> f64 {
    let count = class.count as f64;
    // h³ / mean volume = 8 r³ / (4/3 π Σr³/n).
    let crowding = 6.0 / std::f64::consts::PI * class.radius.powi(3) * count / class.cubes.max(f64::MIN_POSITIVE);
    count * (GRID_BALL + (TESTS * crowding).min(count / 2.0))
}

fn tree_cost(all: usize, in_tree: usize) -> f64 {
    if in_tree == 0 {
        return 0.0;
    }
    all as f64 * (TREE_QUERY + TREE_LEVEL * (1.0 + in_tree as f64).log2())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn counts(radii: &[f64]) -> [usize; 2] {
        let balls: Vec<Ball> = radii.iter().map(|&radius| Ball { centre: DVec3::ZERO, radius }).collect();
        let members: Vec<Member> = (0..radii.len() as u32).map(|index| Member::new(index, false)).collect();
        let (mut grid, mut tree) = (Vec::new(), Vec::new());
        split(&balls, &members, BroadPhase::Auto, &mut grid, &mut tree);
        [grid.len(), tree.len()]
    }

    #[test]
    fn like_sizes_go_into_the_grid() {
        let radii: Vec<f64> = (0..1000).map(|i| 0.01 + 0.005 * f64::from(i % 7) / 7.0).collect();
        assert_eq!(counts(&radii), [1000, 0]);
    }

    #[test]
    fn one_giant_goes_into_the_tree() {
        let mut radii = vec![0.01; 1000];
        radii.push(10.0);
        assert_eq!(counts(&radii), [1000, 1]);
    }

    #[test]
    fn radii_of_any_value_are_dealt_out_once() {
        let radii = [0.0, -1.0, f64::MIN_POSITIVE, 1e300, f64::MAX];
        assert_eq!(counts(&radii).iter().sum::<usize>(), radii.len());
    }
}

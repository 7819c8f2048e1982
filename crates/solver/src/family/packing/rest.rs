//! A pile brought to rest: small steps of the mechanics itself, without inertia.
//!
//! ```text
//! each step:   minimise ½ Σ w |dx|² + α Σ w dz   subject to   gap + n·(dx_b − dx_a) ≥ 0,   then   x ← x + dx
//! ```
//!
//! with w the mass, in spheres, and α = g h² the free fall of one step from rest, in radii. The multipliers are the
//! impulses of the contacts; they are kept from step to step, so that a few sweeps of projected Gauss-Seidel are
//! enough for each, and that dx → 0 as they come to carry the weight.

use super::settle::Pile;

/// Steps, sweeps in each (one up, one down), and free falls α of the first and the last step.
const STEPS: usize = 600;
const SWEEPS: usize = 10;
const FIRST_FALL: f64 = 0.1;
const LAST_FALL: f64 = 1e-3;
/// Contacts with a wider gap than so many free falls are left out of a step.
const REACH: f64 = 4.0;

/// A contact of a step between body A and sphere B.
struct Touch {
    a: Partner,
    b: usize,
    normal: [f64; 3],
    gap: f64,
    impulse: f64,
    /// Where the impulse is kept.
    kept: usize,
}

#[derive(Clone, Copy)]
enum Partner {
    Sphere(usize),
    Container,
    Lid,
}

/// Brings the pile to rest under its weight and that of a lid as heavy as `lid_mass` spheres, which stays level.
pub(super) fn rest(pile: &mut Pile, lid_mass: f64) {
    let fade = (LAST_FALL / FIRST_FALL).powf(1.0 / (STEPS - 1) as f64);
    let mut fall = FIRST_FALL;
    let mut kept = Kept::default();
    for _ in 0..STEPS {
        kept.follow(pile);
        let mut touches = touches(pile, &kept, REACH * fall);
        let moves = moves(&mut touches, pile.centres.len(), fall, lid_mass);
        for (centre, step) in pile.centres.iter_mut().zip(&moves.spheres) {
            (0..3).for_each(|axis| centre[axis] += step[axis]);
        }
        if let Some(lid) = &mut pile.lid {
            lid.bottom += moves.lid;
        }
        // Impulses are weights times a free fall: they shrink with it.
        kept.impulses.fill(0.0);
        touches.iter().for_each(|touch| kept.impulses[touch.kept] = touch.impulse * fade);
        fall *= fade;
    }
}

/// Impulses by place: those of the pairs in their order, then `WALLS` a sphere, the last for the lid.
#[derive(Default)]
struct Kept {
    pairs: Vec<(u32, u32)>,
    impulses: Vec<f64>,
}

const WALLS: usize = 6;

impl Kept {
    /// Lists the pairs of the pile anew if they have changed, each with its impulse.
    fn follow(&mut self, pile: &mut Pile) {
        pile.list_pairs();
        let places = pile.pairs.len() + WALLS * pile.centres.len();
        if self.pairs == pile.pairs && self.impulses.len() == places {
            return;
        }
        let mut sorted: Vec<_> = self.pairs.iter().copied().zip(self.impulses.iter().copied()).collect();
        sorted.sort_unstable_by_key(|(pair, _)| *pair);
        let known = |pair: &(u32, u32)| {
            sorted.binary_search_by_key(pair, |(pair, _)| *pair).map_or(0.0, |place| sorted[place].1)
        };
        let mut impulses: Vec<f64> = pile.pairs.iter().map(known).collect();
        impulses.extend_from_slice(&self.impulses[self.pairs.len()..]);
        impulses.resize(places, 0.0);
        self.pairs.clone_from(&pile.pairs);
        self.impulses = impulses;
    }
}

fn touches(pile: &Pile, kept: &Kept, reach: f64) -> Vec<Touch> {
    let mut touches = Vec::new();
    let mut push = |a, b, normal, distance: f64, size: f64, place: usize| {
        if distance - size < reach {
            let impulse = kept.impulses[place];
            touches.push(Touch { a, b, normal, gap: distance - size, impulse, kept: place });
        }
    };
    for (b, &centre) in pile.centres.iter().enumerate() {
        let first = kept.pairs.len() + WALLS * b;
        for (k, wall) in pile.container.walls(centre).into_iter().enumerate() {
            push(Partner::Container, b, wall.normal, wall.distance, 1.0, first + k);
        }
        if let Some((normal, distance)) = pile.lid.map(|lid| lid.towards(centre)) {
            push(Partner::Lid, b, normal, distance, 1.0, first + WALLS - 1);
        }
    }
    for (place, &(a, b)) in kept.pairs.iter().enumerate() {
        let (a, b) = (a as usize, b as usize);
        let apart: [f64; 3] = std::array::from_fn(|axis| pile.centres[b][axis] - pile.centres[a][axis]);
        let distance = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
        push(Partner::Sphere(a), b, apart.map(|x| x / distance), distance, 2.0, place);
    }
    touches
}

/// The moves of one step; the lid only goes up and down.
struct Moves {
    spheres: Vec<[f64; 3]>,
    lid: f64,
    lid_mass: f64,
}

impl Moves {
    /// Rate at which the gap changes by the moves.
    fn opening(&self, touch: &Touch) -> f64 {
        let n = &touch.normal;
        let along = |step: &[f64; 3]| n[0] * step[0] + n[1] * step[1] + n[2] * step[2];
        let of_a = match touch.a {
            Partner::Sphere(a) => along(&self.spheres[a]),
            Partner::Container => 0.0,
            Partner::Lid => n[2] * self.lid,
        };
        along(&self.spheres[touch.b]) - of_a
    }

    /// Adds what an impulse moves.
    fn add(&mut self, touch: &Touch, impulse: f64) {
        let n = &touch.normal;
        (0..3).for_each(|axis| self.spheres[touch.b][axis] += impulse * n[axis]);
        match touch.a {
            Partner::Sphere(a) => (0..3).for_each(|axis| self.spheres[a][axis] -= impulse * n[axis]),
            Partner::Container => {}
            Partner::Lid => self.lid -= impulse * n[2] / self.lid_mass,
        }
    }
}

/// Projected Gauss-Seidel on the multipliers, from those given: λ ← max(λ − (gap + n·dx)/N_ii, 0).
fn moves(touches: &mut [Touch], spheres: usize, fall: f64, lid_mass: f64) -> Moves {
    let mut moves = Moves { spheres: vec![[0.0, 0.0, -fall]; spheres], lid: -fall, lid_mass };
    touches.iter().for_each(|touch| moves.add(touch, touch.impulse));
    let mut relax = |touch: &mut Touch| {
        let diagonal = match touch.a {
            Partner::Sphere(_) => 2.0,
            Partner::Container => 1.0,
            Partner::Lid => 1.0 + touch.normal[2] * touch.normal[2] / lid_mass,
        };
        let impulse = (touch.impulse - (touch.gap + moves.opening(touch)) / diagonal).max(0.0);
        let change = impulse - touch.impulse;
        if change != 0.0 {
            moves.add(touch, change);
            touch.impulse = impulse;
        }
    };
    for _ in 0..SWEEPS / 2 {
        touches.iter_mut().for_each(&mut relax);
        touches.iter_mut().rev().for_each(&mut relax);
    }
    moves
}

//! A pile by geometry: spheres sink a little in every sweep and overlaps are pushed apart.
//!
//! Lengths are in radii here: every sphere has radius 1 and a pair touches at distance 2.

use super::cells::near_pairs;
use super::lid::Plunger;
use super::rest::rest;
use super::{Container, Gaps, Generator, Lid, PackedContact, PackedLid, Packing};

/// Space a sphere takes in a settled pile, walls included, in units of its cube (2r)³: 1/0.58 of π/6.
const SPACE: f64 = 0.9;
/// Spacing of the lattice the spheres start on, in diameters, and how far each is moved off it.
const LATTICE: f64 = 1.06;
const JITTER: f64 = 0.1;
/// Sinking per sweep: constant while the pile comes down, then dying away.
const SINK: f64 = 0.05;
const LAST_SINK: f64 = 1e-6;
/// Sweeps while sinking fades from `SINK` to `LAST_SINK`.
const FADING_SWEEPS: usize = 1200;
/// Then sweeps without sinking until no overlap is deeper than this, or so many were made.
const DEEPEST_OVERLAP: f64 = 1e-4;
const CLOSING_SWEEPS: usize = 2000;
/// Pairs closer than this touch, see [`Gaps::Closed`].
const TOUCHING: f64 = 1e-3;
/// The upper sphere of a pair takes up to ½ + this share of the overlap, the lower one the rest: with the pairs in
/// order of height one sweep carries the support of the floor to the top, where equal shares need layers² sweeps.
const SUPPORT: f64 = 0.4;
/// Pairs are listed up to this gap, and listed anew when a sphere may have moved half of it.
const MARGIN: f64 = 0.4;

/// What to make. Radius in m; container and envelope in radii, the lid as its maker has it.
pub(super) struct Recipe<'a> {
    pub(super) bodies: usize,
    pub(super) radius: f64,
    pub(super) container: Container,
    pub(super) lid: Option<&'a Lid>,
    pub(super) envelope: f64,
    pub(super) gaps: Gaps,
    /// Whether the pile is brought to rest, or left where geometry put it; a lid only comes with the former.
    pub(super) at_rest: bool,
    /// Mass of the lid while the pile comes to rest, in spheres.
    pub(super) lid_mass: f64,
    pub(super) seed: u64,
}

/// Width, in radii, of the box in which a pile of so many spheres is as high as wide.
pub(super) fn width_as_high(bodies: usize) -> f64 {
    (2.0 * (bodies as f64 * SPACE).cbrt()).max(2.5)
}

pub(super) fn settle(recipe: &Recipe<'_>) -> Packing {
    let radius = recipe.radius;
    let (mut pile, fall) = Pile::lattice(recipe);
    for _ in 0..(fall / SINK) as usize {
        pile.sweep(SINK);
    }
    let fade = (LAST_SINK / SINK).powf(1.0 / FADING_SWEEPS as f64);
    let mut sink = SINK;
    for _ in 0..FADING_SWEEPS {
        sink *= fade;
        pile.sweep(sink);
    }
    if recipe.at_rest {
        pile.lid = recipe.lid.map(|lid| pile.lowest_free(lid.radius / radius));
        rest(&mut pile, recipe.lid_mass);
    }
    for _ in 0..CLOSING_SWEEPS {
        if pile.sweep(0.0) < DEEPEST_OVERLAP {
            break;
        }
    }
    if recipe.gaps == Gaps::Loosened {
        pile.loosen();
    }
    let mut contacts = pile.contacts(recipe.envelope, radius);
    if recipe.gaps == Gaps::Closed {
        contacts.iter_mut().filter(|contact| contact.gap < TOUCHING * radius).for_each(|contact| contact.gap = 0.0);
    }
    let positions = pile.centres.iter().map(|centre| centre.map(|x| x * radius)).collect();
    let lid = recipe.lid.zip(pile.lid).map(|(lid, placed)| PackedLid {
        centre: [0.0, 0.0, placed.bottom * radius + 0.5 * lid.height],
        radius: lid.radius,
        height: lid.height,
    });
    Packing { positions, radius, container: pile.container.scaled(radius), lid, contacts }
}

/// Unit spheres in a container.
pub(super) struct Pile {
    pub(super) centres: Vec<[f64; 3]>,
    pub(super) container: Container,
    pub(super) lid: Option<Plunger>,
    pub(super) pairs: Vec<(u32, u32)>,
    /// Centres when the pairs were listed.
    listed: Vec<[f64; 3]>,
}

impl Pile {
    /// Spheres on a loose lattice, and how far they are to fall: from its height to that of the pile, and half as
    /// much again.
    fn lattice(recipe: &Recipe<'_>) -> (Self, f64) {
        let (bodies, container) = (recipe.bodies, recipe.container);
        let mut generator = Generator::new(recipe.seed);
        let columns = container.columns(2.0 * LATTICE, bodies);
        let centres = (0..bodies)
            .map(|i| {
                let [x, y] = columns.places[i % columns.places.len()];
                let z = ((i / columns.places.len()) as f64 + 0.5) * 2.0 * LATTICE;
                [x, y, z].map(|place| place + generator.uniform(-2.0 * JITTER, 2.0 * JITTER))
            })
            .collect();
        // A pile takes 8 SPACE a sphere of the whole floor; the lattice is looser by LATTICE³/SPACE and may not cover it.
        let space = 8.0 * SPACE * bodies as f64;
        let fall = space / columns.footprint * (LATTICE.powi(3) / SPACE) - space / container.area();
        let pile = Self { centres, container, lid: None, pairs: Vec::new(), listed: Vec::new() };
        (pile, fall * 1.5 + 4.0)
    }

    /// A lid of this radius just above all spheres it could meet.
    fn lowest_free(&self, radius: f64) -> Plunger {
        let below = self.centres.iter().filter(|centre| centre[0].hypot(centre[1]) < radius + 1.0);
        Plunger { radius, bottom: below.map(|centre| centre[2] + 1.0).fold(2.0, f64::max) }
    }

    /// Moves every sphere down by `sink`, then pushes each overlapping pair apart, from the floor up.
    /// Returns the deepest overlap it met.
    fn sweep(&mut self, sink: f64) -> f64 {
        let mut deepest = 0.0f64;
        self.centres.iter_mut().for_each(|centre| centre[2] -= sink);
        self.keep_inside();
        self.list_pairs();
        for &(i, j) in &self.pairs {
            let (a, b) = (self.centres[i as usize], self.centres[j as usize]);
            let apart: [f64; 3] = std::array::from_fn(|axis| b[axis] - a[axis]);
            let squared: f64 = apart.iter().map(|x| x * x).sum();
            if squared >= 4.0 {
                continue;
            }
            // 1e-3: coinciding centres have no direction; they are moved apart by the next sweeps.
            let distance = squared.sqrt().max(1e-3);
            deepest = deepest.max(2.0 - distance);
            let push = (2.0 - distance) / distance;
            let share_of_b = 0.5 + SUPPORT * apart[2] / distance;
            for (axis, apart) in apart.into_iter().enumerate() {
                self.centres[i as usize][axis] -= (1.0 - share_of_b) * push * apart;
                self.centres[j as usize][axis] += share_of_b * push * apart;
            }
        }
        self.keep_inside();
        deepest
    }

    fn keep_inside(&mut self) {
        for centre in &mut self.centres {
            if let Some(lid) = &self.lid {
                lid.keep_outside(centre);
            }
            self.container.keep_inside(centre);
        }
    }

    pub(super) fn list_pairs(&mut self) {
        let moved = |(centre, listed): (&[f64; 3], &[f64; 3])| -> bool {
            (0..3).map(|axis| (centre[axis] - listed[axis]).powi(2)).sum::<f64>() > (0.5 * MARGIN).powi(2)
        };
        if self.listed.is_empty() || self.centres.iter().zip(&self.listed).any(moved) {
            self.pairs = near_pairs(&self.centres, 2.0 + MARGIN);
            let lower = |&(i, j): &(u32, u32)| self.centres[i as usize][2].min(self.centres[j as usize][2]);
            self.pairs.sort_by(|p, q| lower(p).total_cmp(&lower(q)));
            self.listed.clone_from(&self.centres);
        }
    }

    /// Enlarges the pile and its container until nothing overlaps. The lid is only lifted: spheres beside it move away.
    fn loosen(&mut self) {
        // Walls are one radius away, neighbours two: the overlap with a wall asks for the larger growth.
        let deepest = self.contacts(0.0, 1.0).iter().map(|contact| -contact.gap).fold(0.0, f64::max);
        self.centres.iter_mut().flatten().for_each(|x| *x *= 1.0 + deepest);
        self.container = self.container.scaled(1.0 + deepest);
        if let Some(lid) = &mut self.lid {
            lid.bottom *= 1.0 + deepest;
        }
    }

    fn contacts(&self, envelope: f64, radius: f64) -> Vec<PackedContact> {
        let mut contacts = Vec::new();
        for (b, &centre) in self.centres.iter().enumerate() {
            for wall in self.container.walls(centre) {
                let gap = wall.distance - 1.0;
                if gap < envelope {
                    contacts.push(PackedContact { a: None, b, normal: wall.normal, gap: gap * radius });
                }
            }
            if let Some((normal, distance)) = self.lid.map(|lid| lid.towards(centre)) {
                let gap = distance - 1.0;
                if gap < envelope {
                    contacts.push(PackedContact { a: Some(self.centres.len()), b, normal, gap: gap * radius });
                }
            }
        }
        for (a, b) in near_pairs(&self.centres, 2.0 + envelope) {
            let (a, b) = (a as usize, b as usize);
            let apart: [f64; 3] = std::array::from_fn(|axis| self.centres[b][axis] - self.centres[a][axis]);
            let distance = apart.iter().map(|x| x * x).sum::<f64>().sqrt();
            let normal = apart.map(|x| x / distance);
            contacts.push(PackedContact { a: Some(a), b, normal, gap: (distance - 2.0) * radius });
        }
        contacts
    }
}

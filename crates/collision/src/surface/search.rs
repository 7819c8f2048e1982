//! Which triangles may touch what, and their tests.

use super::DeformableSurface;
use super::found::{Found, Pair};
use super::motion::Motion;
use super::rigid::{self, WorldTriangle};
use super::sheet::Sheet;
use super::topology::Topology;
use super::triangles::{self, Side};
use crate::Detector;
use crate::broad::{Ball, Broad, BroadPhase, Member, Pairs, Tree, cut, part_count};
use crate::narrow::general::convex::{Core, point};
use glam::{DMat3, DVec3};
use rayon::prelude::*;

/// How deep self-contacts may be, as a share of the depth to which a surface is solid: 2 % of an edge.
const SELF_DEPTH: f64 = 0.04;
/// Relative room for rounding in tests that come before the exact one.
const ROUNDING: f64 = 1e-12;

/// All that a detection is about.
pub(super) struct Scene<'a> {
    pub(super) surfaces: &'a [DeformableSurface],
    pub(super) topology: &'a Topology,
    pub(super) surface_of: &'a [u32],
    /// Triangles a triangle of a surface that touches itself does not meet.
    pub(super) near: &'a [Vec<u32>],
    pub(super) excluded: &'a [(u32, u32)],
    pub(super) motion: &'a Motion,
    pub(super) rigid: &'a Detector,
    pub(super) rigid_reach: &'a [f64],
    pub(super) nodes: &'a [DVec3],
    pub(super) node_reach: &'a [f64],
    pub(super) envelope: f64,
}

/// Buffers of the search and of the tests.
pub(super) struct Search {
    broad: Broad,
    triangles: Vec<Member>,
    tree: Tree,
    rigid_balls: Vec<Ball>,
    bounded: Vec<Member>,
    unbounded: Vec<u32>,
    /// The core of a sphere.
    centre: Core,
    parts: Vec<Part>,
    found: Vec<Found>,
}

/// Buffers of one part of the work.
#[derive(Default)]
struct Part {
    found: Vec<Found>,
    candidates: Vec<u32>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            broad: Broad::default(),
            triangles: Vec::new(),
            tree: Tree::default(),
            rigid_balls: Vec::new(),
            bounded: Vec::new(),
            unbounded: Vec::new(),
            centre: Core::Polyhedron(point()),
            parts: Vec::new(),
            found: Vec::new(),
        }
    }
}

impl Search {
    /// All contacts, and what competes with them, in an order that depends on the scene alone.
    pub(super) fn run(&mut self, scene: &Scene, parallel: bool) -> &mut [Found] {
        self.sort_out(scene);
        let balls = &scene.motion.balls;
        let among = scene.surfaces.len() > 1 || scene.surfaces.iter().any(|surface| surface.touches_itself);
        let members = if among { &self.triangles[..] } else { &[] };
        let keep = |a: u32, b: u32| scene.may_touch(a, b);
        let pairs = &*self.broad.pairs(balls, members, BroadPhase::Auto, parallel, keep);
        let beside = part_count(self.triangles.len());
        let count = beside + pairs.len();
        self.parts.resize_with(self.parts.len().max(count), Part::default);
        let (triangles, tree, unbounded, centre) = (&self.triangles, &self.tree, &self.unbounded, &self.centre);
        let work = |(index, part): (usize, &mut Part)| {
            part.found.clear();
            if index >= beside {
                return part.between(scene, &pairs[index - beside]);
            }
            for member in &triangles[cut(triangles.len(), index, beside)..cut(triangles.len(), index + 1, beside)] {
                let face = member.index();
                unbounded.iter().for_each(|&collider| part.beside(scene, centre, collider, face));
                tree.overlapping(&balls[face as usize], |other| part.beside(scene, centre, other.index(), face));
            }
        };
        if parallel {
            self.parts[..count].par_iter_mut().enumerate().with_max_len(1).for_each(work);
        } else {
            self.parts[..count].iter_mut().enumerate().for_each(work);
        }
        self.found.clear();
        self.parts[..count].iter().for_each(|part| self.found.extend_from_slice(&part.found));
        &mut self.found
    }

    /// Triangles and rigid colliders whose place is a number, the bounded ones if they may be near.
    fn sort_out(&mut self, scene: &Scene) {
        let motion = scene.motion;
        self.triangles.clear();
        let usable = (0..).zip(&motion.balls).filter(|(_, ball)| ball.is_finite());
        self.triangles.extend(usable.map(|(index, _)| Member::new(index, true)));
        self.bounded.clear();
        self.unbounded.clear();
        self.rigid_balls.clear();
        let placement = scene.rigid.placement();
        for (index, (place, ball)) in (0..).zip(placement.places.iter().zip(&placement.balls)) {
            let reach = scene.rigid_reach.get(place.body as usize).copied().unwrap_or(0.0);
            let radius = place.radius + reach + 0.5 * scene.envelope;
            let rounding = ROUNDING * (place.radius + reach.abs() + scene.envelope.abs());
            let ball = Ball { centre: ball.centre, radius: radius + rounding };
            self.rigid_balls.push(ball);
            let solid = placement.solid(index);
            if solid.is_some_and(|solid| !solid.pose.is_finite()) {
                continue;
            }
            if solid.is_some_and(|solid| solid.unbounded) {
                self.unbounded.push(index);
            } else if ball.is_finite() {
                let outside = ball.centre - ball.centre.clamp(motion.low.min(motion.high), motion.high);
                if outside.length() <= ball.radius {
                    self.bounded.push(Member::new(index, true));
                }
            }
        }
        self.tree.fill(&self.rigid_balls, &self.bounded);
    }
}

impl<'a> Scene<'a> {
    /// Whether two triangles may touch, wherever they are.
    fn may_touch(&self, a: u32, b: u32) -> bool {
        let [first, second] = [a, b].map(|face| self.surface_of[face as usize]);
        let [one, other] = [first, second].map(|surface| &self.surfaces[surface as usize]);
        if first == second {
            let near = &self.near[a as usize];
            return one.touches_itself && self.boxes_overlap(a, b, SELF_DEPTH) && near.binary_search(&b).is_err();
        }
        one.body != other.body
            && self.boxes_overlap(a, b, 1.0)
            && one.groups.meet(other.groups)
            && !self.excludes(one.body, other.body)
    }

    /// Whether the boxes of two triangles overlap, grown by a share of the depth to which they are solid.
    fn boxes_overlap(&self, a: u32, b: u32, share: f64) -> bool {
        let motion = self.motion;
        let [[low, high], [other_low, other_high]] = [a, b].map(|face| {
            let face = face as usize;
            let grow = motion.growths[face] + share * motion.depths[face];
            let [p, q, r] = self.topology.triangles[face].map(|node| self.nodes[node as usize]);
            [p.min(q).min(r) - grow, p.max(q).max(r) + grow]
        });
        low.cmple(other_high).all() && other_low.cmple(high).all()
    }

    fn excludes(&self, a: u32, b: u32) -> bool {
        self.excluded.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// A triangle in the world.
    fn side(&self, face: u32) -> Side<'a> {
        let motion = self.motion;
        Side {
            sheet: Sheet {
                topology: self.topology,
                nodes: self.nodes,
                normals: &motion.normals,
                node_normals: &motion.node_normals,
                rotation: DMat3::IDENTITY,
                from: DVec3::ZERO,
                to: DVec3::ZERO,
            },
            face,
            named: face,
            margin: self.surfaces[self.surface_of[face as usize] as usize].margin,
            node_reach: self.topology.triangles[face as usize].map(|node| self.node_reach[node as usize]),
            reach: motion.reaches[face as usize],
            depth: motion.depths[face as usize],
            size: motion.depths[face as usize],
        }
    }
}

impl Part {
    /// Tests a triangle against a rigid collider.
    fn beside(&mut self, scene: &Scene, centre: &Core, collider: u32, face: u32) {
        let surface = &scene.surfaces[scene.surface_of[face as usize] as usize];
        let own = &scene.rigid.colliders()[collider as usize];
        if own.body == surface.body || !own.groups.meet(surface.groups) || scene.excludes(own.body, surface.body) {
            return;
        }
        let placement = scene.rigid.placement();
        let reach = scene.rigid_reach.get(own.body as usize).copied().unwrap_or(0.0);
        let ball = &scene.motion.balls[face as usize];
        let solid = placement.solid(collider);
        let beyond = ball.radius + reach + 0.5 * scene.envelope;
        let apart = |[low, high]: [DVec3; 2]| {
            (ball.centre + beyond).cmplt(low).any() || (ball.centre - beyond).cmpgt(high).any()
        };
        if solid.is_some_and(|solid| apart(solid.corners)) {
            return;
        }
        let triangle = WorldTriangle { side: scene.side(face), envelope: scene.envelope + reach };
        let pair = Pair { colliders: [collider, surface.collider], bodies: [own.body, surface.body] };
        let Self { found, candidates } = self;
        let emit = &mut |meeting| found.push(Found::new(&pair, &meeting));
        match solid {
            None => {
                let radius = placement.places[collider as usize].radius;
                rigid::ball(centre, placement.balls[collider as usize].centre, radius, &triangle, emit);
            }
            Some(solid) => {
                if let Some((closed, growth)) = solid.closed.filter(|_| solid.unbounded) {
                    let least = closed.least_distance(&solid.pose, ball.centre, ball.radius);
                    if least > growth + triangle.envelope.abs() {
                        return;
                    }
                }
                rigid::shape(&solid.prepared, &solid.pose, &triangle, candidates, emit);
            }
        }
    }

    /// Tests pairs of triangles.
    fn between(&mut self, scene: &Scene, pairs: &Pairs) {
        for &[a, b] in pairs {
            let [first, second] = [a, b].map(|face| scene.surface_of[face as usize] as usize);
            let [one, other] = [first, second].map(|surface| &scene.surfaces[surface]);
            let pair = Pair { colliders: [one.collider, other.collider], bodies: [one.body, other.body] };
            let [mut side, mut partner] = [a, b].map(|face| scene.side(face));
            if first == second {
                side.depth *= SELF_DEPTH;
                partner.depth *= SELF_DEPTH;
            }
            let found = &mut self.found;
            triangles::touch(0, &side, &partner, scene.envelope, &mut |meeting| {
                found.push(Found::new(&pair, &meeting));
            });
        }
    }
}

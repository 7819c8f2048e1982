//! How much of the light reaches a point: maps of depth seen from the lamp, and from all over the sky.

use super::raster::{self, Window};
use super::stage::Stage;
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Side of the map of the lamp, in texels.
const LAMP_SIDE: i32 = 1536;
/// Side of the maps of the sky.
const SKY_SIDE: i32 = 384;
/// Directions of the sky.
const SKY_DIRECTIONS: usize = 20;
/// Radius of the soft border of the lamp's shadows, in texels.
const SOFTNESS: f32 = 3.0;
/// How much farther than what is of interest shadows are looked for.
const MARGIN: f32 = 1.25;

/// Depth along a direction, over a square across it.
struct DepthMap {
    axes: [Vec3; 3],
    middle: Vec3,
    /// Texels a metre.
    scale: f32,
    side: i32,
    depth: Vec<f32>,
}

impl DepthMap {
    /// What a light in direction `towards` sees of the balls and solids.
    fn new(stage: &Stage, towards: Vec3, side: i32) -> Self {
        let (x, y) = towards.any_orthonormal_pair();
        let scale = side as f32 / (2.0 * MARGIN * stage.reach.max(f32::MIN_POSITIVE));
        let depth = vec![f32::NEG_INFINITY; (side * side) as usize];
        let mut this = Self { axes: [x, y, towards], middle: stage.middle, scale, side, depth };
        let window = Window { low: [0, 0], high: [side, side] };
        for triangle in &stage.solids {
            let [a, b, c] = triangle.corners.map(|corner| this.place(corner));
            raster::triangle([a, b, c].map(Vec3::truncate), &window, |x, y, [u, v, w]| {
                this.raise(x, y, u * a.z + v * b.z + w * c.z);
            });
        }
        for ball in &stage.balls {
            let centre = this.place(ball.centre);
            let radius = ball.radius * scale;
            let reach = Vec2::splat(radius);
            let Some(part) = window.within(centre.truncate() - reach, centre.truncate() + reach) else { continue };
            for y in part.low[1]..part.high[1] {
                for x in part.low[0]..part.high[0] {
                    let off = Vec2::new(x as f32 + 0.5, y as f32 + 0.5) - centre.truncate();
                    let left = radius * radius - off.length_squared();
                    if left > 0.0 {
                        this.raise(x, y, centre.z + left.sqrt());
                    }
                }
            }
        }
        this
    }

    /// Texels across and along the light, all in texels.
    fn place(&self, point: Vec3) -> Vec3 {
        let arm = (point - self.middle) * self.scale;
        let half = 0.5 * self.side as f32;
        Vec3::new(arm.dot(self.axes[0]) + half, arm.dot(self.axes[1]) + half, arm.dot(self.axes[2]))
    }

    fn raise(&mut self, x: i32, y: i32, depth: f32) {
        let at = &mut self.depth[(y * self.side + x) as usize];
        *at = at.max(depth);
    }

    /// Whether a texel lets light through to a height.
    fn is_lit(&self, x: i32, y: i32, height: f32) -> bool {
        let inside = (0..self.side).contains(&x) && (0..self.side).contains(&y);
        !inside || self.depth[(y * self.side + x) as usize] <= height
    }

    /// Share of light at a place: the mean of the four nearest texels, weighted.
    fn light(&self, place: Vec3) -> f32 {
        // Far outside is as good as just outside, and a whole number.
        let far = self.side as f32 + 4.0;
        let corner = (place.truncate() - 0.5).clamp(Vec2::splat(-4.0), Vec2::splat(far));
        let (base, part) = (corner.floor(), corner - corner.floor());
        let (x, y) = (base.x as i32, base.y as i32);
        let lit = |dx: i32, dy: i32| if self.is_lit(x + dx, y + dy, place.z) { 1.0 } else { 0.0 };
        let lower = lit(0, 0) * (1.0 - part.x) + lit(1, 0) * part.x;
        let upper = lit(0, 1) * (1.0 - part.x) + lit(1, 1) * part.x;
        lower * (1.0 - part.y) + upper * part.y
    }
}

/// The light of a picture.
pub(super) struct Light {
    lamp: DepthMap,
    sky: Vec<DepthMap>,
}

impl Light {
    /// Lights a stage. `towards_lamp` is a unit vector.
    pub(super) fn new(stage: &Stage, towards_lamp: Vec3) -> Self {
        let (x, y) = stage.up.any_orthonormal_pair();
        // Points of a spiral over the half sphere, as many in equal areas.
        let direction = |k: usize| {
            let height = 0.12 + 0.88 * (k as f32 + 0.5) / SKY_DIRECTIONS as f32;
            let (angle, across) = (2.399_963 * k as f32, (1.0 - height * height).sqrt());
            stage.up * height + (x * angle.cos() + y * angle.sin()) * across
        };
        let mut maps: Vec<(Vec3, i32)> = (0..SKY_DIRECTIONS).map(|k| (direction(k).normalize(), SKY_SIDE)).collect();
        maps.push((towards_lamp, LAMP_SIDE));
        let mut maps: Vec<DepthMap> =
            maps.into_par_iter().map(|(towards, side)| DepthMap::new(stage, towards, side)).collect();
        let lamp = maps.pop().unwrap_or_else(|| DepthMap::new(stage, towards_lamp, 1));
        Self { lamp, sky: maps }
    }

    /// Share of the lamp's light at a point with a normal.
    pub(super) fn lamp(&self, point: Vec3, normal: Vec3) -> f32 {
        let map = &self.lamp;
        // Half a texel for the point's own surface, more for the softness where it is lit at a slant.
        let place = map.place(point + normal * (2.0 / map.scale)) + Vec3::Z * 1.5;
        let mut light = 0.0;
        const TAPS: [[f32; 2]; 8] = [
            [0.94, 0.18],
            [0.5, 0.72],
            [-0.2, 0.45],
            [-0.78, 0.6],
            [-0.5, -0.15],
            [-0.62, -0.72],
            [0.1, -0.5],
            [0.7, -0.62],
        ];
        for [x, y] in TAPS {
            light += map.light(place + SOFTNESS * Vec3::new(x, y, 0.0));
        }
        light / TAPS.len() as f32
    }

    /// Share of the sky's light at a point: visible directions weighted by their cosines.
    pub(super) fn sky(&self, point: Vec3, normal: Vec3) -> f32 {
        let (mut light, mut most) = (0.0, 1e-6);
        for map in &self.sky {
            let cosine = normal.dot(map.axes[2]);
            if cosine > 0.0 {
                let place = map.place(point + normal * (1.2 / map.scale)) + Vec3::Z * 0.7;
                light += cosine * map.light(place);
                most += cosine;
            }
        }
        light / most
    }
}

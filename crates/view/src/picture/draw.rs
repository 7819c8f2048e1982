//! From a stage to pixels: every band of rows on its own, so that threads share nothing and the bits are always the same.

use super::camera::{Camera, focal_length};
use super::image::Image;
use super::raster::{self, Window};
use super::shadow::Light;
use super::stage::{Stage, Triangle};
use super::theme::{Theme, encode, linear};
use glam::{Vec2, Vec3};
use rayon::prelude::*;

/// Rows of a band, in pixels of the picture.
const BAND: u32 = 16;
/// Nothing nearer to the eye than this share of the stage's size is drawn.
const NEAR: f32 = 1e-3;
/// Light of lamp, sky and floor on a white surface that faces them.
const LAMP: f32 = 0.72;
const SKY: f32 = 0.52;
const BOUNCE: f32 = 0.10;
/// How opaque a wall is seen head-on, and how much more edge-on.
const WALL: [f32; 2] = [0.10, 0.55];
/// How opaque arrows are.
const MARK: f32 = 0.9;

/// How a picture is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Pixels across and down.
    pub size: [u32; 2],
    /// Samples of a pixel in each direction.
    pub samples: u32,
    /// Its ground.
    pub theme: Theme,
}

/// A triangle in the axes of the camera.
struct Seen {
    /// Pixels from the left and the top.
    pixels: [Vec2; 3],
    /// One over the depth.
    inverse: [f32; 3],
    normals: [Vec3; 3],
    colours: [Vec3; 3],
    rows: [f32; 2],
}

/// What a sample shows.
#[derive(Clone, Copy)]
struct Sample {
    depth: f32,
    normal: Vec3,
    colour: Vec3,
}

/// Share of light a wall lets through, and the light it adds, times its opacity.
#[derive(Clone, Copy)]
struct Veil {
    through: f32,
    added: Vec3,
    weight: f32,
}

/// Light found for one sample of a pixel, for the others that show the same surface.
struct Lit {
    depth: f32,
    normal: Vec3,
    /// Shares of the lamp's and of the sky's light.
    lamp: f32,
    sky: f32,
}

/// Samples of a pixel show one surface if their normals are this close (cosine), and their depths within so many pixels.
const SAME_NORMAL: f32 = 0.97;
const SAME_DEPTH: f32 = 6.0;

struct Drawing<'a> {
    stage: &'a Stage,
    light: Light,
    theme: Theme,
    /// Towards the lamp.
    lamp: Vec3,
    eye: Vec3,
    axes: [Vec3; 3],
    /// Samples across and down.
    size: [i32; 2],
    focal: f32,
    solids: Vec<Seen>,
    walls: Vec<Seen>,
    marks: Vec<Seen>,
}

/// Draws a stage. The camera is in the coordinates of the stage.
#[must_use]
pub fn draw(stage: &Stage, camera: &Camera, quality: &Quality) -> Image {
    let samples = quality.samples.clamp(1, 8);
    let [width, height] = quality.size;
    let [right, up, forward] = camera.axes().map(|axis| axis.as_vec3());
    // The lamp is above the camera's left shoulder.
    let lamp = (stage.up * 0.95 - right * 0.55 - forward * 0.45).normalize_or(stage.up);
    let mut drawing = Drawing {
        stage,
        light: Light::new(stage, lamp),
        theme: quality.theme,
        lamp,
        eye: camera.eye.as_vec3(),
        axes: [right, up, forward],
        size: [(width * samples) as i32, (height * samples) as i32],
        focal: focal_length(height * samples) as f32,
        solids: Vec::new(),
        walls: Vec::new(),
        marks: Vec::new(),
    };
    drawing.solids = drawing.seen(&stage.solids);
    drawing.walls = drawing.seen(&stage.walls);
    drawing.marks = drawing.seen(&stage.marks);
    let mut pixels = vec![0; 3 * (width * height) as usize];
    let row = 3 * width as usize;
    if row > 0 {
        pixels.par_chunks_mut(row * BAND as usize).enumerate().for_each(|(band, pixels)| {
            drawing.band(band as i32 * (BAND * samples) as i32, samples as i32, pixels);
        });
    }
    Image { size: quality.size, pixels }
}

impl Drawing<'_> {
    /// To the axes right, up, forward.
    fn to_camera(&self, point: Vec3) -> Vec3 {
        let arm = point - self.eye;
        Vec3::new(arm.dot(self.axes[0]), arm.dot(self.axes[1]), arm.dot(self.axes[2]))
    }

    fn pixel(&self, point: Vec3) -> Vec2 {
        let middle = Vec2::new(self.size[0] as f32, self.size[1] as f32) / 2.0;
        middle + Vec2::new(point.x, -point.y) * (self.focal / point.z)
    }

    /// Ray of a sample with depth 1, in the axes of the camera.
    fn ray(&self, x: i32, y: i32) -> Vec3 {
        let middle = [0.5 * self.size[0] as f32, 0.5 * self.size[1] as f32];
        Vec3::new((x as f32 + 0.5 - middle[0]) / self.focal, (middle[1] - y as f32 - 0.5) / self.focal, 1.0)
    }

    fn to_world(&self, v: Vec3) -> Vec3 {
        self.axes[0] * v.x + self.axes[1] * v.y + self.axes[2] * v.z
    }

    /// Triangles as the camera sees them; those across the near plane are cut.
    fn seen(&self, triangles: &[Triangle]) -> Vec<Seen> {
        let near = NEAR * self.stage.reach.max(f32::MIN_POSITIVE);
        let mut seen = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            let points = triangle.corners.map(|corner| self.to_camera(corner));
            if !points.iter().all(|point| point.is_finite()) {
                continue;
            }
            let mut corners: Vec<[Vec3; 3]> = Vec::with_capacity(4);
            for k in 0..3 {
                let next = (k + 1) % 3;
                let [here, there] = [k, next].map(|k| [points[k], triangle.normals[k], triangle.colours[k]]);
                if here[0].z >= near {
                    corners.push(here);
                }
                if (here[0].z < near) != (there[0].z < near) {
                    let part = (near - here[0].z) / (there[0].z - here[0].z);
                    corners.push([0, 1, 2].map(|i| here[i].lerp(there[i], part)));
                }
            }
            for k in 2..corners.len() {
                let three = [corners[0], corners[k - 1], corners[k]];
                let pixels = three.map(|corner| self.pixel(corner[0]));
                seen.push(Seen {
                    pixels,
                    inverse: three.map(|corner| 1.0 / corner[0].z),
                    normals: three.map(|corner| corner[1]),
                    colours: three.map(|corner| corner[2]),
                    rows: [
                        pixels[0].y.min(pixels[1].y).min(pixels[2].y),
                        pixels[0].y.max(pixels[1].y).max(pixels[2].y),
                    ],
                });
            }
        }
        seen
    }

    /// Visits the samples of triangles in rows: depth, normal and colour there.
    fn scan(&self, triangles: &[Seen], window: &Window, mut visit: impl FnMut(i32, i32, f32, Vec3, Vec3)) {
        let rows = [window.low[1] as f32, window.high[1] as f32];
        for seen in triangles.iter().filter(|seen| seen.rows[0] <= rows[1] && seen.rows[1] >= rows[0]) {
            raster::triangle(seen.pixels, window, |x, y, weights| {
                // Attributes are linear over the triangle divided by the depth.
                let [u, v, w] = [0, 1, 2].map(|k| weights[k] * seen.inverse[k]);
                let depth = 1.0 / (u + v + w);
                let mean = |of: &[Vec3; 3]| (of[0] * u + of[1] * v + of[2] * w) * depth;
                visit(x, y, depth, mean(&seen.normals), mean(&seen.colours));
            });
        }
    }

    fn band(&self, first: i32, samples: i32, pixels: &mut [u8]) {
        let width = self.size[0];
        let rows = pixels.len() as i32 / 3 * samples * samples / width;
        let window = Window { low: [0, first], high: [width, first + rows] };
        let index = |x: i32, y: i32| ((y - first) * width + x) as usize;
        let empty = Sample { depth: f32::INFINITY, normal: Vec3::ZERO, colour: Vec3::ZERO };
        let mut shown = vec![empty; (width * rows) as usize];
        self.scan(&self.solids, &window, |x, y, depth, normal, colour| {
            let sample = &mut shown[index(x, y)];
            if depth < sample.depth {
                *sample = Sample { depth, normal, colour };
            }
        });
        self.balls(&window, |x, y, depth, normal, colour| {
            let sample = &mut shown[index(x, y)];
            if depth < sample.depth {
                *sample = Sample { depth, normal, colour };
            }
        });
        let clear = Veil { through: 1.0, added: Vec3::ZERO, weight: 0.0 };
        let mut veils = if self.walls.is_empty() { Vec::new() } else { vec![clear; shown.len()] };
        self.scan(&self.walls, &window, |x, y, depth, normal, colour| {
            let at = index(x, y);
            if depth < shown[at].depth {
                let view = self.to_world(self.ray(x, y)).normalize();
                let facing = normal.normalize_or(view).dot(view).abs();
                let opacity = WALL[0] + WALL[1] * (1.0 - facing).powi(3);
                let veil = &mut veils[at];
                veil.through *= 1.0 - opacity;
                veil.added += colour * opacity * (0.75 + 0.35 * facing);
                veil.weight += opacity;
            }
        });
        let mut marks = vec![None; if self.marks.is_empty() { 0 } else { shown.len() }];
        self.scan(&self.marks, &window, |x, y, depth, normal, colour| {
            let mark: &mut Option<Sample> = &mut marks[index(x, y)];
            if mark.is_none_or(|mark| depth < mark.depth) {
                *mark = Some(Sample { depth, normal, colour });
            }
        });
        let across = width / samples;
        let mut known: Vec<Lit> = Vec::with_capacity(8);
        for (number, pixel) in pixels.chunks_exact_mut(3).enumerate() {
            let corner = [number as i32 % across * samples, first + number as i32 / across * samples];
            known.clear();
            let mut sum = Vec3::ZERO;
            for k in 0..samples * samples {
                let (x, y) = (corner[0] + k % samples, corner[1] + k / samples);
                let at = index(x, y);
                let mut colour = self.opaque(x, y, &shown[at], samples as f32, &mut known);
                if let Some(veil) = veils.get(at).filter(|veil| veil.weight > 0.0) {
                    colour = colour * veil.through + veil.added / veil.weight * (1.0 - veil.through);
                }
                if let Some(mark) = marks.get(at).copied().flatten() {
                    let lit = 0.65 + 0.35 * mark.normal.normalize_or(self.lamp).dot(self.lamp).max(0.0);
                    colour = colour.lerp(mark.colour * lit, MARK);
                }
                sum += colour.clamp(Vec3::ZERO, Vec3::ONE);
            }
            let share = 1.0 / (samples * samples) as f32;
            pixel.copy_from_slice(&(sum * share).to_array().map(encode));
        }
    }

    /// Shares of the lamp's and of the sky's light at a point, or those of another sample of the pixel.
    fn light_at(&self, point: Vec3, normal: Vec3, depth: f32, samples: f32, known: &mut Vec<Lit>) -> (f32, f32) {
        let near = SAME_DEPTH * samples * depth / self.focal;
        let is_same = |lit: &&Lit| (lit.depth - depth).abs() < near && lit.normal.dot(normal) > SAME_NORMAL;
        if let Some(lit) = known.iter().find(is_same) {
            return (lit.lamp, lit.sky);
        }
        let (lamp, sky) = (self.light.lamp(point, normal), self.light.sky(point, normal));
        known.push(Lit { depth, normal, lamp, sky });
        (lamp, sky)
    }

    fn balls(&self, window: &Window, mut visit: impl FnMut(i32, i32, f32, Vec3, Vec3)) {
        let middle = Vec2::new(self.size[0] as f32, self.size[1] as f32) / 2.0;
        for ball in &self.stage.balls {
            let centre = self.to_camera(ball.centre);
            let across = raster::ball_interval(centre.x, centre.z, ball.radius);
            let down = raster::ball_interval(-centre.y, centre.z, ball.radius);
            let (Some([left, right]), Some([top, bottom])) = (across, down) else { continue };
            let corner = |x: f32, y: f32| middle + Vec2::new(x, y) * self.focal;
            let Some(part) = window.within(corner(left, top), corner(right, bottom)) else { continue };
            let dark = ball.colour * 0.55;
            for y in part.low[1]..part.high[1] {
                for x in part.low[0]..part.high[0] {
                    let ray = self.ray(x, y);
                    if let Some(depth) = raster::ray_ball(ray, centre, ball.radius) {
                        let normal = self.to_world((ray * depth - centre) / ball.radius);
                        // Poles of the ball's own axis.
                        let is_pole = ball.turn.is_some_and(|turn| (turn.inverse() * normal).z.abs() > 0.86);
                        visit(x, y, depth, normal, if is_pole { dark } else { ball.colour });
                    }
                }
            }
        }
    }

    /// Colour of what is behind all walls.
    fn opaque(&self, x: i32, y: i32, sample: &Sample, samples: f32, known: &mut Vec<Lit>) -> Vec3 {
        let ray = self.ray(x, y);
        let direction = self.to_world(ray);
        let [top, bottom] = self.theme.ground();
        let ground = top.lerp(bottom, (y as f32 + 0.5) / self.size[1] as f32);
        let floor = self.nearest_floor(direction, sample.depth);
        if let Some((depth, normal)) = floor {
            return self.floor(direction, depth, normal, ground, samples, known);
        }
        if sample.depth == f32::INFINITY {
            return ground;
        }
        let view = -direction.normalize();
        let mut normal = sample.normal.normalize_or(view);
        if normal.dot(view) < 0.0 {
            // The back of an open surface.
            normal = -normal;
        }
        let light = self.light_at(self.eye + direction * sample.depth, normal, sample.depth, samples, known);
        self.lit(light, normal, view, sample.colour)
    }

    fn lit(&self, (lamp, open): (f32, f32), normal: Vec3, view: Vec3, colour: Vec3) -> Vec3 {
        let facing = normal.dot(self.lamp).max(0.0);
        let lamp = facing * lamp;
        // Half of the sphere above a surface is sky if it faces up, floor if it faces down.
        let upward = 0.5 + 0.5 * normal.dot(self.stage.up);
        let shine = (self.lamp + view).normalize_or(normal).dot(normal).max(0.0).powi(48) * 0.16;
        colour * (LAMP * lamp + SKY * open * upward + BOUNCE * (1.0 - upward) * (0.4 + 0.6 * open) + 0.03)
            + Vec3::splat(shine * if lamp > 0.0 { lamp / facing.max(1e-3) } else { 0.0 })
    }

    /// Depth and normal of the nearest floor before `limit` that is seen from above.
    fn nearest_floor(&self, direction: Vec3, limit: f32) -> Option<(f32, Vec3)> {
        let mut nearest = None;
        let mut limit = limit;
        for plane in &self.stage.planes {
            let (slope, height) = (direction.dot(plane.normal), (self.eye - plane.point).dot(plane.normal));
            let depth = -height / slope;
            if height > 0.0 && slope < 0.0 && depth < limit {
                limit = depth;
                nearest = Some((depth, plane.normal));
            }
        }
        nearest
    }

    /// A floor with lines and shadows that fades into the ground.
    fn floor(
        &self,
        direction: Vec3,
        depth: f32,
        normal: Vec3,
        ground: Vec3,
        samples: f32,
        known: &mut Vec<Lit>,
    ) -> Vec3 {
        let point = self.eye + direction * depth;
        let away = (point - self.stage.middle).reject_from(normal).length() / self.stage.reach.max(f32::MIN_POSITIVE);
        let fade = ((away - 1.1) / 1.9).clamp(0.0, 1.0);
        let fade = fade * fade * (3.0 - 2.0 * fade);
        if fade >= 1.0 {
            return ground;
        }
        let (a, b) = floor_axes(normal);
        // Lines as wide as a sample of the picture at least, fainter then.
        let width = depth / self.focal / direction.normalize().dot(normal).abs().max(0.05);
        let line = |along: f32| {
            let off = (along / self.stage.grid - (along / self.stage.grid).round()).abs() * self.stage.grid;
            let half = 0.006 * self.stage.grid;
            (1.0 - (off - half).max(0.0) / width.max(half)).clamp(0.0, 1.0) * (half / width).min(1.0).sqrt()
        };
        let lines = line(point.dot(a)).max(line(point.dot(b)));
        let colour = self.theme.floor().lerp(self.theme.lines(), lines);
        let (lamp, sky) = self.light_at(point, normal, depth, samples, known);
        let light = 0.5 * lamp + 0.5 * sky;
        (colour * (0.12 + 0.88 * light)).lerp(ground, fade)
    }
}

/// Two level directions of a floor: those of the world where it is level.
fn floor_axes(normal: Vec3) -> (Vec3, Vec3) {
    let a = [Vec3::X, Vec3::Y].into_iter().find(|axis| axis.dot(normal).abs() < 0.8).unwrap_or(Vec3::Z);
    let a = a.reject_from(normal).normalize_or(Vec3::X);
    (a, normal.cross(a))
}

/// The colour of arrows of forces.
pub(super) fn arrow_colour() -> Vec3 {
    linear(0xd7263d)
}

//! One frame of a run as a stage.

use super::camera::{Bounds, Camera};
use super::cast::{Cast, Figure, Rigid};
use super::draw::arrow_colour;
use super::field::Field;
use super::framing::Framing;
use super::solid_mesh::{SolidMesh, normals};
use super::stage::{Ball, Plane, Stage, Triangle};
use super::theme::Theme;
use super::tube;
use crate::mesh::Look;
use signorini_mechanics::{Pose, Vec3};
use signorini_scene::run::Frame;

/// Balls have darker poles up to this many: more would be noise.
const MOST_MARKED: usize = 400;
/// Planes whose normal rises more steeply than this are floors.
const FLOOR: f64 = 0.5;

/// A force as it is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Arrow {
    /// Where \[m\].
    pub(super) point: Vec3,
    /// The arrow \[m\].
    pub(super) arrow: Vec3,
}

/// The stage of a frame about the target of the camera.
pub(super) fn stage(
    cast: &Cast,
    frame: &Frame,
    framing: &Framing,
    field: &Field,
    arrows: &[Arrow],
    theme: Theme,
) -> Stage {
    let origin = framing.camera.target;
    let mut stage = Stage {
        middle: (framing.middle - origin).as_vec3(),
        reach: framing.reach as f32,
        up: cast.up.as_vec3(),
        grid: framing.grid as f32,
        ..Stage::default()
    };
    let balls = cast.rigid.iter().flat_map(|body| &body.parts);
    let is_marked = balls.filter(|part| matches!(part.figure, Figure::Ball { .. })).count() <= MOST_MARKED;
    let mut flats: Vec<(Vec3, Vec3)> = Vec::new();
    for (index, (body, state)) in cast.rigid.iter().zip(&frame.bodies).enumerate() {
        if !state.pose.position.is_finite() || !state.pose.rotation.is_finite() {
            continue;
        }
        let colour = field.of_body(index).unwrap_or(body.colour);
        for (number, part) in body.parts.iter().enumerate() {
            let pose = state.pose * part.pose;
            let centre = (pose.position - origin).as_vec3();
            match part.figure {
                Figure::Ball { radius } => {
                    let turn = (is_marked && !body.fixed).then(|| pose.rotation.as_quat());
                    stage.balls.push(Ball { centre, radius: radius as f32, colour, turn });
                }
                Figure::Plane { normal } => {
                    let normal = pose.rotation * normal;
                    match normal.dot(cast.up) >= FLOOR {
                        true => stage.planes.push(Plane { point: centre, normal: normal.as_vec3() }),
                        false => flats.push((pose.position, normal)),
                    }
                }
                Figure::Mesh { mesh, look } => {
                    let is_wall = look == Look::Wall || framing.hiding.contains(&(index, number));
                    let (to, colour) = match is_wall {
                        true => (&mut stage.walls, theme.wall()),
                        false => (&mut stage.solids, colour),
                    };
                    add(&cast.meshes[mesh], &pose, origin, colour, to);
                }
            }
        }
    }
    walls(&flats, cast, framing, theme, &mut stage);
    for (index, body) in cast.soft.iter().enumerate() {
        let Some(nodes) = frame.nodes.get(body.nodes.clone()) else { continue };
        let at = |node: u32| (nodes[node as usize] - origin).as_vec3();
        let colours = |node: u32| field.of_node(index, node).unwrap_or(body.colour);
        let corners: Vec<[glam::Vec3; 3]> = body.triangles.iter().map(|triangle| triangle.map(at)).collect();
        let smooth = normals(&corners, &body.triangles);
        for ((corners, normals), triangle) in corners.into_iter().zip(smooth).zip(&body.triangles) {
            stage.solids.push(Triangle { corners, normals, colours: triangle.map(colours) });
        }
        // Cables are seen from afar: at least two pixels wide.
        let radius = body.radius.max(framing.thinnest) as f32;
        for cable in &body.cables {
            tube::tube(cable.map(at), [radius; 2], cable.map(colours), &mut stage.solids);
            stage.balls.extend(cable.map(|end| Ball { centre: at(end), radius, colour: colours(end), turn: None }));
        }
    }
    for arrow in arrows.iter().filter(|arrow| arrow.point.is_finite() && arrow.arrow.is_finite()) {
        let [from, to] = [arrow.point, arrow.point + arrow.arrow].map(|point| (point - origin).as_vec3());
        tube::arrow(from, to, (1.2 * framing.thinnest) as f32, arrow_colour(), &mut stage.marks);
    }
    stage
}

fn add(mesh: &SolidMesh, pose: &Pose, origin: Vec3, colour: glam::Vec3, to: &mut Vec<Triangle>) {
    let (turn, shift) = (pose.rotation.as_quat(), (pose.position - origin).as_vec3());
    for (corners, normals) in mesh.corners.iter().zip(&mesh.normals) {
        to.push(Triangle {
            corners: corners.map(|corner| turn * corner + shift),
            normals: normals.map(|normal| turn * normal),
            colours: [colour; 3],
        });
    }
}

/// Steep half-spaces are the walls of a box: each as far as the others and what moves reach.
fn walls(flats: &[(Vec3, Vec3)], cast: &Cast, framing: &Framing, theme: Theme, stage: &mut Stage) {
    let origin = framing.camera.target;
    for (index, (point, normal)) in flats.iter().enumerate() {
        if normal.dot(cast.up) < -FLOOR {
            continue;
        }
        let (a, b) = normal.any_orthonormal_pair();
        let foot = framing.middle - *normal * normal.dot(framing.middle - *point);
        let far = 1.5 * framing.reach;
        let mut polygon: Vec<Vec3> =
            [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]].map(|[x, y]| foot + (a * x + b * y) * far).to_vec();
        let others = flats.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, plane)| *plane);
        let floors = stage.planes.iter().map(|plane| (origin + plane.point.as_dvec3(), plane.normal.as_dvec3()));
        let top = (framing.middle + cast.up * framing.top, -cast.up);
        let cuts: Vec<(Vec3, Vec3)> = others.chain(floors).chain([top]).collect();
        cuts.iter().for_each(|cut| clip(&mut polygon, *cut));
        let corners: Vec<glam::Vec3> = polygon.iter().map(|point| (*point - origin).as_vec3()).collect();
        let (normals, colours) = ([normal.as_vec3(); 3], [theme.wall(); 3]);
        for k in 2..corners.len() {
            stage.walls.push(Triangle { corners: [corners[0], corners[k - 1], corners[k]], normals, colours });
        }
    }
}

/// Keeps what is above a plane.
fn clip(polygon: &mut Vec<Vec3>, (point, normal): (Vec3, Vec3)) {
    let height = |corner: Vec3| normal.dot(corner - point);
    let mut kept = Vec::with_capacity(polygon.len() + 1);
    for (k, &here) in polygon.iter().enumerate() {
        let there = polygon[(k + 1) % polygon.len()];
        let (low, high) = (height(here), height(there));
        if low >= 0.0 {
            kept.push(here);
        }
        if (low < 0.0) != (high < 0.0) {
            kept.push(here.lerp(there, low / (low - high)));
        }
    }
    *polygon = kept;
}

/// Balls around what a body is made of at a pose; planes have none.
pub(super) fn bounds_of(body: &Rigid, pose: &Pose, meshes: &[SolidMesh], give: &mut Vec<Bounds>) {
    for part in &body.parts {
        let place = *pose * part.pose;
        match part.figure {
            Figure::Ball { radius } => give.push(Bounds { centre: place.position, radius }),
            Figure::Plane { .. } => {}
            Figure::Mesh { mesh, .. } => {
                let [low, high] = [meshes[mesh].low, meshes[mesh].high].map(|corner| corner.as_dvec3());
                for corner in 0..8 {
                    let pick = |bit: usize, axis: usize| if corner >> bit & 1 == 1 { high[axis] } else { low[axis] };
                    let centre = place * Vec3::new(pick(0, 0), pick(1, 1), pick(2, 2));
                    give.push(Bounds { centre, radius: 0.0 });
                }
            }
        }
    }
}

/// Whether the way from the eye to a point passes through the box of a mesh.
pub(super) fn hides(camera: &Camera, mesh: &SolidMesh, pose: &Pose, point: Vec3) -> bool {
    let back = pose.rotation.inverse();
    let [from, to] = [camera.eye, point].map(|world| back * (world - pose.position));
    let (low, high) = (mesh.low.as_dvec3(), mesh.high.as_dvec3());
    let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        let way = to[axis] - from[axis];
        if way.abs() < 1e-12 {
            if from[axis] < low[axis] || from[axis] > high[axis] {
                return false;
            }
            continue;
        }
        let [a, b] = [(low[axis] - from[axis]) / way, (high[axis] - from[axis]) / way];
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter < leave
}

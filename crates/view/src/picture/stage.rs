//! What is in a picture, in single precision about an origin near by.

use glam::{Quat, Vec3};

/// A ball.
#[derive(Clone, Copy, Debug)]
pub struct Ball {
    /// Centre \[m\].
    pub centre: Vec3,
    /// Radius \[m\].
    pub radius: f32,
    /// Linear colour.
    pub colour: Vec3,
    /// How it is turned: its poles are darker, so that rolling is seen. `None` for one colour.
    pub turn: Option<Quat>,
}

/// A triangle.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Corners \[m\], counter-clockwise from outside.
    pub corners: [Vec3; 3],
    /// Normals at the corners.
    pub normals: [Vec3; 3],
    /// Linear colours at the corners.
    pub colours: [Vec3; 3],
}

/// A floor.
#[derive(Clone, Copy, Debug)]
pub struct Plane {
    /// A point of it \[m\].
    pub point: Vec3,
    /// Unit normal.
    pub normal: Vec3,
}

/// Everything that is drawn.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Balls.
    pub balls: Vec<Ball>,
    /// Solid triangles.
    pub solids: Vec<Triangle>,
    /// Walls of containers, and what would hide the rest: translucent, from both sides.
    pub walls: Vec<Triangle>,
    /// Drawn over everything: arrows.
    pub marks: Vec<Triangle>,
    /// Floors: seen from above.
    pub planes: Vec<Plane>,
    /// Middle of what is of interest \[m\]: floors fade away from it, shadows are sharp near it.
    pub middle: Vec3,
    /// Radius of what is of interest \[m\].
    pub reach: f32,
    /// Direction against gravity.
    pub up: Vec3,
    /// Width of the cells of the floor \[m\].
    pub grid: f32,
}

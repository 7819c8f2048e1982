//! What the spheres lie in: a floor and upright walls.
//!
//! The relaxation asks a container four things: where to start, how far to fall, back inside, and how far the walls are.

/// A container with the floor z = 0 and no top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Container {
    /// The square [0, `width`]² in x and y.
    Box {
        /// Inner width.
        width: f64,
    },
    /// The disc x² + y² ≤ `radius`².
    Cylinder {
        /// Inner radius.
        radius: f64,
    },
}

/// Where the spheres of one layer start.
pub(super) struct Columns {
    /// Places in x and y.
    pub(super) places: Vec<[f64; 2]>,
    /// The area they take.
    pub(super) footprint: f64,
}

/// A wall seen from a point inside.
pub(super) struct Wall {
    /// Unit normal from the wall to the point.
    pub(super) normal: [f64; 3],
    /// Distance of the point.
    pub(super) distance: f64,
}

impl Container {
    /// The same container with all lengths multiplied.
    pub(super) fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Box { width } => Self::Box { width: width * factor },
            Self::Cylinder { radius } => Self::Cylinder { radius: radius * factor },
        }
    }

    /// Places in x and y, about `spacing` apart, for one layer of unit spheres; at least one, and not many more than
    /// `bodies`, however wide the container is.
    pub(super) fn columns(&self, spacing: f64, bodies: usize) -> Columns {
        let most = (bodies as f64).sqrt() as usize + 2;
        match *self {
            Self::Box { width } => {
                let across = ((width / spacing) as usize).clamp(1, most);
                let spacing = width / across as f64;
                let place = |k: usize| (k as f64 + 0.5) * spacing;
                let places = (0..across * across).map(|k| [place(k % across), place(k / across)]).collect();
                Columns { places, footprint: width * width }
            }
            Self::Cylinder { radius } => {
                let across = ((2.0 * radius / spacing) as usize).clamp(1, most);
                let place = |k: usize| (k as f64 - 0.5 * (across - 1) as f64) * spacing;
                let square = (0..across * across).map(|k| [place(k % across), place(k / across)]);
                let mut places: Vec<_> = square.filter(|[x, y]| x.hypot(*y) <= radius - 1.0).collect();
                if places.is_empty() {
                    places.push([0.0; 2]);
                }
                let footprint = places.len() as f64 * spacing * spacing;
                Columns { places, footprint }
            }
        }
    }

    /// Area of the floor.
    pub(super) fn area(&self) -> f64 {
        match *self {
            Self::Box { width } => width * width,
            Self::Cylinder { radius } => std::f64::consts::PI * radius * radius,
        }
    }

    /// Moves the centre of a unit sphere to the nearest place where the sphere is inside.
    pub(super) fn keep_inside(&self, centre: &mut [f64; 3]) {
        match *self {
            Self::Box { width } => {
                centre[0] = centre[0].clamp(1.0, width - 1.0);
                centre[1] = centre[1].clamp(1.0, width - 1.0);
            }
            Self::Cylinder { radius } => {
                let (squared, most) = (centre[0].powi(2) + centre[1].powi(2), (radius - 1.0).max(0.0));
                if squared > most * most {
                    let shrink = most / squared.sqrt();
                    centre[0] *= shrink;
                    centre[1] *= shrink;
                }
            }
        }
        centre[2] = centre[2].max(1.0);
    }

    /// The floor and the walls, as seen from a point. Of a cylinder only the nearest place of its wall: the others
    /// touch a sphere only if it is as wide as the cylinder.
    pub(super) fn walls(&self, [x, y, z]: [f64; 3]) -> Vec<Wall> {
        let wall = |normal, distance| Wall { normal, distance };
        let floor = wall([0.0, 0.0, 1.0], z);
        match *self {
            Self::Box { width } => vec![
                floor,
                wall([1.0, 0.0, 0.0], x),
                wall([-1.0, 0.0, 0.0], width - x),
                wall([0.0, 1.0, 0.0], y),
                wall([0.0, -1.0, 0.0], width - y),
            ],
            Self::Cylinder { radius } => {
                let off_axis = x.hypot(y);
                // On the axis every direction is as good.
                let inwards = if off_axis > 0.0 { [-x / off_axis, -y / off_axis, 0.0] } else { [-1.0, 0.0, 0.0] };
                vec![floor, wall(inwards, radius - off_axis)]
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Generator;
    use super::*;

    #[test]
    fn moved_inside_is_the_nearest_place_and_walls_are_where_it_stops() {
        let mut generator = Generator::new(5);
        for container in [Container::Box { width: 8.0 }, Container::Cylinder { radius: 5.0 }] {
            for _ in 0..200 {
                let outside = generator.vector(12.0);
                let mut inside = outside;
                container.keep_inside(&mut inside);
                let walls = container.walls(inside);
                assert!(walls.iter().all(|wall| wall.distance > 1.0 - 1e-14));
                // The way back is a sum of normals of the walls that hold it there, none of them pulling.
                let mut way: [f64; 3] = std::array::from_fn(|k| inside[k] - outside[k]);
                for wall in walls.iter().filter(|wall| wall.distance < 1.0 + 1e-14) {
                    let along: f64 = (0..3).map(|k| wall.normal[k] * way[k]).sum();
                    assert!(along > -1e-14);
                    way = std::array::from_fn(|k| way[k] - along * wall.normal[k]);
                }
                assert!(way.iter().all(|x| x.abs() < 1e-13), "{container:?} {outside:?} {inside:?}");
            }
        }
    }

    #[test]
    fn columns_are_apart_inside_and_no_more_than_needed() {
        for container in [Container::Box { width: 40.0 }, Container::Cylinder { radius: 20.0 }] {
            let columns = container.columns(2.12, 10_000).places;
            assert!((200..400).contains(&columns.len()), "{container:?}: {} columns", columns.len());
            for (i, [x, y]) in columns.iter().enumerate() {
                assert!(container.walls([*x, *y, 1.0]).iter().all(|wall| wall.distance >= 1.0));
                assert!(columns[..i].iter().all(|[u, v]| (x - u).hypot(y - v) > 2.1));
            }
            assert!(container.scaled(1e6).columns(2.12, 10).places.len() <= 25);
        }
        for radius in [0.5, 1.0, 1.5] {
            assert_eq!(Container::Cylinder { radius }.columns(2.12, 10).places, [[0.0; 2]]);
        }
    }
}

//! What holds bodies: how deep a point is behind it.

use glam::DVec3;

/// What holds bodies, by formulas.
#[derive(Clone, Debug)]
pub enum Ground {
    /// The inside of a convex room: unit normals out of it and their distances n·x ≤ d from the origin \[m\].
    Room(Vec<(DVec3, f64)>),
    /// The inside of a cone or cylinder about z over the floor z = 0: inner radius at the floor, and its growth per height.
    Funnel {
        /// Inner radius at z = 0 \[m\].
        foot: f64,
        /// dr/dz.
        slope: f64,
    },
    /// Everything above a surface of triangles over a square about the origin: heights row by row.
    Hills {
        /// Side of a cell \[m\].
        cell: f64,
        /// Cells per side.
        cells: usize,
        /// Heights of the corners of cells \[m\], x first.
        heights: Vec<f64>,
    },
}

impl Ground {
    /// How deep a point is behind it \[m\]: along the normal of the nearest face or wall; 0 for what is in front. A body whose centre is inside reaches behind it by the
    /// deepest of its points.
    #[must_use]
    pub fn depth(&self, x: DVec3) -> f64 {
        match self {
            Self::Room(faces) => faces.iter().map(|(n, d)| n.dot(x) - d).fold(0.0, f64::max),
            Self::Funnel { foot, slope } => {
                let wall = (x.x.hypot(x.y) - foot - slope * x.z) / slope.hypot(1.0);
                wall.max(-x.z).max(0.0)
            }
            Self::Hills { .. } => self.depth_below_hills(x),
        }
    }

    /// Corners of the triangles of a cell of hills.
    fn cell_corners(&self, ix: usize, iy: usize) -> [[DVec3; 3]; 2] {
        let Self::Hills { cell, cells, heights } = self else { return [[DVec3::ZERO; 3]; 2] };
        let at = |ix: usize, iy: usize| {
            let place = |i: usize| (i as f64 - 0.5 * *cells as f64) * cell;
            DVec3::new(place(ix), place(iy), heights[iy * (cells + 1) + ix])
        };
        let (low, high) = (at(ix, iy), at(ix + 1, iy + 1));
        [[low, at(ix + 1, iy), high], [low, high, at(ix, iy + 1)]]
    }

    fn depth_below_hills(&self, x: DVec3) -> f64 {
        let Self::Hills { cell, cells, .. } = self else { return 0.0 };
        // Beside the hills there is no ground.
        if x.x.abs().max(x.y.abs()) > 0.5 * *cells as f64 * cell {
            return 0.0;
        }
        let to_cell = |x: f64| (x / cell + 0.5 * *cells as f64).clamp(0.0, *cells as f64 - 1e-9);
        let (u, v) = (to_cell(x.x), to_cell(x.y));
        let (ix, iy) = (u as usize, v as usize);
        let [right, left] = self.cell_corners(ix, iy);
        let [a, b, c] = if u - ix as f64 >= v - iy as f64 { right } else { left };
        let n = (b - a).cross(c - a);
        let below = n.dot(a - x) / n.z;
        if below <= 0.0 {
            return 0.0;
        }
        // The nearest point of the surface is at most as far as that straight above.
        let cells_away = (below / cell).ceil() as usize;
        let range = |i: usize| i.saturating_sub(cells_away)..(i + cells_away + 1).min(*cells);
        let mut least = below;
        for iy in range(iy) {
            for corners in range(ix).flat_map(|ix| self.cell_corners(ix, iy)) {
                least = least.min(distance(x, corners));
            }
        }
        least
    }

    /// The triangles of hills: corners, and three of them each.
    #[must_use]
    pub fn triangles(&self) -> (Vec<DVec3>, Vec<[u32; 3]>) {
        let Self::Hills { cell, cells, heights } = self else { return (Vec::new(), Vec::new()) };
        let place = |i: usize| (i as f64 - 0.5 * *cells as f64) * cell;
        let row = cells + 1;
        let corners = (0..row * row).map(|i| DVec3::new(place(i % row), place(i / row), heights[i])).collect();
        let cells = (0..*cells).flat_map(|iy| (0..*cells).map(move |ix| (iy * row + ix) as u32));
        let above = row as u32;
        let faces = cells.flat_map(|low| [[low, low + 1, low + above + 1], [low, low + above + 1, low + above]]);
        (corners, faces.collect())
    }
}

/// Distance of a point from a triangle: from its plane if the foot is inside, else from its sides.
fn distance(point: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
    let normal = (b - a).cross(c - a).normalize();
    let foot = point - normal * normal.dot(point - a);
    let sides = [(a, b), (b, c), (c, a)];
    if sides.iter().all(|(p, q)| (*q - *p).cross(foot - *p).dot(normal) >= 0.0) {
        return (point - foot).length();
    }
    let from_side = |(p, q): (DVec3, DVec3)| {
        let share = ((point - p).dot(q - p) / (q - p).length_squared()).clamp(0.0, 1.0);
        (point - p - (q - p) * share).length()
    };
    sides.map(from_side).into_iter().fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths_of_known_points() {
        let room = Ground::Room(vec![(DVec3::X, 1.0), (-DVec3::Z, 0.0)]);
        assert_eq!(room.depth(DVec3::new(1.25, 0.0, 3.0)), 0.25);
        assert_eq!(room.depth(DVec3::new(0.0, 0.0, -0.5)), 0.5);
        assert_eq!(room.depth(DVec3::new(0.0, 5.0, 0.5)), 0.0);
        let funnel = Ground::Funnel { foot: 1.0, slope: 0.75 };
        assert!((funnel.depth(DVec3::new(0.0, 1.0 + 0.75 + 0.5, 1.0)) - 0.4).abs() < 1e-12);
        // A valley of two slopes of 45 degrees along y.
        let heights = (0..3).flat_map(|_| [1.0, 0.0, 1.0]).collect();
        let valley = Ground::Hills { cell: 1.0, cells: 2, heights };
        assert!((valley.depth(DVec3::new(0.5, 0.1, 0.3)) - 0.2 / 2.0_f64.sqrt()).abs() < 1e-12);
        assert_eq!(valley.depth(DVec3::new(-0.5, 0.1, 0.6)), 0.0);
        assert_eq!(valley.triangles().1.len(), 8);
    }
}

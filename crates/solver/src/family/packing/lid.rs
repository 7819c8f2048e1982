//! A heavy upright cylinder that lies on the spheres.

/// A solid cylinder to be put on a pile.
#[derive(Clone, Debug, PartialEq)]
pub struct Lid {
    /// Radius R \[m\]; the gap it leaves to the container should let spheres through or be closed to them.
    pub radius: f64,
    /// Height H \[m\]; with the mass it gives the density.
    pub height: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// Mass under which the pile comes to rest \[kg\], level. Lids that differ in `mass` only lie on the same pile, which
    /// bears this one and gives way to heavier ones.
    pub settling_mass: f64,
}

impl Default for Lid {
    /// At half a metre lids of 1, 4 and 16 t have 500, 2000 and 8000 kg/m³: wood, concrete, steel.
    fn default() -> Self {
        Self { radius: 1.125, height: 0.5, mass: 1000.0, settling_mass: 1000.0 }
    }
}

impl Lid {
    /// Mass matrix: m, m, m, then m(3R² + H²)/12 about x and y and mR²/2 about the axis.
    #[must_use]
    pub fn masses(&self) -> [f64; 6] {
        let across = self.mass * (3.0 * self.radius.powi(2) + self.height.powi(2)) / 12.0;
        [self.mass, self.mass, self.mass, across, across, 0.5 * self.mass * self.radius.powi(2)]
    }
}

/// Where the lid lies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PackedLid {
    /// Its centre \[m\].
    pub centre: [f64; 3],
    /// Its radius \[m\].
    pub radius: f64,
    /// Its height \[m\].
    pub height: f64,
}

/// The bottom and the side of a lid on the axis of the container. The top is left out, so that lids of any height
/// make the same pile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plunger {
    pub(super) radius: f64,
    /// Height of its lower face above the floor.
    pub(super) bottom: f64,
}

impl Plunger {
    /// Unit normal from the plunger to a point outside it, and the distance; of a point inside, the way down.
    ///
    /// ```text
    /// nearest point p:  radial part shortened to R,  z raised to the bottom
    /// ```
    pub(super) fn towards(&self, [x, y, z]: [f64; 3]) -> ([f64; 3], f64) {
        let off_axis = x.hypot(y);
        let beyond = 1.0 - (self.radius / off_axis).min(1.0);
        let way = [x * beyond, y * beyond, (z - self.bottom).min(0.0)];
        let distance = way.iter().map(|x| x * x).sum::<f64>().sqrt();
        if distance > 0.0 { (way.map(|x| x / distance), distance) } else { ([0.0, 0.0, -1.0], self.bottom - z) }
    }

    /// Moves the centre of a unit sphere until the sphere is outside.
    pub(super) fn keep_outside(&self, centre: &mut [f64; 3]) {
        if centre[2] > self.bottom - 1.0 {
            let (normal, distance) = self.towards(*centre);
            if distance < 1.0 {
                *centre = std::array::from_fn(|axis| centre[axis] + (1.0 - distance) * normal[axis]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inertia_is_that_of_the_volume_integral() {
        let lid = Lid { radius: 1.2, height: 0.7, mass: 3.0, ..Lid::default() };
        // ∫ (y² + z²) dm and ∫ (x² + y²) dm by the midpoint rule, second order.
        let (cells, mut sums) = (120, [0.0; 3]);
        for i in 0..cells * cells * cells {
            let unit = |k: usize| (k % cells) as f64 / cells as f64 + 0.5 / cells as f64 - 0.5;
            let (x, y) = (2.0 * lid.radius * unit(i), 2.0 * lid.radius * unit(i / cells));
            let z = lid.height * unit(i / cells / cells);
            if x.hypot(y) < lid.radius {
                sums[0] += 1.0;
                sums[1] += y * y + z * z;
                sums[2] += x * x + y * y;
            }
        }
        let masses = lid.masses();
        for (entry, sum) in [(3, sums[1]), (4, sums[1]), (5, sums[2])] {
            let integral = lid.mass * sum / sums[0];
            assert!((masses[entry] / integral - 1.0).abs() < 2e-3, "{entry}: {} {integral}", masses[entry]);
        }
    }

    #[test]
    fn distances_are_those_to_the_bottom_the_rim_and_the_side() {
        let plunger = Plunger { radius: 5.0, bottom: 10.0 };
        for (point, normal, distance) in [
            ([3.0, 0.0, 8.0], [0.0, 0.0, -1.0], 2.0),
            ([0.0, 0.0, 9.5], [0.0, 0.0, -1.0], 0.5),
            ([0.0, 8.0, 6.0], [0.0, 0.6, -0.8], 5.0),
            ([0.0, -7.0, 12.0], [0.0, -1.0, 0.0], 2.0),
            ([1.0, 1.0, 10.25], [0.0, 0.0, -1.0], -0.25),
        ] {
            let (found, found_distance) = plunger.towards(point);
            assert!((0..3).all(|k| (found[k] - normal[k]).abs() < 1e-15), "{point:?}: {found:?}");
            assert!((found_distance - distance).abs() < 1e-15, "{point:?}: {found_distance}");
        }
    }
}

//! The convex hull of points: vertices and flat faces.
//!
//! Points are added one by one: the triangles that see the new point are taken away, and the rim of the hole is joined to
//! it. Neighbouring triangles in one plane then become one face.

use crate::ShapeError;
use glam::DVec3;

/// Points closer than this to a plane are on it; relative to the size of the hull.
const ON_PLANE: f64 = 1e-12;
/// Thinner than this, relative to its size: a hull is flat.
const FLAT: f64 = 1e-9;
/// Neighbouring triangles are one face when no corner is farther from the common plane than this, relative to the size.
/// Well above `ON_PLANE`, well below what a contact can tell.
const ONE_FACE: f64 = 1e-10;

/// Sizes whose third powers are numbers.
const SIZES: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

/// A flat face.
#[derive(Clone, Debug)]
pub(crate) struct HullFace {
    /// Unit normal, outwards.
    pub(crate) normal: DVec3,
    /// Its corners, counter-clockwise seen from outside.
    pub(crate) corners: Vec<u32>,
}

/// A convex polyhedron.
#[derive(Clone, Debug)]
pub(crate) struct Hull {
    pub(crate) vertices: Vec<DVec3>,
    pub(crate) faces: Vec<HullFace>,
    /// The same surface as triangles.
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// The convex hull of points: its corners, and its flat faces, each with its corners counter-clockwise seen from outside.
///
/// # Errors
/// Fewer than four points, points that are not finite or that lie in one plane.
pub fn hull_faces(points: &[DVec3]) -> Result<(Vec<DVec3>, Vec<Vec<u32>>), ShapeError> {
    let hull = Hull::new(points)?;
    Ok((hull.vertices, hull.faces.into_iter().map(|face| face.corners).collect()))
}

fn refused(problem: String) -> ShapeError {
    ShapeError::Geometry { shape: "convex-hull", problem }
}

struct Facet {
    corners: [u32; 3],
    normal: DVec3,
}

impl Hull {
    /// The hull of at least four points that do not lie in one plane.
    ///
    /// # Errors
    /// Too few points, points that are not finite, points in one plane.
    pub(crate) fn new(points: &[DVec3]) -> Result<Self, ShapeError> {
        super::check::finite_points("convex-hull", points)?;
        if points.len() < 4 {
            return Err(refused(format!("it has {} points, expected at least 4", points.len())));
        }
        let (start, size) = first_tetrahedron(points)?;
        let tolerance = ON_PLANE * size;
        let mut facets: Vec<Facet> = Vec::new();
        let [a, b, c, d] = start;
        for corners in [[a, b, c], [a, d, b], [b, d, c], [c, d, a]] {
            facets.push(Facet { corners, normal: unit_normal(points, corners) });
        }
        let mut rim: Vec<(u32, u32)> = Vec::new();
        for (index, &point) in points.iter().enumerate() {
            if start.contains(&(index as u32)) {
                continue;
            }
            let sees = |facet: &Facet| facet.normal.dot(point - points[facet.corners[0] as usize]) > tolerance;
            rim.clear();
            for facet in facets.iter().filter(|facet| sees(facet)) {
                let [a, b, c] = facet.corners;
                rim.extend([(a, b), (b, c), (c, a)]);
            }
            if rim.is_empty() {
                continue;
            }
            facets.retain(|facet| !sees(facet));
            // A side whose reverse is also seen is inside the hole, not on its rim.
            let sides = rim.clone();
            rim.retain(|&(p, q)| !sides.contains(&(q, p)));
            for &(p, q) in &rim {
                let corners = [p, q, index as u32];
                facets.push(Facet { corners, normal: unit_normal(points, corners) });
            }
        }
        Self::finish(points, &facets, size)
    }

    fn finish(points: &[DVec3], facets: &[Facet], size: f64) -> Result<Self, ShapeError> {
        let mut new_index = vec![u32::MAX; points.len()];
        let mut vertices = Vec::new();
        let mut triangles = Vec::new();
        for facet in facets {
            triangles.push(facet.corners.map(|corner| {
                let slot = &mut new_index[corner as usize];
                if *slot == u32::MAX {
                    *slot = vertices.len() as u32;
                    vertices.push(points[corner as usize]);
                }
                *slot
            }));
        }
        let faces = merge_faces(&vertices, &triangles, ONE_FACE * size);
        for face in &faces {
            if face.corners.len() < 3 {
                return Err(refused("its points lie so close to common planes that no hull is found".into()));
            }
            let origin = vertices[face.corners[0] as usize];
            let outside = vertices.iter().map(|&v| face.normal.dot(v - origin)).fold(0.0, f64::max);
            if outside.is_nan() || outside > FLAT * size {
                return Err(refused(format!(
                    "its points lie so close to common planes that no hull is found: a point is {outside:e} m outside a face"
                )));
            }
        }
        Ok(Self { vertices, faces, triangles })
    }
}

/// Four points far from a common plane (counter-clockwise triangle abc seen from outside, d behind), and the size.
fn first_tetrahedron(points: &[DVec3]) -> Result<([u32; 4], f64), ShapeError> {
    let farthest = |measure: &dyn Fn(DVec3) -> f64| {
        let mut best = (0, f64::NEG_INFINITY);
        for (index, &point) in points.iter().enumerate() {
            let value = measure(point);
            if value > best.1 {
                best = (index, value);
            }
        }
        best
    };
    let (a, _) = farthest(&|p| -p.x - p.y - p.z);
    let (b, size) = farthest(&|p| (p - points[a]).length());
    let flat = |what: &str| refused(format!("its {} points lie {what}: a hull needs a volume", points.len()));
    if size == 0.0 {
        return Err(flat("in one point"));
    }
    if !SIZES.contains(&size) {
        return Err(refused(format!("its size is {size:e} m, expected {:e} to {:e} m", SIZES.start(), SIZES.end())));
    }
    let along = (points[b] - points[a]) / size;
    let (c, width) = farthest(&|p| (p - points[a]).cross(along).length());
    if width <= FLAT * size {
        return Err(flat("on one line"));
    }
    let normal = along.cross(points[c] - points[a]).normalize();
    let (d, thickness) = farthest(&|p| normal.dot(p - points[a]).abs());
    if thickness <= FLAT * size {
        return Err(flat("in one plane"));
    }
    let [a, b, c, d] = [a, b, c, d].map(|index| index as u32);
    let above = normal.dot(points[d as usize] - points[a as usize]) > 0.0;
    Ok((if above { [a, c, b, d] } else { [a, b, c, d] }, size))
}

fn unit_normal(points: &[DVec3], corners: [u32; 3]) -> DVec3 {
    let [a, b, c] = corners.map(|corner| points[corner as usize]);
    (b - a).cross(c - a).normalize_or_zero()
}

/// Joins triangles in one plane, the largest first, so that slivers never decide a plane.
fn merge_faces(vertices: &[DVec3], triangles: &[[u32; 3]], tolerance: f64) -> Vec<HullFace> {
    let area_vector = |t: usize| {
        let [a, b, c] = triangles[t].map(|corner| vertices[corner as usize]);
        (b - a).cross(c - a)
    };
    // Sorted by directed side, so that the neighbour across (p, q) is found as (q, p).
    let mut sides: Vec<((u32, u32), usize)> = Vec::new();
    for (t, &[a, b, c]) in triangles.iter().enumerate() {
        sides.extend([((a, b), t), ((b, c), t), ((c, a), t)]);
    }
    sides.sort_unstable();
    let across = |p: u32, q: u32| sides.binary_search_by(|side| side.0.cmp(&(q, p))).ok().map(|found| sides[found].1);
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    order.sort_by(|&s, &t| area_vector(t).length_squared().total_cmp(&area_vector(s).length_squared()).then(s.cmp(&t)));
    let mut owner = vec![usize::MAX; triangles.len()];
    let mut faces = Vec::new();
    for &seed in &order {
        if owner[seed] != usize::MAX {
            continue;
        }
        let origin = vertices[triangles[seed][0] as usize];
        let normal = area_vector(seed).normalize_or_zero();
        let face = faces.len();
        owner[seed] = face;
        let mut members = vec![seed];
        let mut next = 0;
        while next < members.len() {
            let [a, b, c] = triangles[members[next]];
            next += 1;
            for (p, q) in [(a, b), (b, c), (c, a)] {
                let Some(neighbour) = across(p, q) else { continue };
                let in_plane = |&v: &u32| normal.dot(vertices[v as usize] - origin).abs() <= tolerance;
                // A sliver may lie in the plane and yet face the other way; its corners decide, not its normal.
                if owner[neighbour] == usize::MAX && triangles[neighbour].iter().all(in_plane) {
                    owner[neighbour] = face;
                    members.push(neighbour);
                }
            }
        }
        let total: DVec3 = members.iter().map(|&t| area_vector(t)).sum();
        let mut boundary: Vec<(u32, u32)> = Vec::new();
        for &t in &members {
            let [a, b, c] = triangles[t];
            for (p, q) in [(a, b), (b, c), (c, a)] {
                if across(p, q).is_none_or(|other| owner[other] != face) {
                    boundary.push((p, q));
                }
            }
        }
        faces.push(HullFace { normal: total.normalize_or_zero(), corners: chain(&boundary) });
    }
    faces
}

/// The loop that directed sides form.
fn chain(sides: &[(u32, u32)]) -> Vec<u32> {
    let mut corners = Vec::with_capacity(sides.len());
    let Some(&(first, mut at)) = sides.first() else { return corners };
    corners.push(first);
    while at != first && corners.len() < sides.len() {
        corners.push(at);
        match sides.iter().find(|side| side.0 == at) {
            Some(side) => at = side.1,
            None => break,
        }
    }
    corners
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn a_cube_with_points_on_its_faces_and_inside_has_eight_corners_and_six_squares() {
        let mut points = Vec::new();
        for x in [-1.0, 0.0, 1.0] {
            for y in [-1.0, 0.25, 1.0] {
                for z in [-1.0, 0.5, 1.0] {
                    points.push(DVec3::new(x, y, z));
                }
            }
        }
        let hull = Hull::new(&points).unwrap();
        assert_eq!(hull.faces.len(), 6);
        for face in &hull.faces {
            assert!((face.normal.abs().max_element() - 1.0).abs() < 1e-15);
        }
    }

    #[test]
    fn no_point_of_a_cloud_is_outside_its_hull_and_euler_holds() {
        let mut random = Random::new(7);
        for _ in 0..50 {
            let points: Vec<DVec3> = (0..40).map(|_| random.point()).collect();
            let hull = Hull::new(&points).unwrap();
            let edges: usize = hull.faces.iter().map(|face| face.corners.len()).sum::<usize>() / 2;
            assert_eq!(hull.vertices.len() + hull.faces.len(), edges + 2);
            for face in &hull.faces {
                for &point in &points {
                    assert!(face.normal.dot(point - hull.vertices[face.corners[0] as usize]) < 1e-11);
                }
            }
        }
    }
}

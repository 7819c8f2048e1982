//! The bodies, forces and shapes of a beam.

use super::{BeamError, BeamForce, BeamLine, BeamSkin};
use crate::flexible::element::Beam;
use crate::flexible::material::Rayleigh;
use crate::{Body, BodyId, Collider, Mat3, ModelBuilder, ParameterError, Pose, Quat, Shape, Vec3};

/// Directions nearer than this sine to an element are not across it.
const LEAST_SINE: f64 = 1e-3;
/// Where a direction is chosen, it keeps this sine from every element.
const CHOSEN_SINE: f64 = 0.1;

/// What a beam is made of: [`super::BeamLine::add_to`] puts it into a model; callers who name bodies themselves add the nodes, then
/// call [`BeamPlan::connect`].
#[derive(Clone, Debug)]
pub struct BeamPlan {
    /// The nodes as bodies, `NAME/0` first.
    pub nodes: Vec<Body>,
    /// The elements, each from a node to the next.
    pub elements: Vec<Beam>,
    /// The shape of every node; empty without a skin.
    pub colliders: Vec<Collider>,
    /// Pairs of nodes whose shapes do not touch.
    pub excluded: Vec<[usize; 2]>,
    name: String,
    damping: Rayleigh,
}

impl BeamPlan {
    /// Name of an element as a force: `NAME/0` is that between nodes 0 and 1.
    #[must_use]
    pub fn element_name(&self, element: usize) -> String {
        format!("{}/{element}", self.name)
    }

    /// An element of it as a force between two bodies.
    #[must_use]
    pub fn force(&self, element: &Beam, nodes: [BodyId; 2]) -> BeamForce {
        BeamForce::new(nodes, element.clone(), self.damping)
    }

    /// Adds forces and shapes to a model in which the nodes are these bodies, in their order.
    pub fn connect(&self, nodes: &[BodyId], model: &mut ModelBuilder) {
        for (k, (beam, pair)) in self.elements.iter().zip(nodes.windows(2)).enumerate() {
            model.force(self.element_name(k), self.force(beam, [pair[0], pair[1]]));
        }
        for (node, collider) in nodes.iter().zip(&self.colliders) {
            model.collider(*node, collider.clone());
        }
        for &[a, b] in &self.excluded {
            model.exclude(nodes[a], nodes[b]);
        }
    }
}

/// The plan of a line.
pub(super) fn of(line: &BeamLine) -> Result<BeamPlan, BeamError> {
    let beam = || line.name.clone();
    let parameter = |error| BeamError::Parameter { beam: beam(), error };
    let points = &line.points;
    check_points(&line.name, points)?;
    line.section.validate().map_err(parameter)?;
    line.material.validate().map_err(parameter)?;
    if let Some(skin) = &line.skin {
        check_skin(skin).map_err(parameter)?;
    }
    if !(line.velocity.is_finite() && line.angular_velocity.is_finite()) {
        return Err(parameter(ParameterError::number("velocity", f64::NAN, "finite numbers")));
    }
    let count = points.len();
    if count == 2 && line.clamped == [true, true] {
        return Err(BeamError::NothingMoves { beam: beam() });
    }
    let directions: Vec<Vec3> = points.windows(2).map(|pair| (pair[1] - pair[0]).normalize()).collect();
    let up = up(line, &directions)?;
    let poses: Vec<Pose> = (0..count).map(|i| Pose::new(points[i], node_axes(&directions, i, up))).collect();
    let elements: Vec<Beam> = poses
        .windows(2)
        .zip(&directions)
        .enumerate()
        .map(|(element, (pair, along))| {
            Beam::new(&[pair[0], pair[1]], up.cross(*along), &line.section, &line.material, line.theory)
                .map_err(|error| BeamError::Element { beam: beam(), element, error })
        })
        .collect::<Result<_, _>>()?;
    let plan = BeamPlan {
        nodes: bodies(line, &poses, &elements),
        colliders: line.skin.iter().flat_map(|skin| colliders(skin, &poses)).collect(),
        excluded: line.skin.iter().flat_map(|skin| neighbours(skin, points)).collect(),
        elements,
        name: beam(),
        damping: line.material.damping,
    };
    Ok(plan)
}

fn check_points(beam: &str, points: &[Vec3]) -> Result<(), BeamError> {
    if points.len() < 2 {
        return Err(BeamError::TooFewPoints { beam: beam.to_owned(), found: points.len() });
    }
    if let Some(index) = points.iter().position(|point| !point.is_finite()) {
        return Err(BeamError::NotFinite { beam: beam.to_owned(), index, point: points[index].to_array() });
    }
    // Shorter than rounding of the coordinates, a side has no direction.
    let is_same = |pair: &[Vec3]| {
        let size = pair[0].abs().max_element().max(pair[1].abs().max_element());
        let distance = (pair[1] - pair[0]).abs().max_element();
        distance <= 1e-12 * size || distance < f64::MIN_POSITIVE.sqrt()
    };
    match points.windows(2).position(is_same) {
        Some(index) => Err(BeamError::RepeatedPoint { beam: beam.to_owned(), index, point: points[index].to_array() }),
        None => Ok(()),
    }
}

fn check_skin(skin: &BeamSkin) -> Result<(), ParameterError> {
    if skin.radius <= 0.0 || !skin.radius.is_finite() {
        return Err(ParameterError::number("radius of the skin", skin.radius, "a finite length > 0"));
    }
    if skin.margin < 0.0 || !skin.margin.is_finite() {
        return Err(ParameterError::number("margin of the skin", skin.margin, "a finite length ≥ 0"));
    }
    Ok(())
}

/// The direction of the section's z axis that was asked for, or one that is across all elements.
fn up(line: &BeamLine, directions: &[Vec3]) -> Result<Vec3, BeamError> {
    let along = |up: Vec3, least: f64| directions.iter().position(|direction| direction.cross(up).length() <= least);
    if let Some(given) = line.up {
        // Scaled first: squares of tiny or huge numbers are not numbers.
        let unit = (given / given.abs().max_element()).try_normalize().filter(|_| given.is_finite());
        return match unit.map(|unit| (unit, along(unit, LEAST_SINE))) {
            Some((unit, None)) => Ok(unit),
            found => {
                let element = found.and_then(|(_, element)| element).unwrap_or(0);
                Err(BeamError::Up { beam: line.name.clone(), up: given.to_array(), element })
            }
        };
    }
    let usual = [Vec3::Z, Vec3::Y, Vec3::X, Vec3::ONE.normalize()];
    usual.into_iter().find(|up| along(*up, CHOSEN_SINE).is_none()).ok_or_else(|| {
        let element = along(Vec3::Z, CHOSEN_SINE).unwrap_or(0);
        BeamError::Up { beam: line.name.clone(), up: Vec3::Z.to_array(), element }
    })
}

/// Axes of a node: x along the mean of the elements beside it, y across `up`.
fn node_axes(directions: &[Vec3], node: usize, up: Vec3) -> Quat {
    let before = directions[node.saturating_sub(1)];
    let after = directions[node.min(directions.len() - 1)];
    // A beam that turns back on itself, or whose mean is along `up`, keeps the axes of the element after.
    let usable = |x: &Vec3| x.cross(up).length() > LEAST_SINE;
    let x = (before + after).try_normalize().filter(usable).unwrap_or(after);
    let y = up.cross(x).normalize();
    Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize()
}

fn bodies(line: &BeamLine, poses: &[Pose], elements: &[Beam]) -> Vec<Body> {
    let mut masses = vec![(0.0, Mat3::ZERO); poses.len()];
    for (k, beam) in elements.iter().enumerate() {
        for (side, own) in beam.lumped_mass().iter().enumerate() {
            let (mass, inertia) = &mut masses[k + side];
            *mass += own.mass;
            *inertia += own.inertia;
        }
    }
    let total: f64 = masses.iter().map(|(mass, _)| mass).sum();
    let centre = masses.iter().zip(poses).map(|((mass, _), pose)| pose.position * (mass / total)).sum::<Vec3>();
    let last = poses.len() - 1;
    let node = |(k, ((mass, inertia), pose)): (usize, (&(f64, Mat3), &Pose))| {
        let name = format!("{}/{k}", line.name);
        let is_clamped = (k == 0 && line.clamped[0]) || (k == last && line.clamped[1]);
        if is_clamped {
            return Body::fixed(name).posed(*pose);
        }
        let velocity = line.velocity + line.angular_velocity.cross(pose.position - centre);
        let angular = pose.rotation.conjugate() * line.angular_velocity;
        let symmetric = (*inertia + inertia.transpose()) * 0.5;
        Body::new(name, *mass, symmetric).posed(*pose).moving(velocity, angular)
    };
    masses.iter().zip(poses).enumerate().map(node).collect()
}

/// One capsule a node, between the middles of the elements beside it; the ends reach to the node itself.
fn colliders(skin: &BeamSkin, poses: &[Pose]) -> Vec<Collider> {
    let middle = |a: usize, b: usize| (poses[a].position + poses[b].position) * 0.5;
    let last = poses.len() - 1;
    let of_node = |k: usize| {
        let (from, to) = (middle(k.saturating_sub(1), k), middle(k, (k + 1).min(last)));
        let inverse = poses[k].inverse();
        let axis = to - from;
        let turn = match axis.try_normalize() {
            Some(direction) => Quat::from_rotation_arc(Vec3::Z, inverse.rotation * direction),
            None => Quat::IDENTITY,
        };
        let shape = match axis.length() > 1e-9 * skin.radius {
            true => Shape::Capsule { half_height: 0.5 * axis.length(), radius: skin.radius },
            false => Shape::Sphere { radius: skin.radius },
        };
        let pose = Pose::new(inverse * ((from + to) * 0.5), turn.normalize());
        Collider { shape, pose, material: skin.material, groups: skin.groups, margin: skin.margin }
    };
    (0..poses.len()).map(of_node).collect()
}

/// Pairs of nodes beside each other, or whose capsules have less than four radii of beam between them.
fn neighbours(skin: &BeamSkin, points: &[Vec3]) -> Vec<[usize; 2]> {
    let mut pairs = Vec::new();
    for first in 0..points.len() {
        // Beam between the end of one capsule and the start of the other: whole elements, and half of the first and last.
        let mut between = 0.0;
        for second in first + 1..points.len() {
            let side = (points[second] - points[second - 1]).length();
            if second > first + 1 && between + 0.5 * side > 4.0 * skin.radius {
                break;
            }
            pairs.push([first, second]);
            between += if second == first + 1 { 0.5 * side } else { side };
        }
    }
    pairs
}

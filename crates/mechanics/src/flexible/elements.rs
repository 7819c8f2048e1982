//! All elements of one flexible body: one dispatch for every kind.

use super::body::{FlexibleBody, MassMatrix, StressLaw, Structure};
use super::element::{Cable, Corotational, ElementError, Hyperelastic, PointState, Reference, Solid, Tangent, mass};
use super::mesh::{ElementKind, VolumeMesh};
use crate::Vec3;

/// Nodes of the largest element.
pub(crate) const MOST_NODES: usize = 10;
/// Velocities of the largest element.
pub(crate) const MOST_COLUMNS: usize = 3 * MOST_NODES;

/// Elements of one kind.
enum Group {
    Corotational4(Vec<Corotational<4>>),
    Corotational10(Vec<Corotational<10>>),
    Corotational8(Vec<Corotational<8>>),
    Hyperelastic4(Vec<Hyperelastic<4, 1>>),
    Hyperelastic10(Vec<Hyperelastic<10, 4>>),
    Hyperelastic8(Vec<Hyperelastic<8, 8>>),
    Cables(Vec<Cable>),
}

/// All elements of one flexible body.
pub(crate) struct Elements {
    group: Group,
    /// Nodes of all elements, one after the other, counted over all flexible bodies.
    connectivity: Vec<u32>,
    /// Nodes of an element.
    width: usize,
    /// β of Rayleigh's damping \[s\]; cables have dampers of their own.
    stiffness_damping: f64,
}

/// What an element does at one place.
pub(crate) struct Response<'a> {
    /// Force on its nodes \[N\], damping included.
    pub(crate) force: &'a mut [Vec3],
    /// R v: what damping would take if it were linear \[N\].
    pub(crate) resistance: &'a mut [Vec3],
    /// s₀ K + s₁ R, 3n × 3n.
    pub(crate) matrix: &'a mut [f64],
    /// How far ahead of the start of the step its nodes are, d \[m\]: K d is then added to R v.
    pub(crate) ahead: Option<&'a [Vec3]>,
}

/// The mass of one element: of its nodes, and of pairs of nodes where it is consistent.
pub(crate) struct ElementMass {
    pub(crate) nodes: Vec<f64>,
    /// Row-major, empty where lumped.
    pub(crate) pairs: Vec<f64>,
}

impl Elements {
    /// The elements of a body whose nodes are counted from `first_node`; the error names the element.
    pub(crate) fn of(body: &FlexibleBody, first_node: usize) -> Result<Self, (usize, ElementError)> {
        let shifted = |nodes: &[u32]| nodes.iter().map(|node| node + first_node as u32).collect();
        let material = &body.material;
        let (group, connectivity, width) = match &body.structure {
            Structure::Solid { mesh, law, .. } => {
                let group = match (mesh.kind, law) {
                    (ElementKind::Tet4, StressLaw::Corotational) => {
                        let reference = Reference::tet4();
                        Group::Corotational4(each(mesh, |nodes| Corotational::new(&reference, nodes, material))?)
                    }
                    (ElementKind::Tet10, StressLaw::Corotational) => {
                        let reference = Reference::tet10();
                        Group::Corotational10(each(mesh, |nodes| Corotational::new(&reference, nodes, material))?)
                    }
                    (ElementKind::Hex8, StressLaw::Corotational) => {
                        let reference = Reference::hex8();
                        Group::Corotational8(each(mesh, |nodes| Corotational::new(&reference, nodes, material))?)
                    }
                    (ElementKind::Tet4, StressLaw::NeoHookean) => {
                        let reference = Reference::tet4();
                        Group::Hyperelastic4(each(mesh, |nodes| Hyperelastic::new(&reference, nodes, material))?)
                    }
                    (ElementKind::Tet10, StressLaw::NeoHookean) => {
                        let reference = Reference::tet10();
                        Group::Hyperelastic10(each(mesh, |nodes| Hyperelastic::new(&reference, nodes, material))?)
                    }
                    (ElementKind::Hex8, StressLaw::NeoHookean) => {
                        let reference = Reference::hex8();
                        Group::Hyperelastic8(each(mesh, |nodes| Hyperelastic::new(&reference, nodes, material))?)
                    }
                };
                (group, shifted(&mesh.elements), mesh.kind.nodes())
            }
            Structure::Cables { nodes, cables, area, slack, .. } => {
                let stiffness = material.youngs_modulus * area;
                let made = cables.iter().enumerate().map(|(k, ends)| {
                    let [a, b] = ends.map(|node| nodes[node as usize]);
                    let length = (b - a).length() * slack;
                    // β K of a cable: a damper beside its spring.
                    let damping = material.damping.stiffness * stiffness / length;
                    Cable::new(length, stiffness, damping, material.density * area).map_err(|error| (k, error))
                });
                (Group::Cables(made.collect::<Result<_, _>>()?), shifted(cables.as_flattened()), 2)
            }
        };
        Ok(Self { group, connectivity, width, stiffness_damping: material.damping.stiffness })
    }

    pub(crate) fn count(&self) -> usize {
        self.connectivity.len() / self.width
    }
    /// Nodes of an element.
    pub(crate) fn width(&self) -> usize {
        self.width
    }
    /// The nodes of an element.
    pub(crate) fn nodes(&self, element: usize) -> &[u32] {
        &self.connectivity[element * self.width..(element + 1) * self.width]
    }

    /// Whether there are places where an element has no energy.
    pub(crate) fn can_fail(&self) -> bool {
        matches!(self.group, Group::Hyperelastic4(_) | Group::Hyperelastic10(_) | Group::Hyperelastic8(_))
    }

    /// Whether they may take energy: cables have dampers of their own.
    pub(crate) fn is_damped(&self) -> bool {
        self.stiffness_damping > 0.0 || matches!(self.group, Group::Cables(_))
    }

    /// Elastic energy of an element \[J\], its nodes at `now`.
    pub(crate) fn energy(&self, element: usize, now: &[Vec3]) -> Result<f64, ElementError> {
        match &self.group {
            Group::Corotational4(all) => all[element].energy(now),
            Group::Corotational10(all) => all[element].energy(now),
            Group::Corotational8(all) => all[element].energy(now),
            Group::Hyperelastic4(all) => all[element].energy(now),
            Group::Hyperelastic10(all) => all[element].energy(now),
            Group::Hyperelastic8(all) => all[element].energy(now),
            Group::Cables(all) => Ok(all[element].energy(&ends(now))),
        }
    }

    /// Force of an element at `now`, moving with `velocity`.
    pub(crate) fn force(
        &self,
        element: usize,
        now: &[Vec3],
        velocity: &[Vec3],
        force: &mut [Vec3],
    ) -> Result<(), ElementError> {
        if let Group::Cables(all) = &self.group {
            let mut both = [Vec3::ZERO; 2];
            all[element].force(&ends(now), &ends(velocity), &mut both);
            force.copy_from_slice(&both);
            return Ok(());
        }
        if self.stiffness_damping > 0.0 {
            let (mut resistance, mut matrix) = ([Vec3::ZERO; MOST_NODES], [0.0; MOST_COLUMNS * MOST_COLUMNS]);
            let size = 9 * self.width * self.width;
            let resistance = &mut resistance[..self.width];
            let response = Response { force, resistance, matrix: &mut matrix[..size], ahead: None };
            return self.respond(element, now, velocity, Tangent::Positive, [0.0, 1.0], response);
        }
        match &self.group {
            Group::Corotational4(all) => all[element].force(now, force),
            Group::Corotational10(all) => all[element].force(now, force),
            Group::Corotational8(all) => all[element].force(now, force),
            Group::Hyperelastic4(all) => all[element].force(now, force),
            Group::Hyperelastic10(all) => all[element].force(now, force),
            Group::Hyperelastic8(all) => all[element].force(now, force),
            Group::Cables(_) => Ok(()),
        }
    }

    /// Force, R v and s₀ K + s₁ R of an element. Damping is β times the positive tangent, or that of the exact one where asked
    /// for: both are the same at rest.
    pub(crate) fn respond(
        &self,
        element: usize,
        now: &[Vec3],
        velocity: &[Vec3],
        which: Tangent,
        scales: [f64; 2],
        out: Response<'_>,
    ) -> Result<(), ElementError> {
        let Response { force, resistance, matrix, ahead } = out;
        match &self.group {
            Group::Corotational4(all) => all[element].force_and_tangent(now, which, force, matrix)?,
            Group::Corotational10(all) => all[element].force_and_tangent(now, which, force, matrix)?,
            Group::Corotational8(all) => all[element].force_and_tangent(now, which, force, matrix)?,
            Group::Hyperelastic4(all) => all[element].force_and_tangent(now, which, force, matrix)?,
            Group::Hyperelastic10(all) => all[element].force_and_tangent(now, which, force, matrix)?,
            Group::Hyperelastic8(all) => all[element].force_and_tangent(now, which, force, matrix)?,
            Group::Cables(all) => {
                let cable = &all[element];
                let (mut both, mut stiffness, mut damping) = ([Vec3::ZERO; 2], [0.0; 36], [0.0; 36]);
                let (x, v) = (ends(now), ends(velocity));
                cable.force(&x, &v, &mut both);
                cable.tangent(&x, &v, which, &mut stiffness, &mut damping);
                force.copy_from_slice(&both);
                multiply(&damping, velocity, 1.0, resistance);
                if let Some(ahead) = ahead {
                    multiply(&stiffness, ahead, 1.0, &mut both);
                    resistance.iter_mut().zip(both).for_each(|(sum, part)| *sum += part);
                }
                let both = stiffness.iter().zip(&damping);
                matrix.iter_mut().zip(both).for_each(|(to, (k, r))| *to = scales[0] * k + scales[1] * r);
                return Ok(());
            }
        }
        let beta = self.stiffness_damping;
        resistance.fill(Vec3::ZERO);
        if beta > 0.0 {
            multiply(matrix, velocity, beta, resistance);
            force.iter_mut().zip(&*resistance).for_each(|(f, r)| *f -= *r);
        }
        if let Some(ahead) = ahead {
            let mut restoring = [Vec3::ZERO; MOST_NODES];
            let restoring = &mut restoring[..self.width];
            multiply(matrix, ahead, 1.0, restoring);
            resistance.iter_mut().zip(restoring).for_each(|(sum, part)| *sum += *part);
        }
        let scale = scales[0] + scales[1] * beta;
        matrix.iter_mut().for_each(|entry| *entry *= scale);
        Ok(())
    }

    /// The mass of every element.
    pub(crate) fn masses(&self, body: &FlexibleBody) -> Result<Vec<ElementMass>, (usize, ElementError)> {
        let density = body.material.density;
        match (&self.group, &body.structure) {
            (Group::Cables(all), _) => {
                let of = |cable: &Cable| ElementMass { nodes: vec![cable.lumped_mass(); 2], pairs: Vec::new() };
                Ok(all.iter().map(of).collect())
            }
            (_, Structure::Solid { mesh, mass, .. }) => match mesh.kind {
                ElementKind::Tet4 => each(mesh, |nodes: &[Vec3; 4]| mass_of(mesh.kind, nodes, density, *mass)),
                ElementKind::Tet10 => each(mesh, |nodes: &[Vec3; 10]| mass_of(mesh.kind, nodes, density, *mass)),
                ElementKind::Hex8 => each(mesh, |nodes: &[Vec3; 8]| mass_of(mesh.kind, nodes, density, *mass)),
            },
            _ => Ok(Vec::new()),
        }
    }

    /// Strain and stress of an element at its quadrature points, and the stress at its nodes; nothing for cables.
    pub(crate) fn states(
        &self,
        element: usize,
        now: &[Vec3],
        give: &mut dyn FnMut(&[PointState], &[crate::Mat3]),
    ) -> Result<(), ElementError> {
        match &self.group {
            Group::Corotational4(all) => {
                let reference = Reference::tet4();
                extrapolated(&reference, all[element].states(&reference, fixed(now))?, give);
            }
            Group::Corotational10(all) => {
                let reference = Reference::tet10();
                extrapolated(&reference, all[element].states(&reference, fixed(now))?, give);
            }
            Group::Corotational8(all) => {
                let reference = Reference::hex8();
                extrapolated(&reference, all[element].states(&reference, fixed(now))?, give);
            }
            Group::Hyperelastic4(all) => extrapolated(&Reference::tet4(), all[element].states(fixed(now))?, give),
            Group::Hyperelastic10(all) => extrapolated(&Reference::tet10(), all[element].states(fixed(now))?, give),
            Group::Hyperelastic8(all) => extrapolated(&Reference::hex8(), all[element].states(fixed(now))?, give),
            Group::Cables(_) => {}
        }
        Ok(())
    }

    /// A cable; `None` for solids.
    pub(crate) fn cable(&self, element: usize) -> Option<&Cable> {
        match &self.group {
            Group::Cables(all) => all.get(element),
            _ => None,
        }
    }
}

fn extrapolated<const N: usize, const Q: usize>(
    reference: &Reference<N, Q>,
    states: [PointState; Q],
    give: &mut dyn FnMut(&[PointState], &[crate::Mat3]),
) {
    let at_nodes = reference.extrapolate(&states.map(|state| state.stress));
    give(&states, &at_nodes);
}

fn mass_of<const N: usize>(
    kind: ElementKind,
    nodes: &[Vec3; N],
    density: f64,
    which: MassMatrix,
) -> Result<ElementMass, ElementError> {
    match which {
        MassMatrix::Lumped => {
            Ok(ElementMass { nodes: mass::lumped(kind, nodes, density)?.to_vec(), pairs: Vec::new() })
        }
        MassMatrix::Consistent => {
            let pairs = mass::consistent(kind, nodes, density)?;
            let sums = pairs.iter().map(|row| row.iter().sum()).collect();
            Ok(ElementMass { nodes: sums, pairs: pairs.as_flattened().to_vec() })
        }
    }
}

/// Makes something of every element of a mesh.
fn each<const N: usize, T>(
    mesh: &VolumeMesh,
    make: impl Fn(&[Vec3; N]) -> Result<T, ElementError>,
) -> Result<Vec<T>, (usize, ElementError)> {
    let of = |(element, nodes): (usize, &[u32])| {
        let corners = std::array::from_fn(|k| mesh.nodes[nodes[k] as usize]);
        make(&corners).map_err(|error| (element, error))
    };
    mesh.element_nodes().enumerate().map(of).collect()
}

fn ends(values: &[Vec3]) -> [Vec3; 2] {
    [values[0], values[1]]
}

fn fixed<const N: usize>(values: &[Vec3]) -> &[Vec3; N] {
    super::element::sized(values)
}

/// out = factor · A v, A of 3n × 3n by rows.
fn multiply(matrix: &[f64], v: &[Vec3], factor: f64, out: &mut [Vec3]) {
    let width = 3 * v.len();
    for (node, out) in out.iter_mut().enumerate() {
        for axis in 0..3 {
            let row = &matrix[(3 * node + axis) * width..][..width];
            let sum: f64 = row.chunks_exact(3).zip(v).map(|(a, v)| a[0] * v.x + a[1] * v.y + a[2] * v.z).sum();
            out[axis] = factor * sum;
        }
    }
}

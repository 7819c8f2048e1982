//! Small meshes, random numbers and dense assembly.

use signorini_linalg::DenseLu;
use signorini_mechanics::flexible::element::{Corotational, ElementError, Hyperelastic, Reference, Solid, Tangent};
use signorini_mechanics::flexible::material::Elastic;
use signorini_mechanics::flexible::mesh::ElementKind;
use signorini_mechanics::{Quat, Vec3};
use std::collections::BTreeMap;

pub(crate) const KINDS: [ElementKind; 3] = [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Hex8];

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Law {
    Corotational,
    NeoHookean,
}

pub(crate) const LAWS: [Law; 2] = [Law::Corotational, Law::NeoHookean];

/// Fixed pseudo-random numbers in −1 to 1.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub(crate) fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    pub(crate) fn rotation(&mut self) -> Quat {
        Quat::from_xyzw(self.next(), self.next(), self.next(), self.next()).normalize()
    }
}

pub(crate) fn material(poisson: f64) -> Elastic {
    Elastic::new(1000.0, poisson, 2.0).unwrap()
}

pub(crate) struct Mesh {
    pub(crate) kind: ElementKind,
    pub(crate) nodes: Vec<Vec3>,
    pub(crate) elements: Vec<Vec<usize>>,
}

impl Mesh {
    /// A box in cells; tetrahedra are six to a cell (Kuhn), TET10 with middles on straight edges. `moved` places the corners.
    pub(crate) fn new(kind: ElementKind, cells: [usize; 3], moved: impl Fn([usize; 3]) -> Vec3) -> Self {
        let [nx, ny, nz] = cells;
        let index = |i: usize, j: usize, k: usize| i + (nx + 1) * (j + (ny + 1) * k);
        let mut nodes = Vec::new();
        for k in 0..=nz {
            for j in 0..=ny {
                for i in 0..=nx {
                    nodes.push(moved([i, j, k]));
                }
            }
        }
        let mut middles = BTreeMap::new();
        let mut elements = Vec::new();
        for cell in 0..nx * ny * nz {
            let (i, j, k) = (cell % nx, cell / nx % ny, cell / nx / ny);
            let c = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
                .map(|[a, b, c]| index(i + a, j + b, k + c));
            if kind == ElementKind::Hex8 {
                elements.push(c.to_vec());
                continue;
            }
            for (a, b) in [(1, 2), (2, 3), (3, 7), (7, 4), (4, 5), (5, 1)] {
                let mut element = vec![c[0], c[a], c[b], c[6]];
                if kind == ElementKind::Tet10 {
                    for (a, b) in [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)] {
                        let (a, b) = (element[a], element[b]);
                        let middle = *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                            nodes.push((nodes[a] + nodes[b]) * 0.5);
                            nodes.len() - 1
                        });
                        element.push(middle);
                    }
                }
                elements.push(element);
            }
        }
        Self { kind, nodes, elements }
    }

    /// A box of edges 3, 2, 2 whose inner corner nodes are moved.
    pub(crate) fn distorted(kind: ElementKind) -> Self {
        let cells = [3, 2, 2];
        let mut random = Random(7);
        let shifts: Vec<Vec3> = (0..36).map(|_| random.vector() * 0.12).collect();
        Self::new(kind, cells, |at| {
            let inner = (0..3).all(|a| at[a] > 0 && at[a] < cells[a]);
            let shift = if inner { shifts[at[0] + 4 * (at[1] + 3 * at[2])] } else { Vec3::ZERO };
            Vec3::new(at[0] as f64, at[1] as f64, at[2] as f64) + shift
        })
    }

    pub(crate) fn of(&self, element: usize) -> Vec<Vec3> {
        self.elements[element].iter().map(|&i| self.nodes[i]).collect()
    }

    pub(crate) fn solids(&self, law: Law, material: &Elastic) -> Vec<Box<dyn Solid>> {
        (0..self.elements.len()).map(|e| solid(self.kind, law, &self.of(e), material).unwrap()).collect()
    }

    /// Forces and dense stiffness with nodes at `now`.
    pub(crate) fn assemble(&self, solids: &[Box<dyn Solid>], now: &[Vec3], which: Tangent) -> (Vec<Vec3>, Vec<f64>) {
        let size = 3 * now.len();
        let (mut forces, mut matrix) = (vec![Vec3::ZERO; now.len()], vec![0.0; size * size]);
        for (element, solid) in self.elements.iter().zip(solids) {
            let n = element.len();
            let here: Vec<Vec3> = element.iter().map(|&i| now[i]).collect();
            let (mut force, mut tangent) = (vec![Vec3::ZERO; n], vec![0.0; 9 * n * n]);
            solid.force(&here, &mut force).unwrap();
            solid.tangent(&here, which, &mut tangent).unwrap();
            for i in 0..n {
                forces[element[i]] += force[i];
            }
            for row in 0..3 * n {
                for column in 0..3 * n {
                    let (r, c) = (3 * element[row / 3] + row % 3, 3 * element[column / 3] + column % 3);
                    matrix[r * size + c] += tangent[row * 3 * n + column];
                }
            }
        }
        (forces, matrix)
    }
}

pub(crate) fn solid(
    kind: ElementKind,
    law: Law,
    nodes: &[Vec3],
    material: &Elastic,
) -> Result<Box<dyn Solid>, ElementError> {
    macro_rules! boxed {
        ($reference:expr) => {{
            let (reference, nodes) = ($reference, nodes.try_into().unwrap());
            match law {
                Law::Corotational => Ok(Box::new(Corotational::new(&reference, nodes, material)?)),
                Law::NeoHookean => Ok(Box::new(Hyperelastic::new(&reference, nodes, material)?)),
            }
        }};
    }
    match kind {
        ElementKind::Tet4 => boxed!(Reference::tet4()),
        ElementKind::Tet10 => boxed!(Reference::tet10()),
        ElementKind::Hex8 => boxed!(Reference::hex8()),
    }
}

/// One distorted element of a kind; TET10 with curved sides.
pub(crate) fn single(kind: ElementKind) -> Vec<Vec3> {
    let mut random = Random(11);
    let nodes = match kind {
        ElementKind::Hex8 => Mesh::new(kind, [1, 1, 1], |at| Vec3::from(at.map(|a| a as f64))).of(0),
        _ => {
            let mut nodes = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
            if kind == ElementKind::Tet10 {
                for (a, b) in [(0, 1), (1, 2), (0, 2), (0, 3), (1, 3), (2, 3)] {
                    nodes.push((nodes[a] + nodes[b]) * 0.5);
                }
            }
            nodes
        }
    };
    let size = if kind == ElementKind::Tet10 { 0.04 } else { 0.1 };
    nodes.into_iter().map(|x| x + random.vector() * size).collect()
}

/// Solves A x = b for the unknowns that are free; the others are zero.
pub(crate) fn solve_free(matrix: &[f64], rhs: &[f64], free: &[usize]) -> Vec<f64> {
    let (size, n) = (rhs.len(), free.len());
    let mut small = vec![0.0; n * n];
    for (r, &row) in free.iter().enumerate() {
        for (c, &column) in free.iter().enumerate() {
            small[c * n + r] = matrix[row * size + column];
        }
    }
    let mut x: Vec<f64> = free.iter().map(|&i| rhs[i]).collect();
    DenseLu::factorise(n, &small).solve_in_place(&mut x);
    let mut all = vec![0.0; size];
    for (&i, x) in free.iter().zip(x) {
        all[i] = x;
    }
    all
}

pub(crate) fn largest(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(0.0, |m, v| if v.is_nan() { f64::NAN } else { v.abs().max(m) })
}

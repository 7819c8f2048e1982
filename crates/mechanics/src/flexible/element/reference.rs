//! A kind of element as the kernels see it: shape gradients and weights at its quadrature points; and one element at
//! rest, where they have become gradients in space and volumes.

use super::ElementError;
use super::quadrature::{self, Point};
use super::shape;
use crate::flexible::mesh::ElementKind;
use crate::{Mat3, Vec3};

/// An element whose det J is below this share of |J e₁| |J e₂| |J e₃| is flat: its gradients have lost most digits.
const FLAT: f64 = 1e-10;

/// Shape functions and quadrature of a kind of element: `N` nodes, `Q` points. Build it once and use it for all elements.
#[derive(Clone, Debug, PartialEq)]
pub struct Reference<const N: usize, const Q: usize> {
    pub(crate) kind: ElementKind,
    pub(crate) points: [Point; Q],
    /// ∂N/∂ξ at every point.
    pub(crate) gradients: [[Vec3; N]; Q],
    /// Values at nodes from values at quadrature points.
    pub(crate) extrapolation: [[f64; Q]; N],
}

impl Reference<4, 1> {
    /// TET4 with one point.
    #[must_use]
    pub fn tet4() -> Self {
        Self::new(ElementKind::Tet4, quadrature::centroid(), |_, _| 1.0)
    }
}

impl Reference<10, 4> {
    /// TET10 with the four points of degree 2.
    #[must_use]
    pub fn tet10() -> Self {
        // Linear through four points with barycentric coordinates a (own corner) and b: w_q = (L_q − b)/(a − b).
        let a = quadrature::tetrahedron_4_near();
        let b = (1.0 - a) / 3.0;
        Self::new(ElementKind::Tet10, quadrature::tetrahedron_4(), |q, node| {
            let l = [1.0 - node.x - node.y - node.z, node.x, node.y, node.z];
            (l[q] - b) / (a - b)
        })
    }
}

impl Reference<8, 8> {
    /// HEX8 with 2 × 2 × 2 points of Gauss.
    #[must_use]
    pub fn hex8() -> Self {
        // Trilinear through the eight points, which are the corners divided by √3.
        Self::new(ElementKind::Hex8, quadrature::gauss_2(), |q, node| {
            let mut n = [0.0; 8];
            shape::values(ElementKind::Hex8, node * 3f64.sqrt(), &mut n);
            n[q]
        })
    }
}

impl<const N: usize, const Q: usize> Reference<N, Q> {
    fn new(kind: ElementKind, points: [Point; Q], weight: impl Fn(usize, Vec3) -> f64) -> Self {
        let mut gradients = [[Vec3::ZERO; N]; Q];
        for (gradients, point) in gradients.iter_mut().zip(&points) {
            shape::gradients(kind, point.xi, gradients);
        }
        let extrapolation = std::array::from_fn(|i| std::array::from_fn(|q| weight(q, shape::node(kind, i))));
        Self { kind, points, gradients, extrapolation }
    }

    /// The kind of element.
    #[must_use]
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// Values at the nodes from values at the quadrature points: constant for TET4, linear for TET10, trilinear for HEX8.
    #[must_use]
    pub fn extrapolate(&self, at_points: &[Mat3; Q]) -> [Mat3; N] {
        self.extrapolation.map(|weights| {
            weights.iter().zip(at_points).fold(Mat3::ZERO, |sum, (&weight, &value)| sum + value * weight)
        })
    }
}

/// One element at rest. 24 N Q + 8 Q bytes: TET4 104, TET10 992, HEX8 1600.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest<const N: usize, const Q: usize> {
    /// G = ∂N/∂X at every quadrature point \[1/m\].
    pub gradients: [[Vec3; N]; Q],
    /// The volume every point stands for \[m³\].
    pub volumes: [f64; Q],
}

impl<const N: usize, const Q: usize> Rest<N, Q> {
    /// Gradients and volumes of an element with these nodes \[m\]: J = Σ Xᵢ ⊗ ∂Nᵢ/∂ξ, G = J⁻ᵀ ∂N/∂ξ, V = w det J.
    ///
    /// # Errors
    /// The element is inverted or flat at a quadrature point.
    pub fn of(reference: &Reference<N, Q>, nodes: &[Vec3; N]) -> Result<Self, ElementError> {
        let mut rest = Self { gradients: reference.gradients, volumes: [0.0; Q] };
        for q in 0..Q {
            let jacobian = outer_sum(nodes, &reference.gradients[q]);
            let determinant = jacobian.determinant();
            let size = jacobian.x_axis.length() * jacobian.y_axis.length() * jacobian.z_axis.length();
            let volume = determinant * reference.points[q].weight;
            let solid = determinant > FLAT * size && volume.is_finite();
            if !solid {
                return Err(ElementError::RestVolume { point: q, volume });
            }
            let to_space = jacobian.inverse().transpose();
            for gradient in &mut rest.gradients[q] {
                *gradient = to_space * *gradient;
            }
            rest.volumes[q] = volume;
        }
        Ok(rest)
    }

    /// Volume at rest \[m³\].
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.volumes.iter().sum()
    }

    /// F = ∂x/∂X = Σ xᵢ ⊗ Gᵢ at a quadrature point.
    #[must_use]
    pub fn deformation(&self, point: usize, now: &[Vec3; N]) -> Mat3 {
        outer_sum(now, &self.gradients[point])
    }

    /// Mean of G over the volume.
    #[must_use]
    pub fn mean_gradients(&self) -> [Vec3; N] {
        let scale = self.volume().recip();
        std::array::from_fn(|i| (0..Q).map(|q| self.gradients[q][i] * self.volumes[q]).sum::<Vec3>() * scale)
    }
}

/// Σ aᵢ bᵢᵀ.
pub(crate) fn outer_sum<const N: usize>(a: &[Vec3; N], b: &[Vec3; N]) -> Mat3 {
    let mut sum = Mat3::ZERO;
    for (&a, &b) in a.iter().zip(b) {
        sum += outer(a, b);
    }
    sum
}

/// a bᵀ.
pub(crate) fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// \[a\]×, so that \[a\]× b = a × b.
pub(crate) fn cross_matrix(a: Vec3) -> Mat3 {
    Mat3::from_cols(Vec3::new(0.0, a.z, -a.y), Vec3::new(-a.z, 0.0, a.x), Vec3::new(a.y, -a.x, 0.0))
}

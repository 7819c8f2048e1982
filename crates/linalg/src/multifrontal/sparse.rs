//! The same factorisation for a sparse matrix given entry by entry, with an analysis that outlives the numbers.

use super::numeric::{RegionStorage, factorise, reserve};
use super::reach::{Reach, SolveSpace};
use super::symbolic::MultifrontalStructure;
use crate::{CscMatrix, FactorError, Graph, OrderingChoice, Threads, fill_reducing};
use std::sync::Arc;

/// Elimination order, supernodes and storage of the Cholesky factor of one sparse pattern, with the place of every entry.
///
/// It depends on the pattern alone: a run that solves with the same pattern again and again makes it once.
///
/// ```
/// use signorini_linalg::{CscMatrix, SparseAnalysis, SparseFactor, Threads};
/// let a = CscMatrix::from_triplets(2, 2, [(0, 0, 4.0), (1, 0, 2.0), (0, 1, 2.0), (1, 1, 3.0)])?;
/// let analysis = std::sync::Arc::new(SparseAnalysis::of(&a)?);
/// let factor = SparseFactor::new(analysis, &a, Threads::One)?;
/// let mut x = [8.0, 7.0];
/// factor.solve_in_place(&mut x, &mut factor.space_for_all());
/// assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SparseAnalysis {
    col_ptr: Vec<usize>,
    row_idx: Vec<usize>,
    pub(super) structure: MultifrontalStructure,
    /// Row eliminated k-th.
    pub(super) order: Vec<u32>,
    /// Node in which each row is eliminated.
    pub(super) node_of: Vec<u32>,
    /// Node that takes the update of each node; `NONE` for roots.
    pub(super) parent: Vec<u32>,
    /// Where the entries of each node begin in `entries`.
    entry_start: Vec<usize>,
    /// Entry of the matrix, and where it goes in the panel of its node.
    entries: Vec<(u32, u32)>,
}

pub(super) const NONE: u32 = u32::MAX;

impl SparseAnalysis {
    /// Analyses a symmetric pattern, both triangles stored.
    ///
    /// Neighbouring rows with the same pattern (the velocities of one node) are one vertex of the graph that is ordered.
    ///
    /// # Errors
    /// [`FactorError::Structure`] if the pattern is not symmetric, [`FactorError::Memory`] if it is too large.
    pub fn of(pattern: &CscMatrix) -> Result<Self, FactorError> {
        let n = pattern.nrows();
        if pattern.ncols() != n {
            return Err(FactorError::Structure { column: n.min(pattern.ncols()) });
        }
        if n > NONE as usize || pattern.nnz() > NONE as usize {
            return Err(FactorError::Memory);
        }
        check_symmetric(pattern)?;
        let (start, vertex_of) = vertices(pattern);
        let mut edges: Vec<[usize; 2]> = Vec::new();
        for (vertex, first) in start[..start.len() - 1].iter().enumerate() {
            for &row in pattern.col(*first).0 {
                let other = vertex_of[row];
                let repeated = edges.last() == Some(&[vertex, other]);
                if other > vertex && !repeated {
                    edges.push([vertex, other]);
                }
            }
        }
        let weights = start.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // Vertices and weights were counted above.
        let graph = Graph::from_cliques(start.len() - 1, weights, edges.iter().map(|edge| &edge[..]))
            .map_err(|_| FactorError::Memory)?;
        let order = fill_reducing(&graph, OrderingChoice::Auto);
        let structure = MultifrontalStructure::analyse(&graph, &order, std::iter::empty())?;
        Self::placed(pattern, structure)
    }

    fn placed(pattern: &CscMatrix, structure: MultifrontalStructure) -> Result<Self, FactorError> {
        let n = pattern.nrows();
        let mut order = vec![0; n];
        structure.place.iter().enumerate().for_each(|(row, &place)| order[place] = row as u32);
        let (mut node_of, mut parent) = (vec![0; n], vec![NONE; structure.nodes.len()]);
        let mut entries = Vec::with_capacity(pattern.nnz() / 2 + n);
        let mut entry_start = vec![0];
        // Where a row lies in the front at hand.
        let mut local = vec![NONE; n];
        for (s, node) in structure.nodes.iter().enumerate() {
            node.children.iter().for_each(|&child| parent[child] = s as u32);
            let rows = node.pivots + node.border.len();
            let members = (node.first..node.first + node.pivots).chain(node.border.iter().map(|&place| place as usize));
            members.enumerate().for_each(|(at, place)| local[place] = at as u32);
            for pivot in 0..node.pivots {
                let column = order[node.first + pivot] as usize;
                node_of[column] = s as u32;
                for at in pattern.col_ptr()[column]..pattern.col_ptr()[column + 1] {
                    let row = pattern.row_idx()[at];
                    let place = structure.place[row];
                    if place < node.first + pivot {
                        continue;
                    }
                    let target = pivot * rows + local[place] as usize;
                    let target = u32::try_from(target).map_err(|_| FactorError::Memory)?;
                    entries.push((at as u32, target));
                }
            }
            entry_start.push(entries.len());
        }
        let (col_ptr, row_idx) = (pattern.col_ptr().to_vec(), pattern.row_idx().to_vec());
        Ok(Self { col_ptr, row_idx, structure, order, node_of, parent, entry_start, entries })
    }

    /// Whether a matrix has the pattern that was analysed.
    #[must_use]
    pub fn fits(&self, matrix: &CscMatrix) -> bool {
        self.col_ptr == matrix.col_ptr() && self.row_idx == matrix.row_idx()
    }
    /// Order of the matrix.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.order.len()
    }
    /// Number of values stored for the factor, zeros inside supernodes included.
    #[must_use]
    pub fn factor_entries(&self) -> usize {
        self.structure.factor_entries()
    }
    /// Multiplications and additions of one factorisation, to leading order.
    #[must_use]
    pub fn flops(&self) -> f64 {
        self.structure.flops()
    }
}

fn check_symmetric(pattern: &CscMatrix) -> Result<(), FactorError> {
    let transpose = pattern.transpose();
    let differs = |column: &usize| transpose.col(*column).0 != pattern.col(*column).0;
    match (0..pattern.ncols()).find(differs) {
        Some(column) => Err(FactorError::Structure { column }),
        None => Ok(()),
    }
}

/// Runs of rows with one pattern: where each begins, and the run of every row.
fn vertices(pattern: &CscMatrix) -> (Vec<usize>, Vec<usize>) {
    let n = pattern.nrows();
    let (mut start, mut vertex_of) = (Vec::new(), vec![0; n]);
    for row in 0..n {
        // Rows of one pattern that are not coupled to each other are not one dense block.
        let joined =
            row > 0 && pattern.col(row).0 == pattern.col(row - 1).0 && pattern.position(row, row - 1).is_some();
        if !joined {
            start.push(row);
        }
        vertex_of[row] = start.len() - 1;
    }
    start.push(n);
    (start, vertex_of)
}

/// The Cholesky factor of a sparse matrix. It is only read by solves, so that one factor serves many of them.
pub struct SparseFactor {
    pub(super) analysis: Arc<SparseAnalysis>,
    /// Panels of every region.
    pub(super) panels: Vec<Vec<f64>>,
}

/// What making a factor needs besides the memory of the factor itself, kept for the next one.
#[derive(Default)]
pub struct FactorRoom {
    /// What it is for; a room of another analysis is made anew.
    analysis: Option<Arc<SparseAnalysis>>,
    /// Their panels are lent to it by a factor.
    regions: Vec<RegionStorage>,
}

impl std::fmt::Debug for SparseFactor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SparseFactor({} rows, {} entries)", self.analysis.dimension(), self.analysis.factor_entries())
    }
}

impl SparseFactor {
    /// Factorises a matrix of the analysed pattern. The factor has the same bits for any number of threads.
    ///
    /// # Errors
    /// [`FactorError::Structure`] if the matrix has another pattern, [`FactorError::Pivot`] if it is not positive definite to
    /// working accuracy; the pivot is then the ROW of the matrix.
    pub fn new(analysis: Arc<SparseAnalysis>, matrix: &CscMatrix, threads: Threads) -> Result<Self, FactorError> {
        let mut this = Self { analysis, panels: Vec::new() };
        this.renew(matrix, threads, &mut FactorRoom::default())?;
        Ok(this)
    }

    /// Becomes the factor of another matrix of the same pattern, in the memory it has and that of `room`. After an error it is
    /// the factor of nothing.
    ///
    /// # Errors
    /// Those of [`SparseFactor::new`].
    pub fn renew(&mut self, matrix: &CscMatrix, threads: Threads, room: &mut FactorRoom) -> Result<(), FactorError> {
        let this = &*self.analysis;
        if !this.fits(matrix) {
            return Err(FactorError::Structure { column: matrix.ncols().min(this.dimension()) });
        }
        if !room.analysis.as_ref().is_some_and(|of| Arc::ptr_eq(of, &self.analysis)) {
            *room = FactorRoom { analysis: Some(self.analysis.clone()), regions: reserve(&this.structure) };
        }
        // Panels that are there take the place of those that came with the room.
        let regions = &mut room.regions;
        for (region, panel) in regions.iter_mut().zip(&mut self.panels) {
            region.factor = std::mem::take(panel);
        }
        let values = matrix.values();
        let outcome =
            factorise(&this.structure, regions, threads, &|s, front: &mut super::front::Front<'_>, _: &mut [f64]| {
                for &(entry, target) in &this.entries[this.entry_start[s]..this.entry_start[s + 1]] {
                    front.panel[target as usize] = values[entry as usize];
                }
            });
        self.panels.resize_with(regions.len(), Vec::new);
        for (region, panel) in regions.iter_mut().zip(&mut self.panels) {
            *panel = std::mem::take(&mut region.factor);
        }
        outcome.map_err(|error| match error {
            FactorError::Pivot { pivot } => {
                FactorError::Pivot { pivot: this.order[pivot.min(this.order.len() - 1)] as usize }
            }
            other => other,
        })
    }

    /// The symbolic phase.
    #[must_use]
    pub fn analysis(&self) -> &Arc<SparseAnalysis> {
        &self.analysis
    }
    /// Number of values stored.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.analysis.factor_entries()
    }
    /// Room for solves with one right side anywhere.
    #[must_use]
    pub fn space_for_all(&self) -> SolveSpace {
        SolveSpace::new(Arc::new(Reach::everything(&self.analysis)), 1)
    }
}

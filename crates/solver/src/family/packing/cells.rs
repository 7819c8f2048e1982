//! Pairs of near points by a uniform grid of cells.

/// All pairs `(i, j)`, i < j, of points closer than `reach`, ordered by j, then by cell.
pub(super) fn near_pairs(points: &[[f64; 3]], reach: f64) -> Vec<(u32, u32)> {
    let mut low = [f64::INFINITY; 3];
    let mut high = [f64::NEG_INFINITY; 3];
    for point in points {
        for axis in 0..3 {
            low[axis] = low[axis].min(point[axis]);
            high[axis] = high[axis].max(point[axis]);
        }
    }
    // One empty layer around, so that neighbours of a cell always exist.
    let count: [usize; 3] = std::array::from_fn(|axis| ((high[axis] - low[axis]) / reach).max(0.0) as usize + 3);
    let cell_of = |point: &[f64; 3]| -> usize {
        let [x, y, z]: [usize; 3] = std::array::from_fn(|axis| ((point[axis] - low[axis]) / reach) as usize + 1);
        (z * count[1] + y) * count[0] + x
    };
    // Points of each cell as a linked list: `first` of the cell, `next` of the point.
    const NONE: u32 = u32::MAX;
    let mut first = vec![NONE; count[0] * count[1] * count[2]];
    let mut next = vec![NONE; points.len()];
    let mut pairs = Vec::with_capacity(8 * points.len());
    for (j, point) in points.iter().enumerate() {
        let home = cell_of(point);
        for z in 0..3 {
            for y in 0..3 {
                // The three cells of this line around home; offsets shifted by one to stay unsigned.
                let line = home + (z * count[1] + y) * count[0] - (count[1] + 1) * count[0];
                for &head in &first[line - 1..=line + 1] {
                    let mut i = head;
                    while i != NONE {
                        let other = &points[i as usize];
                        let squared: f64 = (0..3).map(|axis| (point[axis] - other[axis]).powi(2)).sum();
                        if squared < reach * reach {
                            pairs.push((i, j as u32));
                        }
                        i = next[i as usize];
                    }
                }
            }
        }
        next[j] = first[home];
        first[home] = j as u32;
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::super::Generator;
    use super::*;

    #[test]
    fn pairs_agree_with_the_search_over_all() {
        let mut generator = Generator::new(11);
        let points: Vec<[f64; 3]> = (0..300).map(|_| generator.vector(1.0)).collect();
        let mut found = near_pairs(&points, 0.3);
        found.sort_unstable();
        let mut expected = Vec::new();
        for i in 0..points.len() {
            for j in i + 1..points.len() {
                let squared: f64 = (0..3).map(|axis| (points[i][axis] - points[j][axis]).powi(2)).sum();
                if squared < 0.09 {
                    expected.push((i as u32, j as u32));
                }
            }
        }
        assert_eq!(found, expected);
        assert!(near_pairs(&[], 1.0).is_empty());
    }
}

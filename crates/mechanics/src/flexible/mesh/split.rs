//! Hexahedra split into tetrahedra that fit together.

use super::ElementKind;

/// The three faces without corner `c`, counter-clockwise seen from outside.
fn far_faces(corner: u8) -> impl Iterator<Item = &'static [u8]> {
    ElementKind::Hex8.faces().iter().copied().filter(move |face| !face.contains(&corner))
}

/// Splits hexahedra into tetrahedra, five or six each.
///
/// The diagonal of a face starts at its lowest corner in the order (colour, number): both cells at a face choose the same
/// one. A cell is the union of the pyramids from its lowest corner to the three faces that do not have it, each split in
/// two. If no diagonal ends at the opposite corner, as with two colours that alternate, that corner is cut off by one
/// tetrahedron, and the three about the long diagonal are one: five in all.
pub(super) fn split(hexahedra: &[u32], colours: &[u8]) -> Vec<u32> {
    let order = |node: u32| (colours[node as usize], node);
    let mut tetrahedra = Vec::with_capacity(hexahedra.len() / 8 * 24);
    for cell in hexahedra.chunks_exact(8) {
        let at = |local: u8| cell[local as usize];
        let lowest = (0..8).min_by_key(|&local| order(at(local))).unwrap_or(0);
        // The corner at the other end of the long diagonal: no face has both.
        let opposite = [6, 7, 4, 5, 2, 3, 0, 1][lowest as usize];
        let mut triangles = [[0_u32; 3]; 6];
        let mut count = 0;
        let mut diagonals_at_opposite = 0;
        for face in far_faces(lowest) {
            let start = (0..4).min_by_key(|&k| order(at(face[k]))).unwrap_or(0);
            let corner = |k: usize| face[(start + k) % 4];
            diagonals_at_opposite += usize::from(corner(0) == opposite || corner(2) == opposite);
            triangles[count] = [at(corner(0)), at(corner(1)), at(corner(2))];
            triangles[count + 1] = [at(corner(0)), at(corner(2)), at(corner(3))];
            count += 2;
        }
        // Seen from inside, from the lowest corner, an outward face is clockwise: (a, c, b, apex) has positive volume.
        let apex = at(lowest);
        if diagonals_at_opposite == 0 {
            let tip = at(opposite);
            for [a, b, c] in triangles.iter().copied().filter(|triangle| !triangle.contains(&tip)) {
                tetrahedra.extend([a, c, b, apex]);
            }
            // The three neighbours of the tip, in the order in which they are met around it.
            let next = |[a, b, c]: [u32; 3]| match tip {
                _ if tip == a => (b, c),
                _ if tip == b => (c, a),
                _ => (a, b),
            };
            let around: [(u32, u32); 3] = {
                let mut pairs = triangles.iter().copied().filter(|triangle| triangle.contains(&tip)).map(next);
                [(); 3].map(|()| pairs.next().unwrap_or((tip, tip)))
            };
            let (a, b) = around[0];
            let c = around.iter().find(|pair| pair.0 == b).map_or(tip, |pair| pair.1);
            tetrahedra.extend([a, c, b, apex]);
            tetrahedra.extend([a, b, c, tip]);
        } else {
            for [a, b, c] in triangles {
                tetrahedra.extend([a, c, b, apex]);
            }
        }
    }
    tetrahedra
}

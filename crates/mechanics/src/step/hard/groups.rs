//! Groups of bodies that are connected, by whatever connects them.

/// The group of every body, named by its first body, from pairs that are in one.
pub(super) fn grouped(bodies: usize, pairs: impl Iterator<Item = [usize; 2]>) -> Vec<usize> {
    let mut group: Vec<usize> = (0..bodies).collect();
    for [a, b] in pairs {
        let (a, b) = (root(&mut group, a), root(&mut group, b));
        group[a.max(b)] = a.min(b);
    }
    (0..bodies).map(|body| root(&mut group, body)).collect()
}

fn root(group: &mut [usize], mut body: usize) -> usize {
    while group[body] != body {
        group[body] = group[group[body]];
        body = group[body];
    }
    body
}

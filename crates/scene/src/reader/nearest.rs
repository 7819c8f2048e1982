//! The name that was probably meant.

/// Names longer than this are not compared.
const LONGEST: usize = 64;
/// Lists longer than this are cut.
const MOST_LISTED: usize = 24;

/// What other programs call things, and what they are called here.
const SYNONYMS: [(&str, &str); 15] = [
    ("ball", "sphere"),
    ("ball", "spherical"),
    ("box", "cuboid"),
    ("convex", "convex-hull"),
    ("coulomb", "exact"),
    ("ground", "world"),
    ("heightfield", "height-field"),
    ("hinge", "revolute"),
    ("hull", "convex-hull"),
    ("lock", "fixed"),
    ("plane", "half-space"),
    ("slide", "prismatic"),
    ("slider", "prismatic"),
    ("trimesh", "mesh"),
    ("weld", "fixed"),
];

/// The candidate that means the same as `name`, or is most like it, if any is.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    let candidates: Vec<&str> = candidates.into_iter().collect();
    let same = |candidate: &&&str| SYNONYMS.contains(&(name.to_lowercase().as_str(), **candidate));
    if let Some(meant) = candidates.iter().find(same) {
        return Some(meant);
    }
    let likeness = |candidate: &&str| strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase());
    candidates
        .into_iter()
        .map(|candidate| (likeness(&candidate), candidate))
        .filter(|(likeness, _)| *likeness > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(a.1)))
        .map(|(_, candidate)| candidate)
}

/// "did you mean `x`? Known: a, b, c".
pub(crate) fn hint<'a>(name: &str, kind: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    let mut names: Vec<&str> = candidates.clone().into_iter().collect();
    names.sort_unstable();
    let more = names.len().saturating_sub(MOST_LISTED);
    names.truncate(MOST_LISTED);
    let mut list = match names.is_empty() {
        true => format!("there are no {kind}"),
        false => format!("{kind}: {}", names.join(", ")),
    };
    if more > 0 {
        list += &format!(" and {more} more");
    }
    match nearest(name, candidates) {
        Some(meant) => format!("did you mean `{meant}`? {list}"),
        None => list,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_finds_its_name_and_nonsense_finds_none() {
        assert_eq!(nearest("radus", ["mass", "radius", "height"]), Some("radius"));
        assert_eq!(nearest("zzz", ["mass", "radius"]), None);
        assert_eq!(nearest("Box", ["cone", "cuboid"]), Some("cuboid"));
        assert_eq!(nearest("ball", ["revolute", "spherical"]), Some("spherical"));
        assert_eq!(hint("qq", "bodies", []), "there are no bodies");
    }
}

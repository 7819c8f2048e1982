//! What a mistyped name may have meant.

/// Names similar to `name`, the most similar first, at most three.
pub(crate) fn nearest<'a>(name: &str, among: &[&'a str]) -> Vec<&'a str> {
    let similarity = |other: &str| strsim::jaro_winkler(name, other);
    let mut similar: Vec<&str> = among.iter().copied().filter(|other| similarity(other) > 0.7).collect();
    similar.sort_by(|a, b| similarity(b).total_cmp(&similarity(a)));
    similar.truncate(3);
    similar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_comes_first() {
        let names = ["interior-point", "jacobi", "sor", "symmetric-sor"];
        assert_eq!(nearest("jacobbi", &names), ["jacobi"]);
        assert_eq!(nearest("interior", &names).first(), Some(&"interior-point"));
        assert!(nearest("zzz", &names).is_empty());
    }
}

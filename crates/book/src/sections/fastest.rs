//! Which method is fastest in each group of rows: `fastest FILE | COLUMN | … ` groups by these columns.

use super::csv_table::{Sheet, number};
use crate::numbers;
use crate::repository::Repository;
use anyhow::Result;

/// Rows of one group: the cells that name it, and its methods that got there with their times \[s\].
struct Group {
    key: Vec<String>,
    methods: Vec<(f64, String)>,
}

pub(super) fn table(repository: &Repository, what: &str) -> Result<String> {
    let mut parts = what.split(" | ");
    let sheet = Sheet::read(repository, parts.next().unwrap_or_default())?;
    let titles: Vec<String> = parts.map(str::to_owned).collect();
    let groups: Vec<usize> = titles.iter().map(|name| sheet.column(name)).collect::<Result<_>>()?;
    let [method, status, time] = ["method", "status", "time"].map(|name| sheet.column(name));
    let (method, status, time) = (method?, status?, time?);
    // In the order of the file.
    let mut found: Vec<Group> = Vec::new();
    for row in &sheet.rows {
        let key: Vec<String> = groups.iter().map(|column| row[*column].clone()).collect();
        let at = found.iter().position(|group| group.key == key).unwrap_or_else(|| {
            found.push(Group { key, methods: Vec::new() });
            found.len() - 1
        });
        if let ("converged", Some(seconds)) = (row[status].as_str(), number(&row[time])?) {
            found[at].methods.push((seconds, row[method].clone()));
        }
    }
    let rows = found.into_iter().map(|Group { key: mut cells, mut methods }| {
        methods.sort_by(|a, b| a.0.total_cmp(&b.0));
        let shown = methods.iter().take(3).map(|(seconds, name)| format!("`{name}` {}", numbers::time(*seconds)));
        let mut shown = shown.collect::<Vec<_>>();
        shown.resize(3, "-".into());
        cells.extend(shown);
        cells
    });
    let titles: Vec<String> = titles.into_iter().chain(["fastest", "second", "third"].map(str::to_owned)).collect();
    Ok(super::table(&titles, &rows.collect::<Vec<_>>()))
}

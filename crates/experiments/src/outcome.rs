//! What an experiment found: plain data that survives as JSON.

use serde::{Deserialize, Serialize};
use signorini_plot::{Axis, Curve, Plot, Rule};

/// What became of a published statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Ours is better than what was published by more than a tenth.
    Better,
    /// Ours is as good.
    AtPublished,
    /// Ours falls short; the row says why.
    Short,
    /// Nothing to compare with: seconds on another machine, or a number the paper does not have.
    Informative,
    /// Not run with this effort.
    NotRun,
}

impl Verdict {
    /// As the report says it.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Better => "better than published",
            Self::AtPublished => "at published",
            Self::Short => "falls short",
            Self::Informative => "for information",
            Self::NotRun => "not run with this effort",
        }
    }

    /// The verdict where less is better; within a tenth counts as equal.
    #[must_use]
    pub fn less_is_better(ours: f64, published: f64) -> Self {
        if ours < 0.9 * published {
            Self::Better
        } else if ours <= 1.1 * published {
            Self::AtPublished
        } else {
            // Numbers that are none come here too.
            Self::Short
        }
    }

    /// The verdict where more is better; within a tenth counts as equal.
    #[must_use]
    pub fn more_is_better(ours: f64, published: f64) -> Self {
        if ours > 1.1 * published {
            Self::Better
        } else if ours >= 0.9 * published {
            Self::AtPublished
        } else {
            Self::Short
        }
    }

    /// The verdict on a statement that holds or does not.
    #[must_use]
    pub fn holds(holds: bool) -> Self {
        if holds { Self::AtPublished } else { Self::Short }
    }
}

/// One published statement with ours beside it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What is compared, as `mean iterations, 1190 balls`.
    pub quantity: String,
    /// What was published, in words; empty if nothing was.
    pub published: String,
    /// What was found, in words.
    pub ours: String,
    /// Ours over the published number, where both are numbers that compare.
    pub ratio: Option<f64>,
    /// What became of the statement, by a rule in the code.
    pub verdict: Verdict,
    /// The exact command that shows this row.
    pub command: String,
    /// Why it falls short, or what a reader should know: shown below the row.
    pub note: String,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// A number with all its digits; shown with four.
    Number(f64),
    /// Words.
    Text(String),
    /// Nothing.
    Missing(()),
}

impl From<f64> for Cell {
    fn from(number: f64) -> Self {
        // JSON knows no other numbers.
        if number.is_finite() { Self::Number(number) } else { Self::Text(number.to_string()) }
    }
}
impl From<usize> for Cell {
    fn from(number: usize) -> Self {
        Self::Number(number as f64)
    }
}
impl From<u32> for Cell {
    fn from(number: u32) -> Self {
        Self::Number(f64::from(number))
    }
}
impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}
impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}
impl<T: Into<Cell>> From<Option<T>> for Cell {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Missing(()), Into::into)
    }
}

/// A table of everything that was measured; written as CSV beside the report.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DataTable {
    /// Name of its file without `.csv`, in kebab-case.
    pub name: String,
    /// What it holds, with units.
    pub title: String,
    /// Names of the columns, units included.
    pub columns: Vec<String>,
    /// Rows as long as the columns.
    pub rows: Vec<Vec<Cell>>,
}

impl DataTable {
    /// A table without rows.
    #[must_use]
    pub fn new(name: &str, title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { name: name.into(), title: title.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<Cell>) {
        debug_assert_eq!(row.len(), self.columns.len());
        self.rows.push(row);
    }
}

/// A line of a figure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// x and y; a pair with `None` interrupts the line.
    pub points: Vec<[Option<f64>; 2]>,
    /// Whether the points are marked.
    pub dots: bool,
}

impl Series {
    /// A line through points.
    #[must_use]
    pub fn new(name: &str, points: impl IntoIterator<Item = [f64; 2]>) -> Self {
        let finite = |x: f64| x.is_finite().then_some(x);
        let points = points.into_iter().map(|[x, y]| [finite(x), finite(y)]).collect();
        Self { name: name.into(), points, dots: false }
    }

    /// The same with its points marked.
    #[must_use]
    pub fn with_dots(self) -> Self {
        Self { dots: true, ..self }
    }
}

/// A figure in the style of the papers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// Name of its file without `.svg`, in kebab-case.
    pub name: String,
    /// What is seen.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x: String,
    /// Label of the vertical axis, with its unit.
    pub y: String,
    /// Logarithmic axes: horizontal, vertical.
    pub log: [bool; 2],
    /// The lines.
    pub series: Vec<Series>,
    /// Levels to mark: name and value.
    pub rules: Vec<(String, f64)>,
}

impl Figure {
    /// The figure as a plot.
    #[must_use]
    pub fn plot(&self) -> Plot {
        let axis = |label: &str, log: bool| if log { Axis::logarithmic(label) } else { Axis::linear(label) };
        let curve = |(style, series): (usize, &Series)| {
            let number = |x: Option<f64>| x.unwrap_or(f64::NAN);
            let points: Vec<[f64; 2]> = series.points.iter().map(|point| point.map(number)).collect();
            let dots = if series.dots { points.clone() } else { Vec::new() };
            Curve { dots, ..Curve::new(&series.name, style, points) }
        };
        Plot {
            title: self.title.clone(),
            x: axis(&self.x, self.log[0]),
            y: axis(&self.y, self.log[1]),
            curves: self.series.iter().enumerate().map(curve).collect(),
            rules: self.rules.iter().map(|(name, at)| Rule { name: name.clone(), at: *at }).collect(),
            legend: self.series.len() > 1,
            ..Plot::default()
        }
    }
}

/// What an experiment found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Published statements with ours beside them.
    pub rows: Vec<Row>,
    /// All numbers.
    pub tables: Vec<DataTable>,
    /// Figures.
    pub figures: Vec<Figure>,
    /// What a reader should know about the whole experiment: choices made where the paper is silent, hardware.
    pub notes: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_either_way_is_as_published() {
        assert_eq!(Verdict::less_is_better(8.0, 10.0), Verdict::Better);
        assert_eq!(Verdict::less_is_better(10.9, 10.0), Verdict::AtPublished);
        assert_eq!(Verdict::less_is_better(11.1, 10.0), Verdict::Short);
        assert_eq!(Verdict::less_is_better(f64::NAN, 10.0), Verdict::Short);
        assert_eq!(Verdict::more_is_better(12.0, 10.0), Verdict::Better);
        assert_eq!(Verdict::more_is_better(9.1, 10.0), Verdict::AtPublished);
        assert_eq!(Verdict::more_is_better(8.0, 10.0), Verdict::Short);
        assert_eq!(Verdict::more_is_better(f64::NAN, 10.0), Verdict::Short);
    }

    #[test]
    fn an_outcome_survives_as_json() {
        let mut table = DataTable::new("sizes", "Sizes", &["balls", "iterations", "law"]);
        table.push(vec![64usize.into(), 4.5.into(), "relaxed".into()]);
        table.push(vec![Cell::from(None::<f64>), f64::NAN.into(), "".into()]);
        let series = Series::new("a", [[0.0, 1.0], [1.0, f64::NAN], [2.0, 3.0]]).with_dots();
        let outcome = Outcome {
            tables: vec![table],
            figures: vec![Figure { series: vec![series], log: [false, true], ..Figure::default() }],
            ..Outcome::default()
        };
        let text = serde_json::to_string(&outcome).unwrap();
        assert_eq!(serde_json::from_str::<Outcome>(&text).unwrap(), outcome);
    }
}

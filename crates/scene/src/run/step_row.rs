//! steps.csv: one line a step.

use super::RunError;
use super::broken_field;
use super::error::damaged;
use signorini_mechanics::{Broken, Energy, Promise, StepReport, Work};
use std::borrow::Cow;
use std::fmt::Write;
use std::path::Path;

/// The columns of steps.csv. The last three, timings, are the only ones that differ when a run is repeated.
pub const COLUMNS: [&str; 38] = [
    "step",
    "time_s",
    "contacts",
    "active",
    "method",
    "status",
    "iterations",
    "natural_map_m_s",
    "natural_map_relative",
    "tolerance_ratio",
    "penetration_m",
    "joint_violation_m",
    "joint_violation_rad",
    "kinetic_J",
    "potential_J",
    "elastic_J",
    "total_J",
    "work_contacts_J",
    "work_joints_J",
    "work_drives_J",
    "work_damping_J",
    "work_numerical_J",
    "px_kg_m_s",
    "py_kg_m_s",
    "pz_kg_m_s",
    "lx_kg_m2_s",
    "ly_kg_m2_s",
    "lz_kg_m2_s",
    "recovery",
    "rounds",
    "substeps",
    "shortest_step_s",
    "error_m",
    "error_rad",
    "broken",
    "collision_s",
    "assembly_s",
    "solve_s",
];

/// The places of the work of a step.
pub(super) const WORK: std::ops::Range<usize> = 17..22;
/// The place of the promises that a step broke: the first programs did not write it.
pub(super) const BROKEN: usize = 34;
/// The columns of work that earlier programs wrote: these numbers have another meaning, and are not read.
const EARLIER_WORK: [&str; 3] = ["work_contacts_J", "work_joints_J", "work_rest_J"];

/// Reads a line without its end, of a file and with its number there.
pub(super) type ParseLine = fn(&str, &Path, usize) -> Result<StepRow, RunError>;

/// One line of steps.csv: what a step said about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct StepRow {
    /// Steps taken, this one included.
    pub step: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// Contacts in the problem.
    pub contacts: usize,
    /// Contacts that carry force.
    pub active: usize,
    /// The method that gave the answer.
    pub method: Cow<'static, str>,
    /// How the solve ended. Whether the step may be trusted is said by [`StepRow::converged`].
    pub status: Cow<'static, str>,
    /// Iterations, all phases.
    pub iterations: u32,
    /// Natural map, the worst block \[m/s\].
    pub natural_map: f64,
    /// Natural map relative to the free velocity.
    pub natural_map_relative: f64,
    /// Residual divided by tolerance: at most 1 when met.
    pub tolerance_ratio: f64,
    /// Deepest overlap after the step \[m\].
    pub penetration: f64,
    /// Worst violation of a joint, rope, limit or link after the step \[m\].
    pub joint_violation: f64,
    /// Worst violation of a joint, limit or link after the step \[rad\].
    pub joint_angle_violation: f64,
    /// Kinetic energy \[J\].
    pub kinetic: f64,
    /// Potential energy \[J\].
    pub potential: f64,
    /// Elastic energy of flexible bodies \[J\].
    pub elastic: f64,
    /// Where the energy of the step went; empty for steppers that do not say.
    pub work: Option<Work>,
    /// Linear momentum \[kg m/s\].
    pub linear_momentum: [f64; 3],
    /// Angular momentum about the origin \[kg m²/s\].
    pub angular_momentum: [f64; 3],
    /// Share of the recovery speed that was used.
    pub recovery: f64,
    /// How often the step was taken again: with more contacts, or sub-steps of smooth steppers.
    pub rounds: u32,
    /// Sub-steps it was taken in.
    pub substeps: u32,
    /// The shortest of them \[s\].
    pub shortest_step: f64,
    /// With extrapolation, the error since the start that was estimated and removed \[m, rad\]; empty without.
    pub error_estimate: Option<[f64; 2]>,
    /// The promises it broke; empty for a step that has converged.
    pub broken: Vec<Broken>,
    /// Seconds of collision detection, assembly and solve.
    pub seconds: [f64; 3],
}

impl StepRow {
    /// The row of a step.
    #[must_use]
    pub fn of(report: &StepReport) -> Self {
        Self {
            step: report.step,
            time: report.time,
            contacts: report.contacts,
            active: report.active,
            method: Cow::Borrowed(report.method),
            status: Cow::Borrowed(report.status.name()),
            iterations: report.iterations,
            natural_map: report.residuals.natural_map,
            natural_map_relative: report.residuals.natural_map_relative,
            tolerance_ratio: report.tolerance_ratio,
            penetration: report.penetration,
            joint_violation: report.joint_violation,
            joint_angle_violation: report.joint_angle_violation,
            kinetic: report.energy.kinetic,
            potential: report.energy.potential,
            elastic: report.energy.elastic,
            work: report.work,
            linear_momentum: report.momentum.linear.to_array(),
            angular_momentum: report.momentum.angular.to_array(),
            recovery: report.recovery,
            rounds: report.rounds,
            substeps: report.substeps,
            shortest_step: report.shortest_step,
            error_estimate: report.error_estimate,
            broken: report.broken.clone(),
            seconds: [report.timings.collision, report.timings.assembly, report.timings.solve],
        }
    }

    /// Whether the step kept every promise.
    #[must_use]
    pub fn converged(&self) -> bool {
        self.broken.is_empty()
    }

    /// The row of an earlier program, which judged a step by its residual alone: one that missed its tolerance broke that promise.
    pub(super) fn judged_by_residual(mut self) -> Self {
        let is_missed = self.tolerance_ratio > 1.0 || self.tolerance_ratio.is_nan();
        if self.status != "converged" && is_missed {
            let (value, bound) = (self.natural_map, self.natural_map / self.tolerance_ratio);
            let who = String::new();
            self.broken.push(Broken {
                promise: Promise::Residual,
                who,
                culprits: Vec::new(),
                value,
                bound,
                unit: "m/s".into(),
            });
        }
        self
    }

    /// Energy after the step.
    #[must_use]
    pub fn energy(&self) -> Energy {
        Energy { kinetic: self.kinetic, potential: self.potential, elastic: self.elastic }
    }

    /// All energy \[J\].
    #[must_use]
    pub fn total(&self) -> f64 {
        self.energy().total()
    }

    pub(super) fn header() -> String {
        COLUMNS.join(",") + "\n"
    }

    /// How lines below a header are read; `None` for one that no program wrote.
    pub(super) fn parser(header: &str) -> Option<ParseLine> {
        let is = |of: String| header == of.trim_end();
        if is(Self::header()) {
            Some(Self::parse)
        } else if is(Self::earlier_header(true)) {
            Some(Self::parse_earlier)
        } else if is(Self::earlier_header(false)) {
            Some(Self::parse_first)
        } else {
            None
        }
    }

    /// The headers of earlier programs: other columns of work, and in the first ones no broken promises.
    fn earlier_header(has_broken: bool) -> String {
        let mut names: Vec<&str> = [&COLUMNS[..WORK.start], &EARLIER_WORK, &COLUMNS[WORK.end..]].concat();
        if !has_broken {
            names.retain(|name| *name != COLUMNS[BROKEN]);
        }
        names.join(",") + "\n"
    }

    /// Adds the row as a line. Every number reads back to the same bits.
    pub(super) fn write(&self, line: &mut String) {
        let Self { step, time, contacts, active, method, status, iterations, .. } = self;
        let _ = write!(line, "{step},{},{contacts},{active},{method},{status},{iterations}", number(*time));
        let work = self.work.map(|work| [work.contacts, work.joints, work.drives, work.damping, work.numerical]);
        let [px, py, pz] = self.linear_momentum;
        let [lx, ly, lz] = self.angular_momentum;
        let energy = [
            self.natural_map,
            self.natural_map_relative,
            self.tolerance_ratio,
            self.penetration,
            self.joint_violation,
            self.joint_angle_violation,
            self.kinetic,
            self.potential,
            self.elastic,
            self.total(),
        ];
        let motion = [px, py, pz, lx, ly, lz, self.recovery];
        let work = work.map_or([None; 5], |work| work.map(Some));
        let numbers = energy.into_iter().map(Some).chain(work).chain(motion.into_iter().map(Some));
        numbers.for_each(|value| {
            line.push(',');
            if let Some(value) = value {
                let _ = write!(line, "{}", number(value));
            }
        });
        let _ = write!(line, ",{},{},{},", self.rounds, self.substeps, number(self.shortest_step));
        let _ = match self.error_estimate {
            Some([metres, radians]) => write!(line, "{},{}", number(metres), number(radians)),
            None => write!(line, ","),
        };
        line.push(',');
        broken_field::write(&self.broken, line);
        let [collision, assembly, solve] = self.seconds;
        // Timings to the microsecond.
        let _ = writeln!(line, ",{collision:.6},{assembly:.6},{solve:.6}");
    }

    /// Reads a line without its end.
    pub(super) fn parse(line: &str, file: &Path, number_of_line: usize) -> Result<Self, RunError> {
        Self::of_fields(&fields_of(line, COLUMNS.len(), file, number_of_line)?, file, number_of_line)
    }

    /// Reads a line of an earlier program without its end.
    fn parse_earlier(line: &str, file: &Path, number_of_line: usize) -> Result<Self, RunError> {
        let expected = COLUMNS.len() - WORK.len() + EARLIER_WORK.len();
        let mut fields = fields_of(line, expected, file, number_of_line)?;
        fields.splice(WORK.start..WORK.start + EARLIER_WORK.len(), [""; WORK.end - WORK.start]);
        Self::of_fields(&fields, file, number_of_line)
    }

    /// Reads a line of one of the first programs without its end, which judged steps by their residual alone.
    fn parse_first(line: &str, file: &Path, number_of_line: usize) -> Result<Self, RunError> {
        let expected = COLUMNS.len() - WORK.len() + EARLIER_WORK.len() - 1;
        let mut fields = fields_of(line, expected, file, number_of_line)?;
        fields.splice(WORK.start..WORK.start + EARLIER_WORK.len(), [""; WORK.end - WORK.start]);
        fields.insert(BROKEN, "");
        Self::of_fields(&fields, file, number_of_line).map(Self::judged_by_residual)
    }

    /// The row of fields in the order of [`COLUMNS`].
    pub(super) fn of_fields(fields: &[&str], file: &Path, number_of_line: usize) -> Result<Self, RunError> {
        let field = Fields { fields, file, line: number_of_line };
        Ok(Self {
            step: field.parse(0)?,
            time: field.parse(1)?,
            contacts: field.parse(2)?,
            active: field.parse(3)?,
            method: Cow::Owned(fields[4].to_owned()),
            status: Cow::Owned(fields[5].to_owned()),
            iterations: field.parse(6)?,
            natural_map: field.parse(7)?,
            natural_map_relative: field.parse(8)?,
            tolerance_ratio: field.parse(9)?,
            penetration: field.parse(10)?,
            joint_violation: field.parse(11)?,
            joint_angle_violation: field.parse(12)?,
            kinetic: field.parse(13)?,
            potential: field.parse(14)?,
            elastic: field.parse(15)?,
            // The total in between follows from the three.
            work: if fields[WORK].iter().any(|field| field.is_empty()) {
                None
            } else {
                Some(Work {
                    contacts: field.parse(17)?,
                    joints: field.parse(18)?,
                    drives: field.parse(19)?,
                    damping: field.parse(20)?,
                    numerical: field.parse(21)?,
                })
            },
            linear_momentum: [field.parse(22)?, field.parse(23)?, field.parse(24)?],
            angular_momentum: [field.parse(25)?, field.parse(26)?, field.parse(27)?],
            recovery: field.parse(28)?,
            rounds: field.parse(29)?,
            substeps: field.parse(30)?,
            shortest_step: field.parse(31)?,
            error_estimate: if fields[32].is_empty() && fields[33].is_empty() {
                None
            } else {
                Some([field.parse(32)?, field.parse(33)?])
            },
            broken: broken_field::read(fields[BROKEN]).ok_or_else(|| {
                let found = fields[BROKEN];
                damaged(
                    file,
                    format!("line {number_of_line}: broken is `{found}`, expected promise|value|bound|unit|who"),
                )
            })?,
            seconds: [field.parse(35)?, field.parse(36)?, field.parse(37)?],
        })
    }
}

/// The fields of a line, if there are as many as expected.
fn fields_of<'a>(line: &'a str, expected: usize, file: &Path, number_of_line: usize) -> Result<Vec<&'a str>, RunError> {
    let fields: Vec<&str> = line.split(',').collect();
    if fields.len() == expected {
        Ok(fields)
    } else {
        Err(damaged(file, format!("line {number_of_line} has {} fields, expected {expected}", fields.len())))
    }
}

/// The fields of a line, and what messages call it.
struct Fields<'a> {
    fields: &'a [&'a str],
    file: &'a Path,
    line: usize,
}

impl Fields<'_> {
    fn parse<T: std::str::FromStr>(&self, at: usize) -> Result<T, RunError> {
        let text = self.fields[at];
        text.parse().map_err(|_| {
            damaged(self.file, format!("line {}: {} is `{text}`, expected a number", self.line, COLUMNS[at]))
        })
    }
}

/// The shortest text that reads back to the same bits; with an exponent where the digits would be many zeros.
pub(super) fn number(value: f64) -> Number {
    Number(value)
}

/// A number as it is written to CSV files.
pub(super) struct Number(f64);

impl std::fmt::Display for Number {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0.abs() {
            size if size == 0.0 || (1e-4..1e9).contains(&size) => write!(f, "{}", self.0),
            _ => write!(f, "{:e}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn broken() -> Broken {
        let (who, culprits) = ("joint `a, b`".into(), Vec::new());
        Broken { promise: Promise::Joints, who, culprits, value: 0.5, bound: 1e-3, unit: "m".into() }
    }

    fn row() -> StepRow {
        StepRow {
            step: 7,
            time: 0.1 + 0.2,
            contacts: 12,
            active: 9,
            method: "apgd".into(),
            status: "converged".into(),
            iterations: 31,
            natural_map: 1.0 / 3.0 * 1e-7,
            natural_map_relative: 5e-324,
            tolerance_ratio: f64::INFINITY,
            penetration: 0.0,
            joint_violation: -0.0,
            joint_angle_violation: 1e300,
            kinetic: 12.5,
            potential: -1.0 / 3.0,
            elastic: 2.0 / 7.0,
            work: Some(Work {
                contacts: -1e-7 / 3.0,
                joints: -0.0,
                drives: 1e5 / 7.0,
                damping: -1.0 / 3.0,
                numerical: 2.0_f64.sqrt(),
            }),
            linear_momentum: [1e-5, 123456.789, -1e10],
            angular_momentum: [f64::MIN_POSITIVE, 2.0_f64.sqrt(), 0.0],
            recovery: 0.0625,
            rounds: 2,
            substeps: 3,
            shortest_step: 1.0 / 3.0,
            error_estimate: Some([1e-9, 0.1]),
            broken: vec![broken()],
            seconds: [0.25, 0.5, 0.125],
        }
    }

    #[test]
    fn a_step_has_converged_if_it_broke_no_promise_whatever_its_status_and_residual_say() {
        let kept = StepRow { status: "stalled".into(), tolerance_ratio: f64::INFINITY, broken: vec![], ..row() };
        assert!(kept.converged());
        let open = StepRow { status: "converged".into(), tolerance_ratio: 0.0, ..row() };
        assert!(!open.converged());
    }

    /// A line as earlier programs wrote it.
    fn earlier(row: &StepRow, has_broken: bool) -> StepRow {
        let mut line = String::new();
        row.write(&mut line);
        let mut fields: Vec<&str> = line.trim_end().split(',').collect();
        if !has_broken {
            fields.remove(BROKEN);
        }
        fields.splice(WORK, ["1", "2", "3"]);
        let header = StepRow::earlier_header(has_broken);
        assert_eq!(header.trim_end().split(',').count(), fields.len());
        let parse = StepRow::parser(header.trim_end()).unwrap();
        parse(&fields.join(","), Path::new("steps.csv"), 2).unwrap()
    }

    #[test]
    fn rows_of_the_first_programs_are_judged_by_what_they_say_about_the_residual() {
        let read = |status: &str, tolerance_ratio| {
            let row = StepRow { status: status.to_owned().into(), tolerance_ratio, broken: vec![], ..row() };
            earlier(&row, false).converged()
        };
        assert!(read("converged", 0.5) && read("stalled", 7e-6) && read("stalled", 1.0));
        assert!(!read("stalled", 1.001) && !read("iteration-limit", f64::NAN) && !read("stalled", f64::INFINITY));
    }

    #[test]
    fn rows_of_earlier_programs_are_read_without_their_work_which_meant_something_else() {
        let expected = StepRow { work: None, ..row() };
        assert_eq!(format!("{:?}", earlier(&row(), true)), format!("{expected:?}"));
        assert!(StepRow::parser("step,time_s").is_none());
    }

    #[test]
    fn a_row_reads_back_to_the_same_bits() {
        let mut line = String::new();
        row().write(&mut line);
        assert_eq!(StepRow::header().trim_end().split(',').count(), line.trim_end().split(',').count());
        let back = StepRow::parse(line.trim_end(), Path::new("steps.csv"), 2).unwrap();
        assert_eq!(format!("{back:?}"), format!("{:?}", row()));
        let without = StepRow { error_estimate: None, work: None, ..row() };
        line.clear();
        without.write(&mut line);
        let back = StepRow::parse(line.trim_end(), Path::new("steps.csv"), 2).unwrap();
        assert_eq!(format!("{back:?}"), format!("{without:?}"));
    }

    #[test]
    fn a_spoiled_line_is_named() {
        let mut line = String::new();
        row().write(&mut line);
        let spoiled = line.trim_end().replace("converged,31", "converged,x");
        let message = StepRow::parse(&spoiled, Path::new("steps.csv"), 5).unwrap_err().to_string();
        assert_eq!(message, "steps.csv is damaged: line 5: iterations is `x`, expected a number");
        let spoiled = line.trim_end().replace("joints|0.5", "joints|x");
        let message = StepRow::parse(&spoiled, Path::new("steps.csv"), 5).unwrap_err().to_string();
        assert!(message.contains("line 5: broken is `joints|x|"), "{message}");
        let message = StepRow::parse("1,2", Path::new("steps.csv"), 5).unwrap_err().to_string();
        assert_eq!(message, "steps.csv is damaged: line 5 has 2 fields, expected 38");
    }
}

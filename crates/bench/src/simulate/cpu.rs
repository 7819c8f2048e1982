//! Processor time of this process, all threads together.

/// Clock ticks a second of `/proc`; fixed by the kernel's interface on Linux.
const TICKS: f64 = 100.0;

/// Seconds of processor time used so far, to 10 ms; `None` where the system does not say.
pub(crate) fn seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    // The name in parentheses may hold spaces: fields are counted after it. utime and stime are fields 14 and 15.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks: f64 = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / TICKS)
}

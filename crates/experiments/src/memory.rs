//! Peak resident memory of a part of the run, where the system tells it (Linux).

use std::fs;

/// Forgets the peak so far, so that [`peak_bytes`] speaks of what follows, and returns what is resident now. `None` where the system
/// refuses, as in some containers: the peak then is that of the whole run so far, still an upper bound.
pub fn reset_peak() -> Option<u64> {
    fs::write("/proc/self/clear_refs", "5").ok()?;
    own_bytes("VmRSS:")
}

/// Peak resident memory since [`reset_peak`].
#[must_use]
pub fn peak_bytes() -> Option<u64> {
    own_bytes("VmHWM:")
}

fn own_bytes(name: &str) -> Option<u64> {
    field_bytes(&fs::read_to_string("/proc/self/status").ok()?, name)
}

/// Memory of the machine: all of it, and what is free to use now.
#[must_use]
pub fn machine_bytes() -> Option<(u64, u64)> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    Some((field_bytes(&text, "MemTotal:")?, field_bytes(&text, "MemAvailable:")?))
}

fn field_bytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_of_the_status_file_is_read_in_bytes() {
        assert_eq!(field_bytes("Name:\tx\nVmHWM:\t    1234 kB\n", "VmHWM:"), Some(1234 * 1024));
        assert_eq!(field_bytes("VmHWM:\tmany\n", "VmHWM:"), None);
        assert_eq!(field_bytes("", "VmHWM:"), None);
    }
}

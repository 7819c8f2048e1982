//! Contact forces of the frames that are kept.

use super::body::Body;
use super::budget::{CONTACT, cap};
use crate::{Recording, ViewError};
use serde_json::{Value, json};
use signorini_scene::run::{ContactRow, RunStatus};
use std::collections::BTreeMap;
use std::io::{Read, Seek, SeekFrom};

/// What contacts.csv holds.
pub(super) struct Found {
    /// Contacts of every frame.
    pub(super) counts: Vec<u64>,
    /// Rows before the first damage.
    rows: usize,
}

/// The contacts of a page.
pub(super) struct Packed {
    pub(super) header: Value,
    pub(super) left_out: Option<String>,
}

struct Contact {
    bodies: [u32; 2],
    /// Point, normal, force on B, gap.
    numbers: [f32; 10],
    strength: f64,
}

/// A contact of a row; what is wrong with it otherwise.
fn contact(row: &ContactRow, names: &BTreeMap<&str, u32>) -> Result<Contact, String> {
    let number = |name: &str| names.get(name).copied().ok_or_else(|| format!("there is no body `{name}` in run.json"));
    let bodies = [number(&row.body_a)?, number(&row.body_b)?];
    let numbers = [row.x, row.y, row.z, row.nx, row.ny, row.nz, row.fx, row.fy, row.fz, row.gap].map(coarse);
    match numbers.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(format!("number {} of a contact of step {} is not finite", at + 1, row.step)),
        None => Ok(Contact { bodies, numbers, strength: (row.fx * row.fx + row.fy * row.fy + row.fz * row.fz).sqrt() }),
    }
}

/// The nearest number with 15 bits after its leading one: a part in 65,536. The rest would be noise that does not compress, and
/// contacts are most of a page.
fn coarse(x: f64) -> f32 {
    let bits = (x as f32).to_bits();
    f32::from_bits(bits.saturating_add(0x80) & !0xff)
}

fn names(recording: &Recording) -> BTreeMap<&str, u32> {
    recording.manifest().names().zip(0..).collect()
}

/// Whether contacts.csv ends in the middle of a line though the run has ended: one that is under way or was killed may well.
pub(crate) fn is_cut_short(recording: &Recording) -> bool {
    if recording.manifest().status == RunStatus::Running {
        return false;
    }
    let last = || {
        let mut file = std::fs::File::open(recording.folder().path().join("contacts.csv"))?;
        file.seek(SeekFrom::End(-1))?;
        let mut byte = [0];
        file.read_exact(&mut byte).map(|()| byte[0])
    };
    let last: std::io::Result<u8> = last();
    last.map_or(true, |byte| byte != b'\n')
}

impl Found {
    /// Counts the contacts of every frame; `None` if the run did not record them.
    pub(super) fn count(recording: &mut Recording) -> Option<Self> {
        let (frames, every) = (recording.frame_count(), recording.manifest().output.every.max(1));
        let rows = match recording.folder().contact_rows() {
            Ok(rows) => rows?,
            Err(error) => {
                recording.note_damage(format!("contacts are not shown: {error}"));
                return None;
            }
        };
        let names = names(recording);
        let mut this = Self { counts: vec![0; frames as usize], rows: 0 };
        let (mut step, mut problem) = (0, None);
        for row in rows {
            let checked = row.map_err(|error| error.to_string()).and_then(|row| {
                contact(&row, &names).map_err(|problem| format!("contacts.csv is damaged: {problem}"))?;
                match row.step >= step {
                    true => Ok(row.step),
                    false => Err(format!("contacts.csv is damaged: step {} comes after step {step}", row.step)),
                }
            });
            match checked {
                Ok(now) => step = now,
                Err(found) => {
                    problem = Some(found);
                    break;
                }
            }
            this.rows += 1;
            if step.is_multiple_of(every) && step / every < frames {
                this.counts[(step / every) as usize] += 1;
            }
        }
        let is_cut = problem.is_none() && is_cut_short(recording);
        if let Some(problem) = problem.or(is_cut.then(|| "contacts.csv was cut short".to_owned())) {
            recording.note_damage(format!("{problem}; contacts end with step {step}"));
        }
        Some(this)
    }
}

/// Packs the contacts of the frames after `steps`, the strongest of every frame if there is no room for all.
pub(super) fn pack(
    recording: &Recording,
    found: &Found,
    steps: &[u64],
    room: u64,
    body: &mut Body,
) -> Result<Packed, ViewError> {
    let every = recording.manifest().output.every.max(1);
    let counts: Vec<u64> =
        steps.iter().map(|step| found.counts.get((step / every) as usize).copied().unwrap_or(0)).collect();
    let most = cap(&counts, room / CONTACT);
    let names = names(recording);
    let mut frames: Vec<Vec<Contact>> = Vec::new();
    frames.resize_with(steps.len(), Vec::new);
    let keep_strongest = |contacts: &mut Vec<Contact>| {
        if contacts.len() as u64 > most {
            // Stable: of equals the first stay.
            let mut order: Vec<usize> = (0..contacts.len()).collect();
            order.sort_by(|a, b| contacts[*b].strength.total_cmp(&contacts[*a].strength));
            let mut is_kept = vec![false; contacts.len()];
            order.iter().take(most as usize).for_each(|index| is_kept[*index] = true);
            let mut kept = is_kept.into_iter();
            contacts.retain(|_| kept.next().unwrap_or(false));
        }
    };
    let mut current = 0;
    if let Some(rows) = recording.folder().contact_rows()? {
        for row in rows.take(found.rows) {
            let row = row?;
            let Ok(frame) = steps.binary_search(&row.step) else { continue };
            if frame != current {
                keep_strongest(&mut frames[current]);
                current = frame;
            }
            frames[frame].extend(contact(&row, &names).ok());
        }
    }
    if let Some(last) = frames.get_mut(current) {
        keep_strongest(last);
    }
    let mut start = vec![0_u32];
    let mut sum = 0;
    for contacts in &frames {
        sum += contacts.len() as u32;
        start.push(sum);
    }
    let all = || frames.iter().flatten();
    let vectors = |from: usize| all().flat_map(move |contact| contact.numbers[from..from + 3].iter().copied());
    let start = body.u32s(start);
    let header = json!({
        "start": start,
        "bodies": body.u32s(all().flat_map(|contact| contact.bodies)),
        "point": body.f32s(vectors(0)),
        "normal": body.f32s(vectors(3)),
        "force": body.f32s(vectors(6)),
        "gap": body.f32s(all().map(|contact| contact.numbers[9])),
    });
    let total: u64 = counts.iter().sum();
    let left_out = (u64::from(sum) < total).then(|| {
        format!("{sum} of {total} contacts of these frames are shown, the {most} strongest of a frame at most; --max-size changes that")
    });
    Ok(Packed { header, left_out })
}

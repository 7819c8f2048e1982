//! checkpoint.bin: all bits needed to go on as if the run had not been stopped.
//!
//! Little-endian: the eight letters `SIGNCKPT`, format (u64), step (u64), time, number of bodies (u64), 13 numbers a body
//! (position, rotation x y z w, velocity, angular velocity in **body** axes), number of nodes of flexible bodies (u64) and 6
//! numbers a node (position, velocity), number of contacts (u64) and for each the two
//! colliders (u32), the feature (u64), impulse and rolling impulse; number of joint rows (u64) and their impulses; number of
//! numbers that forces keep (u64) and these; number of numbers a stepper keeps of the motion (u64) and these;
//! lengths in bytes of steps.csv, trajectory.bin, contacts.csv and forces.csv (u64) at that step; the account of energy, four numbers
//! (excess, bound, kinetic and total energy), after the first step; then the number of bodies (u64) and for each five
//! numbers (u32) of how it has rested and with whom it sleeps; FNV-1a of all that (u64). Earlier programs wrote no account, or nothing after it.

use super::error::{damaged, reading};
use super::fnv::Fnv;
use super::manifest::FORMAT;
use super::{RunError, durable};
use signorini_mechanics::{ContactId, EnergyAccount, Pose, Quat, Rest, State, StepMemory, Vec3};
use std::path::Path;

const MAGIC: &[u8; 8] = b"SIGNCKPT";

/// All bits needed to go on.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Positions and velocities.
    pub state: State,
    /// Impulses of the last step.
    pub warm: StepMemory,
    /// How long the other files were at this step.
    pub lengths: Lengths,
}

/// Lengths of the files that are appended to \[bytes\].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Of steps.csv.
    pub steps: u64,
    /// Of trajectory.bin.
    pub trajectory: u64,
    /// Of contacts.csv; 0 without one.
    pub contacts: u64,
    /// Of forces.csv; 0 without one.
    pub forces: u64,
}

/// Bytes of a checkpoint of a state.
pub(super) fn encode(state: &State, warm: &StepMemory, lengths: &Lengths) -> Vec<u8> {
    let mut out = Vec::with_capacity(
        128 * (state.poses.len() + warm.contacts.len() + 1)
            + 48 * state.nodes.len()
            + 8 * (warm.joints.len() + state.memory.len() + warm.motion.len()),
    );
    out.extend(MAGIC);
    let whole = |out: &mut Vec<u8>, value: u64| out.extend(value.to_le_bytes());
    let reals = |out: &mut Vec<u8>, values: &[f64]| values.iter().for_each(|value| out.extend(value.to_le_bytes()));
    whole(&mut out, FORMAT);
    whole(&mut out, state.step);
    reals(&mut out, &[state.time]);
    whole(&mut out, state.poses.len() as u64);
    for (i, pose) in state.poses.iter().enumerate() {
        reals(&mut out, &pose.position.to_array());
        reals(&mut out, &pose.rotation.to_array());
        reals(&mut out, &state.velocities[i].to_array());
        reals(&mut out, &state.angular_velocities[i].to_array());
    }
    whole(&mut out, state.nodes.len() as u64);
    for (node, velocity) in state.nodes.iter().zip(&state.node_velocities) {
        reals(&mut out, &node.to_array());
        reals(&mut out, &velocity.to_array());
    }
    whole(&mut out, warm.contacts.len() as u64);
    for (id, impulse) in &warm.contacts {
        id.colliders.iter().for_each(|collider| out.extend(collider.to_le_bytes()));
        whole(&mut out, id.feature);
        [impulse.linear, impulse.rolling].iter().for_each(|v| reals(&mut out, &v.to_array()));
    }
    whole(&mut out, warm.joints.len() as u64);
    reals(&mut out, &warm.joints);
    whole(&mut out, state.memory.len() as u64);
    reals(&mut out, &state.memory);
    whole(&mut out, warm.motion.len() as u64);
    reals(&mut out, &warm.motion);
    let Lengths { steps, trajectory, contacts, forces } = *lengths;
    [steps, trajectory, contacts, forces].into_iter().for_each(|length| whole(&mut out, length));
    if let Some(EnergyAccount { excess, bound, kinetic, total }) = warm.energy {
        reals(&mut out, &[excess, bound, kinetic, total]);
        whole(&mut out, warm.rest.len() as u64);
        for Rest { lasted, failures, pause, still, group } in &warm.rest {
            [lasted, failures, pause, still, group].into_iter().for_each(|count| out.extend(count.to_le_bytes()));
        }
    }
    let mut sum = Fnv::default();
    sum.add(&out);
    whole(&mut out, sum.0);
    out
}

/// Replaces the checkpoint of a folder.
pub(super) fn write(folder: &Path, state: &State, warm: &StepMemory, lengths: &Lengths) -> Result<(), RunError> {
    durable::replace(&folder.join(super::CHECKPOINT), &encode(state, warm, lengths))
}

/// Reads the checkpoint of a folder.
pub(super) fn read(folder: &Path) -> Result<Checkpoint, RunError> {
    let path = folder.join(super::CHECKPOINT);
    let bytes = std::fs::read(&path).map_err(reading(&path))?;
    decode(&bytes, &path)
}

pub(super) fn decode(bytes: &[u8], path: &Path) -> Result<Checkpoint, RunError> {
    let body = bytes.strip_prefix(MAGIC).ok_or_else(|| damaged(path, "it does not start with SIGNCKPT"))?;
    let mut reader = Reader { rest: body, path };
    let version = reader.whole()?;
    if version != FORMAT {
        return Err(RunError::OtherVersion { file: path.to_path_buf(), found: version, expected: FORMAT });
    }
    let Some((contents, stored)) = bytes.split_last_chunk::<8>() else {
        return Err(damaged(path, "it ends too early"));
    };
    let mut sum = Fnv::default();
    sum.add(contents);
    if sum.0 != u64::from_le_bytes(*stored) {
        return Err(damaged(path, "its checksum does not fit its contents"));
    }
    let step = reader.whole()?;
    let [time] = reader.reals()?;
    let bodies = reader.count(13 * 8)?;
    let mut state = State {
        time,
        step,
        poses: vec![],
        velocities: vec![],
        angular_velocities: vec![],
        nodes: vec![],
        node_velocities: vec![],
        memory: vec![],
    };
    for _ in 0..bodies {
        let position = reader.vector()?;
        let rotation = Quat::from_array(reader.reals()?);
        state.poses.push(Pose::new(position, rotation));
        state.velocities.push(reader.vector()?);
        state.angular_velocities.push(reader.vector()?);
    }
    for _ in 0..reader.count(6 * 8)? {
        state.nodes.push(reader.vector()?);
        state.node_velocities.push(reader.vector()?);
    }
    let mut warm = StepMemory::default();
    for _ in 0..reader.count(16 + 6 * 8)? {
        let colliders = [reader.half()?, reader.half()?];
        let id = ContactId { colliders, feature: reader.whole()? };
        warm.contacts.push((id, Default::default()));
        if let Some((_, impulse)) = warm.contacts.last_mut() {
            impulse.linear = reader.vector()?;
            impulse.rolling = reader.vector()?;
        }
    }
    for _ in 0..reader.count(8)? {
        let [impulse] = reader.reals()?;
        warm.joints.push(impulse);
    }
    for list in [&mut state.memory, &mut warm.motion] {
        for _ in 0..reader.count(8)? {
            let [number] = reader.reals()?;
            list.push(number);
        }
    }
    let mut next = || reader.whole();
    let lengths = Lengths { steps: next()?, trajectory: next()?, contacts: next()?, forces: next()? };
    // What is left is the checksum, and before it the account of energy if there is one.
    match reader.rest.len() {
        8 => Ok(Checkpoint { state, warm, lengths }),
        _ => {
            let [excess, bound, kinetic, total] = reader.reals()?;
            warm.energy = Some(EnergyAccount { excess, bound, kinetic, total });
            // Earlier programs did not say how bodies have rested.
            let bodies = if reader.rest.len() > 8 { reader.count(5 * 4)? } else { 0 };
            for _ in 0..bodies {
                let mut next = || reader.half();
                warm.rest.push(Rest {
                    lasted: next()?,
                    failures: next()?,
                    pause: next()?,
                    still: next()?,
                    group: next()?,
                });
            }
            match reader.rest.len() {
                8 => Ok(Checkpoint { state, warm, lengths }),
                _ => Err(damaged(path, "its length does not fit its contents")),
            }
        }
    }
}

/// Takes numbers off the front of bytes.
struct Reader<'a> {
    rest: &'a [u8],
    path: &'a Path,
}

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Result<[u8; N], RunError> {
        let Some((first, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(damaged(self.path, "it ends too early"));
        };
        self.rest = rest;
        Ok(*first)
    }
    fn half(&mut self) -> Result<u32, RunError> {
        self.take().map(u32::from_le_bytes)
    }
    fn whole(&mut self) -> Result<u64, RunError> {
        self.take().map(u64::from_le_bytes)
    }
    fn reals<const N: usize>(&mut self) -> Result<[f64; N], RunError> {
        let mut values = [0.0; N];
        for value in &mut values {
            *value = f64::from_le_bytes(self.take()?);
        }
        Ok(values)
    }
    fn vector(&mut self) -> Result<Vec3, RunError> {
        self.reals().map(Vec3::from_array)
    }
    /// A number of things of `size` bytes each that are still to come.
    fn count(&mut self, size: u64) -> Result<u64, RunError> {
        let count = self.whole()?;
        match count.checked_mul(size) {
            Some(bytes) if bytes <= self.rest.len() as u64 => Ok(count),
            _ => Err(damaged(self.path, format!("it announces {count} entries and ends before"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Checkpoint {
        let account = EnergyAccount { excess: 1.0 / 3.0, bound: 1e-300, kinetic: 0.1 + 0.2, total: -1e9 / 7.0 };
        let mut warm = StepMemory {
            contacts: vec![],
            joints: vec![0.1 + 0.2, -0.0],
            motion: vec![1.0 / 3.0, f64::MAX],
            rest: vec![
                Rest { lasted: 7, still: 40, group: 1, ..Rest::default() },
                Rest { failures: 5, pause: 2, ..Rest::default() },
            ],
            energy: Some(account),
        };
        warm.contacts.push((ContactId { colliders: [3, 9], feature: u64::MAX - 1 }, Default::default()));
        warm.contacts[0].1.linear = Vec3::new(1.0, 2.0_f64.sqrt(), f64::MIN_POSITIVE);
        warm.contacts[0].1.rolling = Vec3::new(-1e300, 0.1, 7.0);
        let state = State {
            time: 1.0 / 3.0,
            step: 12,
            poses: vec![Pose::new(Vec3::new(0.1, 0.2, 0.3), Quat::from_rotation_x(0.4)), Pose::IDENTITY],
            velocities: vec![Vec3::X, Vec3::splat(0.7)],
            angular_velocities: vec![Vec3::Y * 1e-9, Vec3::ZERO],
            nodes: vec![Vec3::new(-0.0, 1.0 / 3.0, 1e-300), Vec3::Z, Vec3::splat(0.1 + 0.2)],
            node_velocities: vec![Vec3::ONE / 7.0, -Vec3::Z, Vec3::ZERO],
            memory: vec![1.0 / 7.0, -0.0],
        };
        Checkpoint { state, warm, lengths: Lengths { steps: 1234, trajectory: 5678, contacts: 0, forces: 91 } }
    }

    #[test]
    fn a_checkpoint_reads_back_to_the_same_bits() {
        let sample = sample();
        let bytes = encode(&sample.state, &sample.warm, &sample.lengths);
        let back = decode(&bytes, Path::new("checkpoint.bin")).unwrap();
        assert_eq!(format!("{back:?}"), format!("{sample:?}"));
        assert_eq!(back.state.hash(), sample.state.hash());
    }

    #[test]
    fn a_checkpoint_without_an_account_of_energy_as_earlier_programs_wrote_it_is_read() {
        let mut sample = sample();
        sample.warm.energy = None;
        sample.warm.rest.clear();
        let bytes = encode(&sample.state, &sample.warm, &sample.lengths);
        let back = decode(&bytes, Path::new("checkpoint.bin")).unwrap();
        assert_eq!(format!("{back:?}"), format!("{sample:?}"));
    }

    #[test]
    fn every_cut_and_every_changed_byte_is_noticed() {
        let sample = sample();
        let bytes = encode(&sample.state, &sample.warm, &sample.lengths);
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length], Path::new("c")).is_err(), "cut to {length}");
        }
        for at in 0..bytes.len() {
            let mut spoiled = bytes.clone();
            spoiled[at] ^= 0x40;
            assert!(decode(&spoiled, Path::new("c")).is_err(), "byte {at}");
        }
    }

    #[test]
    fn another_version_is_named() {
        let sample = sample();
        let mut bytes = encode(&sample.state, &sample.warm, &sample.lengths);
        bytes[8] = 7;
        let message = decode(&bytes, Path::new("checkpoint.bin")).unwrap_err().to_string();
        assert_eq!(message, "checkpoint.bin has format 7, expected 3");
    }
}

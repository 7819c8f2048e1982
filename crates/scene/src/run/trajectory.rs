//! trajectory.bin: frames of little-endian 64-bit reals, nothing else.
//!
//! A frame is the time \[s\], then 13 numbers a body in the order of run.json: position of the centre of mass x y z \[m\],
//! rotation world_from_body as a quaternion x y z w, velocity of the centre of mass in the world \[m/s\], angular velocity in
//! the **world** \[rad/s\]; then 6 numbers a node of flexible bodies, body after body in the order of run.json: position \[m\] and
//! velocity \[m/s\]. In Python: `numpy.fromfile(file, '<f8').reshape(-1, 1 + 13 * bodies + 6 * nodes)`; after a crash the last
//! frame may be cut short, so cut the array to a multiple of that length first.

use super::RunError;
use super::error::{damaged, reading};
use signorini_mechanics::{Pose, Quat, State, Vec3};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Numbers a body has in a frame.
pub const NUMBERS_PER_BODY: usize = 13;

/// Numbers a node of a flexible body has in a frame.
pub const NUMBERS_PER_NODE: usize = 6;

/// Numbers in a frame.
#[must_use]
pub fn frame_numbers(bodies: usize, nodes: usize) -> usize {
    1 + NUMBERS_PER_BODY * bodies + NUMBERS_PER_NODE * nodes
}

pub(super) fn frame_bytes(bodies: usize, nodes: usize) -> u64 {
    let numbers = (NUMBERS_PER_BODY as u64).saturating_mul(bodies as u64);
    let of_nodes = (NUMBERS_PER_NODE as u64).saturating_mul(nodes as u64);
    numbers.saturating_add(of_nodes).saturating_add(1).saturating_mul(8)
}

/// Where a body is and how it moves in one frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyFrame {
    /// world_from_body.
    pub pose: Pose,
    /// Velocity of the centre of mass, in the world \[m/s\].
    pub velocity: Vec3,
    /// Angular velocity, in the world \[rad/s\].
    pub angular_velocity: Vec3,
}

/// All bodies at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Time \[s\].
    pub time: f64,
    /// The bodies, in the order of run.json.
    pub bodies: Vec<BodyFrame>,
    /// Positions of the nodes of flexible bodies, body after body \[m\].
    pub nodes: Vec<Vec3>,
    /// Their velocities \[m/s\].
    pub node_velocities: Vec<Vec3>,
}

impl Frame {
    /// The frame of a state.
    #[must_use]
    pub fn of(state: &State) -> Self {
        let bodies = (0..state.poses.len()).map(|i| BodyFrame {
            pose: state.poses[i],
            velocity: state.velocities[i],
            angular_velocity: state.poses[i].rotation * state.angular_velocities[i],
        });
        let (nodes, node_velocities) = (state.nodes.clone(), state.node_velocities.clone());
        Self { time: state.time, bodies: bodies.collect(), nodes, node_velocities }
    }

    /// Adds the frame's bytes.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.time.to_le_bytes());
        for body in &self.bodies {
            let vectors = [body.velocity, body.angular_velocity].map(|v| v.to_array());
            let numbers = (body.pose.position.to_array().into_iter())
                .chain(body.pose.rotation.to_array())
                .chain(vectors.into_iter().flatten());
            numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        for (node, velocity) in self.nodes.iter().zip(&self.node_velocities) {
            let numbers = node.to_array().into_iter().chain(velocity.to_array());
            numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        }
    }

    fn read(bytes: &[u8], bodies: usize) -> Self {
        let numbers: Vec<f64> = bytes.chunks_exact(8).map(|eight| f64::from_le_bytes(array(eight))).collect();
        let (time, rest) = numbers.split_first().map_or((0.0, &[][..]), |(time, rest)| (*time, rest));
        let body = |n: &[f64]| BodyFrame {
            pose: Pose::new(Vec3::from_slice(&n[..3]), Quat::from_slice(&n[3..7])),
            velocity: Vec3::from_slice(&n[7..10]),
            angular_velocity: Vec3::from_slice(&n[10..13]),
        };
        let (of_bodies, of_nodes) = rest.split_at((NUMBERS_PER_BODY * bodies).min(rest.len()));
        let nodes = || of_nodes.chunks_exact(NUMBERS_PER_NODE);
        Self {
            time,
            bodies: of_bodies.chunks_exact(NUMBERS_PER_BODY).map(body).collect(),
            nodes: nodes().map(|n| Vec3::from_slice(&n[..3])).collect(),
            node_velocities: nodes().map(|n| Vec3::from_slice(&n[3..])).collect(),
        }
    }
}

/// Eight bytes of a chunk of eight.
fn array(eight: &[u8]) -> [u8; 8] {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(eight);
    bytes
}

/// The frames of a file, read one at a time.
pub struct Frames {
    path: PathBuf,
    file: File,
    count: u64,
    bodies: usize,
    buffer: Vec<u8>,
}

impl Frames {
    pub(super) fn open(path: &Path, bodies: usize, nodes: usize) -> Result<Self, RunError> {
        let file = File::open(path).map_err(reading(path))?;
        let length = file.metadata().map_err(reading(path))?.len();
        let frame = frame_bytes(bodies, nodes);
        // A frame that was cut short does not count.
        Ok(Self {
            path: path.to_path_buf(),
            file,
            count: length / frame,
            bodies,
            buffer: vec![0; frame.min(length) as usize],
        })
    }

    /// Number of complete frames.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.count
    }
    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// One frame.
    ///
    /// # Errors
    /// No such frame, or a file that cannot be read.
    pub fn get(&mut self, index: u64) -> Result<Frame, RunError> {
        if index >= self.count {
            return Err(damaged(&self.path, format!("there is no frame {index}; there are {}", self.count)));
        }
        let start = index * self.buffer.len() as u64;
        self.file
            .seek(SeekFrom::Start(start))
            .and_then(|_| self.file.read_exact(&mut self.buffer))
            .map_err(reading(&self.path))?;
        Ok(Frame::read(&self.buffer, self.bodies))
    }
}

/** Numbers read from the frames: velocities, speeds and the contact forces on bodies. */
import type { Run } from "./run";

export type Triple = [number, number, number];

/** Velocity of a rigid body at a frame [m/s]. */
export function velocityAt(run: Run, body: number, frame: number, out: Triple): Triple {
  return read(run, body, frame, run.motion?.velocity, run.motion?.velocityScale ?? 0, out);
}

/** Angular velocity of a rigid body at a frame, in the world [rad/s]. */
export function angularAt(run: Run, body: number, frame: number, out: Triple): Triple {
  return read(run, body, frame, run.motion?.angular, run.motion?.angularScale ?? 0, out);
}

function read(run: Run, body: number, frame: number, values: Int16Array | undefined, scale: number, out: Triple): Triple {
  const slot = run.motion ? run.motion.slot[body] : -1;
  if (slot < 0 || !values || !run.motion) {
    out[0] = out[1] = out[2] = 0;
    return out;
  }
  const at = (frame * run.motion.bodies.length + slot) * 3;
  const unit = scale / 32767;
  for (let k = 0; k < 3; k++) out[k] = values[at + k] * unit;
  return out;
}

/** Speeds of all rigid bodies at a frame [m/s]. */
export function speedsAt(run: Run, frame: number, out: Float32Array): void {
  out.fill(0);
  const motion = run.motion;
  if (!motion) return;
  const n = motion.bodies.length;
  const unit = motion.velocityScale / 32767;
  for (let i = 0; i < n; i++) {
    const at = (frame * n + i) * 3;
    out[motion.bodies[i]] = unit * Math.hypot(motion.velocity[at], motion.velocity[at + 1], motion.velocity[at + 2]);
  }
}

/** Sum of |force| over the contacts of each body (rigid, then flexible) at a frame [N]. */
export function contactForcesAt(run: Run, frame: number, out: Float32Array): void {
  out.fill(0);
  const contacts = run.contacts;
  if (!contacts) return;
  const { start, bodies, force } = contacts;
  for (let k = start[frame]; k < start[frame + 1]; k++) {
    const size = Math.sqrt(force[3 * k] ** 2 + force[3 * k + 1] ** 2 + force[3 * k + 2] ** 2);
    out[bodies[2 * k]] += size;
    out[bodies[2 * k + 1]] += size;
  }
}

/** Largest speed of the run, for the range of colours. */
export function largestSpeed(run: Run): number {
  const motion = run.motion;
  if (!motion) return 0;
  const v = motion.velocity;
  let largest = 0;
  for (let i = 0; i < v.length; i += 3) {
    const square = v[i] * v[i] + v[i + 1] * v[i + 1] + v[i + 2] * v[i + 2];
    if (square > largest) largest = square;
  }
  return (Math.sqrt(largest) * motion.velocityScale) / 32767;
}

/** Largest sum of contact forces on a rigid body that moves, over the run. A floor carries the weight of all and would hide the rest. */
export function largestContactForce(run: Run): number {
  const sums = new Float32Array(run.bodies.length + run.flexible.length);
  let largest = 0;
  for (let frame = 0; frame < run.frames.count; frame++) {
    contactForcesAt(run, frame, sums);
    for (let i = 0; i < sums.length; i++) {
      if (sums[i] > largest && !run.bodies[i]?.fixed) largest = sums[i];
    }
  }
  return largest;
}

/** Forces on contacts over the run: the largest, and a typical large one that sets the length of arrows. */
export function contactForceScale(run: Run): { largest: number; typical: number } {
  const contacts = run.contacts;
  if (!contacts) return { largest: 0, typical: 0 };
  const total = contacts.gap.length;
  const stride = Math.max(1, Math.floor(total / 20000));
  const sample: number[] = [];
  let largest = 0;
  for (let k = 0; k < total; k++) {
    const size = Math.sqrt(contacts.force[3 * k] ** 2 + contacts.force[3 * k + 1] ** 2 + contacts.force[3 * k + 2] ** 2);
    if (size > largest) largest = size;
    if (k % stride === 0 && size > 0) sample.push(size);
  }
  sample.sort((a, b) => a - b);
  return { largest, typical: sample[Math.floor(sample.length * 0.9)] ?? largest };
}

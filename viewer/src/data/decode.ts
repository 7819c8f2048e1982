/** From the bytes of a page to a run. Whatever does not fit the format is refused with its name. */
import { Arrays } from "./arrays";
import { damaged, PageError } from "./error";
import type { BodyHeader, FlexibleHeader, Header, MotionHeader, ShapeHeader } from "./format";
import type { Body, Contacts, Flexible, Motion, Plot, Run, Shape } from "./run";

const FORMAT = 1;

export function decode(buffer: ArrayBuffer): Run {
  if (buffer.byteLength < 4) throw damaged("It is empty.");
  const length = new DataView(buffer).getUint32(0, true);
  if (4 + length > buffer.byteLength) throw damaged("The header is cut off.");
  const header = parse(new Uint8Array(buffer, 4, length));
  if (header.format !== FORMAT) {
    throw new PageError(
      "This page was made by another version",
      `Its data has the format ${String(header.format)}; this viewer reads the format ${FORMAT}.`,
      "Make the page anew with one version of `signorini view`.",
    );
  }
  try {
    return assemble(header, new Arrays(buffer, 4 + length));
  } catch (error) {
    if (error instanceof PageError) throw error;
    // A part of the header that is missing or of the wrong type.
    throw damaged(`The header does not have the expected form (${error instanceof Error ? error.message : String(error)}).`);
  }
}

function parse(bytes: Uint8Array): Header {
  try {
    const header: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (header !== null && typeof header === "object") return header as Header;
  } catch {
    // Reported below.
  }
  throw damaged("The header is not JSON.");
}

function assemble(header: Header, arrays: Arrays): Run {
  const count = header.frames.count;
  if (!(count >= 1)) throw damaged("It holds no frame.");
  const time = arrays.f64(header.frames.time, count, "frames.time");
  for (let i = 0; i < count; i++) {
    if (!Number.isFinite(time[i]) || (i > 0 && time[i] < time[i - 1])) throw damaged(`The time of frame ${i} is ${time[i]} s, not after the one before.`);
  }
  const shapes = header.shapes.map((shape, i) => decodeShape(shape, i, arrays));
  const bodies = header.bodies.map((body, i) => decodeBody(body, i, shapes.length));
  const flexible = (header.flexible ?? []).map((body) => decodeFlexible(body, count, arrays));
  const all = bodies.length + flexible.length;
  const joints = header.joints ?? [];
  for (const joint of joints) {
    if (joint.bodies.some((b) => !(b >= -1 && b < all))) throw damaged(`The joint ${joint.name} is on a body that does not exist.`);
  }
  const seriesTime = header.series_time ? arrays.f64(header.series_time, null, "series_time") : new Float64Array(0);
  const forces = header.joint_forces;
  return {
    program: header.program,
    name: header.name,
    title: header.title || header.name,
    status: header.status,
    notes: header.notes ?? [],
    facts: header.facts ?? [],
    gravity: header.gravity ?? [0, 0, 0],
    low: header.low ?? [-1, -1, -1],
    high: header.high ?? [1, 1, 1],
    frames: { count, time, step: arrays.u32(header.frames.step, count, "frames.step") },
    shapes,
    bodies,
    motion: header.motion ? decodeMotion(header.motion, bodies.length, count, arrays) : null,
    flexible,
    contacts: header.contacts ? decodeContacts(header.contacts, all, count, arrays) : null,
    joints,
    jointForces: forces && {
      force: arrays.f32(forces.force, count * joints.length * 3, "joint_forces.force"),
      torque: arrays.f32(forces.torque, count * joints.length * 3, "joint_forces.torque"),
    },
    series: (header.series ?? []).map((plot): Plot => ({
      title: plot.title,
      unit: plot.unit,
      log: plot.log,
      curves: plot.curves.map((curve) => ({
        name: curve.name,
        values: arrays.f64(curve.values, seriesTime.length, `series ${plot.title}, ${curve.name}`),
      })),
    })),
    seriesTime,
  };
}

function decodeShape(shape: ShapeHeader, index: number, arrays: Arrays): Shape {
  if (shape.kind === "sphere" || shape.kind === "plane") return shape;
  if (shape.kind !== "mesh") throw damaged(`Shape ${index} is of an unknown kind.`);
  const positions = arrays.f32(shape.positions, null, `shape ${index}, positions`);
  const triangles = arrays.indices(shape.triangles, positions.length / 3, null, `shape ${index}, triangles`);
  return { kind: "mesh", look: shape.look, positions, triangles };
}

function decodeBody(body: BodyHeader, index: number, shapes: number): Body {
  if (body.pose.length !== 7) throw damaged(`The pose of body ${body.name} has ${body.pose.length} numbers, 7 are needed.`);
  for (const piece of body.shapes) {
    if (!(piece.shape >= 0 && piece.shape < shapes)) throw damaged(`Body ${body.name} has a shape that does not exist.`);
  }
  return { name: body.name || `body ${index}`, mass: body.mass, fixed: body.fixed, pose: body.pose, pieces: body.shapes };
}

function decodeMotion(motion: MotionHeader, bodyCount: number, frames: number, arrays: Arrays): Motion {
  const bodies = arrays.indices(motion.bodies, bodyCount, null, "motion.bodies");
  const slot = new Int32Array(bodyCount).fill(-1);
  bodies.forEach((body, i) => (slot[body] = i));
  const n = bodies.length;
  return {
    bodies,
    slot,
    low: motion.low,
    high: motion.high,
    position: arrays.u16Steps(motion.position, frames, n * 3, "motion.position"),
    rotation: arrays.i16Steps(motion.rotation, frames, n * 4, "motion.rotation"),
    velocity: arrays.i16Steps(motion.velocity, frames, n * 3, "motion.velocity"),
    velocityScale: motion.velocity_scale,
    angular: arrays.i16Steps(motion.angular, frames, n * 3, "motion.angular"),
    angularScale: motion.angular_scale,
  };
}

function decodeFlexible(body: FlexibleHeader, frames: number, arrays: Arrays): Flexible {
  const { name, nodes } = body;
  return {
    name,
    kind: body.kind,
    nodes,
    triangles: body.triangles && arrays.indices(body.triangles, nodes, null, `${name}.triangles`),
    lines: body.lines && arrays.indices(body.lines, nodes, null, `${name}.lines`),
    radius: body.radius ?? 0,
    low: body.low,
    high: body.high,
    position: arrays.u16Steps(body.position, frames, nodes * 3, `${name}.position`),
    fields: body.fields.map((field) => ({
      name: field.name,
      unit: field.unit,
      low: field.low,
      high: field.high,
      values: arrays.u16Steps(field.values, frames, nodes, `${name}.${field.name}`),
    })),
  };
}

function decodeContacts(contacts: NonNullable<Header["contacts"]>, bodies: number, frames: number, arrays: Arrays): Contacts {
  const start = arrays.u32(contacts.start, frames + 1, "contacts.start");
  const total = start[frames];
  for (let i = 0; i < frames; i++) if (start[i] > start[i + 1]) throw damaged("contacts.start goes down.");
  return {
    start,
    bodies: arrays.indices(contacts.bodies, bodies, total * 2, "contacts.bodies"),
    point: arrays.f32(contacts.point, total * 3, "contacts.point"),
    normal: arrays.f32(contacts.normal, total * 3, "contacts.normal"),
    force: arrays.f32(contacts.force, total * 3, "contacts.force"),
    gap: arrays.f32(contacts.gap, total, "contacts.gap"),
  };
}

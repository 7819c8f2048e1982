// Makes pages from plain numbers, by FORMAT.md alone: shares no code with the viewer or with the packer of the program.
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../../crates/view/assets/viewer.html", import.meta.url));

export class Body {
  chunks = [];
  length = 0;
  put(array) {
    const at = this.length;
    const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    const padded = new Uint8Array(Math.ceil(bytes.length / 8) * 8);
    padded.set(bytes);
    this.chunks.push(padded);
    this.length += padded.length;
    return { at, count: array.length };
  }
  f32 = (values) => this.put(Float32Array.from(values));
  f64 = (values) => this.put(Float64Array.from(values));
  u32 = (values) => this.put(Uint32Array.from(values));
  /** `values` of one frame after the other, `width` numbers a frame. */
  u16(values, low, high, width) {
    const q = Uint16Array.from(values, (v, i) => {
      const [a, b] = Array.isArray(low) ? [low[i % 3], high[i % 3]] : [low, high];
      return b > a ? Math.round((65535 * (v - a)) / (b - a)) : 0;
    });
    return this.put(steps(q, width));
  }
  i16(values, scale, width) {
    return this.put(steps(Int16Array.from(values, (v) => (scale > 0 ? Math.round((32767 * v) / scale) : 0)), width));
  }
}

function steps(q, width) {
  const out = q.slice();
  for (let i = q.length - 1; i >= width; i--) out[i] = q[i] - q[i - width];
  return out;
}

/** Text for the place of the data. */
export function pack(header, body) {
  let json = Buffer.from(JSON.stringify(header), "utf8");
  const pad = (8 - ((4 + json.length) % 8)) % 8;
  json = Buffer.concat([json, Buffer.from(" ".repeat(pad))]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(json.length);
  return deflateSync(Buffer.concat([size, json, ...body.chunks]), { level: 1 }).toString("base64");
}

export function page(data, title = "test") {
  const template = readFileSync(built, "utf8");
  return template.replace("@@SIGNORINI_TITLE@@", () => title).replace("@@SIGNORINI_DATA@@", () => data);
}

/** A header with everything empty; tests fill in what they are about. */
export function emptyHeader(body, times) {
  return {
    format: 1,
    program: "signorini 0.1.0",
    name: "test",
    title: "Test scene",
    status: "finished",
    notes: [],
    facts: [["stepper", "none"]],
    gravity: [0, 0, -9.81],
    low: [-1, -1, -1],
    high: [1, 1, 1],
    frames: { count: times.length, time: body.f64(times), step: body.u32(times.map((_, i) => 10 * i)) },
    shapes: [],
    bodies: [],
    motion: null,
    flexible: [],
    contacts: null,
    joints: [],
    joint_forces: null,
    series: [],
    series_time: null,
  };
}

/** Motion of bodies `moving`: functions of (slot, time) that give triples and quaternions. */
export function motion(body, moving, times, low, high, { position, rotation, velocity, angular, speed, spin }) {
  const all = (f) => times.flatMap((t) => moving.flatMap((_, i) => f(i, t)));
  const n = moving.length;
  return {
    bodies: body.u32(moving),
    low,
    high,
    position: body.u16(all(position), low, high, 3 * n),
    rotation: body.i16(all(rotation), 1, 4 * n),
    velocity: body.i16(all(velocity), speed, 3 * n),
    velocity_scale: speed,
    angular: body.i16(all(angular), spin, 3 * n),
    angular_scale: spin,
  };
}

export const box = (body, x, y, z, look = "solid") => {
  const p = [];
  for (let i = 0; i < 8; i++) p.push(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
  const t = [0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5];
  return { kind: "mesh", look, positions: body.f32(p), triangles: body.u32(t) };
};

// Synthetic runs with known motion.
import { Body, box, emptyHeader, motion, pack } from "./encode.mjs";

export const still = [0, 0, 0, 1];
const at = (shape) => ({ shape, position: [0, 0, 0], rotation: still });
const times = (count, step) => Array.from({ length: count }, (_, i) => i * step);

/** Radius of the circle, angular velocity [rad/s], height. */
export const CIRCLE = { radius: 1, rate: 1.5, height: 0.6, ball: 0.15 };
export const circle = (t) => [CIRCLE.radius * Math.cos(CIRCLE.rate * t), CIRCLE.radius * Math.sin(CIRCLE.rate * t), CIRCLE.height];
export const circleVelocity = (t) => [-CIRCLE.radius * CIRCLE.rate * Math.sin(CIRCLE.rate * t), CIRCLE.radius * CIRCLE.rate * Math.cos(CIRCLE.rate * t), 0];

/** One sphere on a circle, a box that turns, a floor, a container, contacts, a joint, plots and notes. */
export function smallScene() {
  const body = new Body();
  const t = times(61, 0.05);
  const header = emptyHeader(body, t);
  header.title = "Known motion";
  header.notes = ["Every tenth step is shown: 61 of 601 frames."];
  header.facts = [["stepper", "semi-implicit Euler"], ["step", "0.005 s"], ["solver", "interior point"], ["friction law", "Coulomb, 0.3"]];
  header.low = [-1.5, -1.5, 0];
  header.high = [1.5, 1.5, 1.5];
  header.shapes = [{ kind: "plane", normal: [0, 0, 1] }, { kind: "sphere", radius: CIRCLE.ball }, box(body, 0.2, 0.2, 0.2), box(body, 1.4, 1.4, 0.5, "wall")];
  header.bodies = [
    { name: "floor", mass: null, fixed: true, pose: [0, 0, 0, ...still], shapes: [at(0)] },
    { name: "ball", mass: 0.5, fixed: false, pose: [...circle(0), ...still], shapes: [at(1)] },
    { name: "box", mass: 2, fixed: false, pose: [0, 0, 0.2, ...still], shapes: [at(2)] },
    { name: "container", mass: null, fixed: true, pose: [0, 0, 0.5, ...still], shapes: [at(3)] },
  ];
  header.motion = motion(body, [1, 2], t, [-1.5, -1.5, 0], [1.5, 1.5, 1.5], {
    position: (i, s) => (i === 0 ? circle(s) : [0, 0, 0.2]),
    rotation: (i, s) => (i === 0 ? still : [0, 0, Math.sin(0.5 * s), Math.cos(0.5 * s)]),
    velocity: (i, s) => (i === 0 ? circleVelocity(s) : [0, 0, 0]),
    angular: (i) => (i === 0 ? [0, 0, 0] : [0, 0, 1]),
    speed: 2,
    spin: 2,
  });
  // Four corners of the box on the floor, its weight shared and growing a little with time.
  const corners = [[0.2, 0.2], [-0.2, 0.2], [-0.2, -0.2], [0.2, -0.2]];
  const each = (f) => t.flatMap((s) => corners.flatMap((c) => f(s, c)));
  header.contacts = {
    start: body.u32([...t, 0].map((_, i) => 4 * i)),
    bodies: body.u32(each(() => [0, 2])),
    point: body.f32(each((_, c) => [...c, 0])),
    normal: body.f32(each(() => [0, 0, 1])),
    force: body.f32(each((s) => [0, 0, 5 + s])),
    gap: body.f32(each(() => [0])),
  };
  header.joints = [{ name: "hinge", type: "revolute", bodies: [0, 2], points: [[0, 0, 0.2], [0, 0, 0]], axis: [0, 0, 1] }];
  header.joint_forces = { force: body.f32(t.flatMap((s) => [3, 4 + s, 0])), torque: body.f32(t.flatMap(() => [0, 0, 1])) };
  const fine = times(601, 0.005);
  header.series_time = body.f64(fine);
  header.series = [
    { title: "Energy", unit: "J", log: false, curves: [{ name: "kinetic", values: body.f64(fine.map((s) => 0.5 + 0.2 * Math.sin(3 * s))) }, { name: "potential", values: body.f64(fine.map((s) => 3 + 0.1 * s)) }] },
    { title: "Residual", unit: "m/s", log: true, curves: [{ name: "natural map", values: body.f64(fine.map((s, i) => (i % 50 === 0 ? NaN : 10 ** (-8 + 2 * Math.sin(9 * s))))) }] },
    { title: "Contacts", unit: "", log: false, curves: [{ name: "active", values: body.f64(fine.map((s) => Math.floor(4 + s))) }] },
  ];
  return { header, body, data: pack(header, body), times: t };
}

/** `count` spheres in a block that sways. */
export function manySpheres(count, frames = 6) {
  const body = new Body();
  const t = times(frames, 0.1);
  const header = emptyHeader(body, t);
  header.title = `${count} spheres`;
  const side = Math.ceil(Math.cbrt(count));
  const place = (i) => [(i % side) + 0.5, (Math.floor(i / side) % side) + 0.5, Math.floor(i / (side * side)) + 0.5];
  const margin = 3;
  header.low = [-margin, 0, 0];
  header.high = [side + margin, side, side];
  header.shapes = [{ kind: "sphere", radius: 0.5 }, { kind: "plane", normal: [0, 0, 1] }];
  header.bodies = Array.from({ length: count }, (_, i) => ({ name: `sphere ${i}`, mass: 1 + (i % 7), fixed: false, pose: [...place(i), ...still], shapes: [at(0)] }));
  header.bodies.push({ name: "floor", mass: null, fixed: true, pose: [0, 0, 0, ...still], shapes: [at(1)] });
  const q = new Uint16Array(frames * count * 3);
  const v = new Int16Array(frames * count * 3);
  const r = new Int16Array(frames * count * 4);
  const size = header.high.map((h, k) => h - header.low[k]);
  for (let f = 0; f < frames; f++) {
    for (let i = 0; i < count; i++) {
      const p = place(i);
      p[0] += margin * Math.sin(2 * t[f]) * (p[2] / side);
      for (let k = 0; k < 3; k++) q[(f * count + i) * 3 + k] = Math.round((65535 * (p[k] - header.low[k])) / size[k]);
      v[(f * count + i) * 3] = Math.round(32767 * Math.cos(2 * t[f]) * (p[2] / side));
      r[(f * count + i) * 4 + 3] = 32767;
    }
  }
  const diff = (a, width) => {
    const out = a.slice();
    for (let i = a.length - 1; i >= width; i--) out[i] = a[i] - a[i - width];
    return body.put(out);
  };
  header.motion = {
    bodies: body.u32(Array.from({ length: count }, (_, i) => i)),
    low: header.low,
    high: header.high,
    position: diff(q, 3 * count),
    rotation: diff(r, 4 * count),
    velocity: diff(v, 3 * count),
    velocity_scale: 6,
    angular: body.put(new Int16Array(frames * count * 3)),
    angular_scale: 1,
  };
  return { header, body, data: pack(header, body), times: t };
}

/** A cantilever of bricks that bends and a cable that swings; y is up. */
export function flexibleScene() {
  const body = new Body();
  const t = times(41, 0.05);
  const header = emptyHeader(body, t);
  header.title = "Flexible bodies";
  header.gravity = [0, -9.81, 0];
  header.status = "interrupted";
  header.notes = ["The run was interrupted; step 400 is the last good one."];
  header.low = [-0.2, -1.6, -0.2];
  header.high = [2.2, 0.7, 0.2];
  const n = 20;
  const nodes = [];
  for (let i = 0; i <= n; i++) for (let j = 0; j < 2; j++) for (let k = 0; k < 2; k++) nodes.push([(2 * i) / n, 0.2 * j - 0.1, 0.2 * k - 0.1]);
  const id = (i, j, k) => i * 4 + j * 2 + k;
  const quads = [];
  for (let i = 0; i < n; i++) {
    quads.push([id(i, 0, 0), id(i + 1, 0, 0), id(i + 1, 0, 1), id(i, 0, 1)], [id(i, 1, 0), id(i, 1, 1), id(i + 1, 1, 1), id(i + 1, 1, 0)]);
    quads.push([id(i, 0, 0), id(i, 1, 0), id(i + 1, 1, 0), id(i + 1, 0, 0)], [id(i, 0, 1), id(i + 1, 0, 1), id(i + 1, 1, 1), id(i, 1, 1)]);
  }
  quads.push([id(0, 0, 0), id(0, 0, 1), id(0, 1, 1), id(0, 1, 0)], [id(n, 0, 0), id(n, 1, 0), id(n, 1, 1), id(n, 0, 1)]);
  const sag = (x, s) => -0.15 * x * x * (1 - Math.cos(3 * s)) * 0.5;
  const low = [0, -1, -0.2];
  const high = [2.2, 0.5, 0.2];
  const field = (name, unit, top, f) => ({ name, unit, low: 0, high: top, values: body.u16(t.flatMap((s) => nodes.map((p) => f(p, s))), 0, top, nodes.length) });
  const cable = Array.from({ length: 31 }, (_, i) => [0.05 * i, 0]);
  const swing = (i, s) => {
    const angle = 0.6 * Math.sin(2.2 * s);
    const l = 0.04 * i;
    return [2 + l * Math.sin(angle) * 0.1, -0.25 - l, 0.15 * Math.sin(angle) * l];
  };
  header.flexible = [
    {
      name: "beam", kind: "hex8", nodes: nodes.length,
      triangles: body.u32(quads.flatMap(([a, b, c, d]) => [a, b, c, a, c, d])),
      lines: body.u32(quads.flatMap(([a, b, c, d]) => [a, b, b, c, c, d, d, a])),
      radius: 0, low, high,
      position: body.u16(t.flatMap((s) => nodes.flatMap(([x, y, z]) => [x, y + sag(x, s), z])), low, high, 3 * nodes.length),
      fields: [
        field("displacement", "m", 0.6, ([x], s) => -sag(x, s)),
        field("von Mises stress", "Pa", 2e6, ([x, y], s) => 2e6 * (1 - x / 2) * (Math.abs(y) / 0.1) * 0.5 * (1 - Math.cos(3 * s))),
      ],
    },
    {
      name: "cable", kind: "cable", nodes: cable.length, triangles: null,
      lines: body.u32(cable.slice(1).flatMap((_, i) => [i, i + 1])),
      radius: 0.02, low: [1.5, -2, -0.5], high: [2.5, 0, 0.5],
      position: body.u16(t.flatMap((s) => cable.flatMap((_, i) => swing(i, s))), [1.5, -2, -0.5], [2.5, 0, 0.5], 3 * cable.length),
      fields: [{ name: "tension", unit: "N", low: 0, high: 12, values: body.u16(t.flatMap((s) => cable.map((_, i) => (12 * (30 - i)) / 30)), 0, 12, cable.length) }],
    },
  ];
  return { header, body, data: pack(header, body), times: t };
}

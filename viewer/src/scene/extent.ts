/**
 * The part of the scene a camera should show: most of what moves, and fixed shapes that are not much larger. The box of the header covers everything, and a
 * single body that flew away would make the rest a dot.
 */
import * as THREE from "three";
import type { Poses } from "../data/poses";
import type { Piece, Run, Shape } from "../data/run";

const SAMPLED_FRAMES = 16;
const SAMPLED_BODIES = 4000;
/** Share of positions left out at each end. */
const TAIL = 0.01;
/** Fixed shapes up to this many times the size of what moves are framed too. */
const LARGE = 3;

export function extentOf(run: Run, poses: Poses, reach: Float32Array): THREE.Box3 {
  const box = new THREE.Box3();
  const frames = run.frames.count;
  const moving = run.motion?.bodies ?? new Uint32Array(0);
  if (moving.length > 0) {
    const stride = Math.max(1, Math.floor(moving.length / SAMPLED_BODIES));
    const samples: number[][] = [[], [], []];
    let widest = 0;
    const steps = Math.min(SAMPLED_FRAMES, frames);
    for (let s = 0; s < steps; s++) {
      poses.sample(steps > 1 ? Math.round((s * (frames - 1)) / (steps - 1)) : 0, 0);
      for (let i = 0; i < moving.length; i += stride) {
        const b = moving[i];
        for (let k = 0; k < 3; k++) samples[k].push(poses.position[3 * b + k]);
        widest = Math.max(widest, reach[b]);
        // The start is always in the picture.
        if (s === 0) box.union(around(poses, b, reach[b]));
      }
    }
    const low: number[] = [];
    const high: number[] = [];
    for (const values of samples) {
      values.sort((a, b) => a - b);
      // Few bodies: all of them matter.
      const cut = moving.length < 20 ? 0 : Math.floor(values.length * TAIL);
      low.push(values[cut] - widest);
      high.push(values[values.length - 1 - cut] + widest);
    }
    box.union(new THREE.Box3(new THREE.Vector3(...low), new THREE.Vector3(...high)));
    poses.sample(0, 0);
  }
  for (const body of run.flexible) {
    box.union(new THREE.Box3(new THREE.Vector3(...body.low), new THREE.Vector3(...body.high)));
  }
  const size = box.isEmpty() ? Infinity : box.getSize(new THREE.Vector3()).length();
  run.bodies.forEach((body, b) => {
    if (!body.fixed) return;
    for (const piece of body.pieces) {
      const shape = run.shapes[piece.shape];
      if (shape.kind === "plane") continue;
      placed(shape, piece, poses, b);
      if (one.getSize(point).length() < LARGE * size) box.union(one);
    }
  });
  const given = new THREE.Box3(new THREE.Vector3(...run.low), new THREE.Vector3(...run.high));
  if (box.isEmpty()) return given.isEmpty() ? new THREE.Box3(new THREE.Vector3(-1, -1, -1), new THREE.Vector3(1, 1, 1)) : given;
  // Reaches are radii and may stick out of the true box.
  const both = box.clone().intersect(given);
  return both.isEmpty() ? box : both;
}

/** The box of one frame: all that moves, as it stands. */
export function extentNow(run: Run, poses: Poses, reach: Float32Array, flexible: Float32Array[]): THREE.Box3 {
  const box = new THREE.Box3();
  for (const b of run.motion?.bodies ?? []) box.union(around(poses, b, reach[b]));
  for (const positions of flexible) for (let i = 0; i < positions.length; i += 3) box.expandByPoint(point.fromArray(positions, i));
  return box;
}

const point = new THREE.Vector3();
const one = new THREE.Box3();
const turn = new THREE.Quaternion();
const onBody = new THREE.Quaternion();

/** Exact box of a shape on a body, left in `one`: a radius would make a flat container as high as it is wide. */
function placed(shape: Exclude<Shape, { kind: "plane" }>, piece: Piece, poses: Poses, body: number): void {
  turn.fromArray(poses.rotation, 4 * body);
  onBody.fromArray(piece.rotation);
  one.makeEmpty();
  const corners = shape.kind === "mesh" ? shape.positions : ORIGIN;
  for (let i = 0; i < corners.length; i += 3) {
    point.fromArray(corners, i).applyQuaternion(onBody);
    point.set(point.x + piece.position[0], point.y + piece.position[1], point.z + piece.position[2]).applyQuaternion(turn);
    const p = poses.position;
    one.expandByPoint(point.set(point.x + p[3 * body], point.y + p[3 * body + 1], point.z + p[3 * body + 2]));
  }
  if (shape.kind === "sphere") one.expandByScalar(shape.radius);
}
const ORIGIN = [0, 0, 0];

function around(poses: Poses, body: number, reach: number): THREE.Box3 {
  const p = poses.position;
  one.min.set(p[3 * body] - reach, p[3 * body + 1] - reach, p[3 * body + 2] - reach);
  one.max.set(p[3 * body] + reach, p[3 * body + 1] + reach, p[3 * body + 2] + reach);
  return one;
}

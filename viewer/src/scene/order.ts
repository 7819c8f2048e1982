/** Order of points by their distance from an eye, by counting: linear in their number, as exact as drawing needs. */
import type { Vector3 } from "three";

const BINS = 4096;

export function nearestFirst(points: Float32Array, eye: Vector3): Uint32Array {
  const count = points.length / 3;
  const distance = new Float32Array(count);
  let low = Infinity;
  let high = 0;
  for (let i = 0; i < count; i++) {
    const d = Math.hypot(points[3 * i] - eye.x, points[3 * i + 1] - eye.y, points[3 * i + 2] - eye.z);
    distance[i] = d;
    if (d < low) low = d;
    if (d > high) high = d;
  }
  const unit = high > low ? (BINS - 1) / (high - low) : 0;
  const start = new Uint32Array(BINS + 1);
  for (let i = 0; i < count; i++) start[Math.floor((distance[i] - low) * unit) + 1]++;
  for (let b = 0; b < BINS; b++) start[b + 1] += start[b];
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[start[Math.floor((distance[i] - low) * unit)]++] = i;
  return order;
}

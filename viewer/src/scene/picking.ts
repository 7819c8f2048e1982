/** Which body is under a point of the picture: the ray of the point against every sphere, every triangle of solids, and flexible faces. */
import * as THREE from "three";
import type { Bodies } from "./bodies";
import type { FlexibleView } from "./flexible";

const ray = new THREE.Ray();
const local = new THREE.Ray();
const turn = new THREE.Quaternion();
const offset = new THREE.Vector3();
const a = new THREE.Vector3();
const b = new THREE.Vector3();
const c = new THREE.Vector3();
const hit = new THREE.Vector3();

/** `x`, `y` from −1 to 1, up positive. Walls are passed through, what is inside would be out of reach. Returns −1 for nothing. */
export function pick(camera: THREE.PerspectiveCamera, x: number, y: number, bodies: Bodies, flexible: FlexibleView[], visible: { solids: boolean; flexible: boolean }): number {
  camera.updateMatrixWorld();
  ray.origin.setFromMatrixPosition(camera.matrixWorld);
  ray.direction.set(x, y, 0.5).unproject(camera).sub(ray.origin).normalize();
  let nearest = Infinity;
  let found = -1;
  if (visible.solids && bodies.spheres) {
    const { batch, places } = bodies.spheres;
    const { x: ox, y: oy, z: oz } = ray.origin;
    const { x: dx, y: dy, z: dz } = ray.direction;
    for (let i = 0; i < batch.radii.length; i++) {
      const px = batch.centres[3 * i] - ox;
      const py = batch.centres[3 * i + 1] - oy;
      const pz = batch.centres[3 * i + 2] - oz;
      const along = px * dx + py * dy + pz * dz;
      const inside = batch.radii[i] ** 2 - (px * px + py * py + pz * pz - along * along);
      if (inside < 0) continue;
      const distance = along - Math.sqrt(inside);
      if (distance > 0 && distance < nearest) {
        nearest = distance;
        found = places.bodies[i];
      }
    }
  }
  if (visible.solids) {
    for (const { batch, places } of bodies.meshes) {
      if (batch.wall) continue;
      for (let i = 0; i < places.bodies.length; i++) {
        const body = places.bodies[i];
        offset.fromArray(batch.places, 3 * i);
        turn.fromArray(batch.turns, 4 * i);
        // The body's reach is about its own origin: a cheap first test with twice the margin.
        if (ray.distanceSqToPoint(offset) > 4 * bodies.reach[body] ** 2) continue;
        turn.conjugate();
        local.origin.copy(ray.origin).sub(offset).applyQuaternion(turn);
        local.direction.copy(ray.direction).applyQuaternion(turn);
        const distance = nearestTriangle(local, batch.positions, batch.triangles);
        if (distance < nearest) {
          nearest = distance;
          found = body;
        }
      }
    }
  }
  if (visible.flexible) {
    flexible.forEach((view, i) => {
      const distance = view.body.triangles
        ? nearestTriangle(ray, view.positions, view.body.triangles)
        : nearestSegment(ray, view, camera);
      if (distance < nearest) {
        nearest = distance;
        found = bodies.bodyCount + i;
      }
    });
  }
  return found;
}

function nearestTriangle(from: THREE.Ray, positions: Float32Array, triangles: Uint32Array): number {
  let nearest = Infinity;
  for (let t = 0; t < triangles.length; t += 3) {
    a.fromArray(positions, 3 * triangles[t]);
    b.fromArray(positions, 3 * triangles[t + 1]);
    c.fromArray(positions, 3 * triangles[t + 2]);
    if (from.intersectTriangle(a, b, c, false, hit)) nearest = Math.min(nearest, hit.distanceTo(from.origin));
  }
  return nearest;
}

/** Cables are thin: a click within about six pixels counts. */
function nearestSegment(from: THREE.Ray, view: FlexibleView, camera: THREE.PerspectiveCamera): number {
  const lines = view.body.lines;
  let nearest = Infinity;
  if (!lines) return nearest;
  const slope = 6 * ((2 * Math.tan((camera.fov * Math.PI) / 360)) / 700);
  for (let s = 0; s < lines.length; s += 2) {
    a.fromArray(view.positions, 3 * lines[s]);
    b.fromArray(view.positions, 3 * lines[s + 1]);
    const square = from.distanceSqToSegment(a, b, hit);
    const distance = hit.distanceTo(from.origin);
    if (square < Math.max(view.body.radius, slope * distance) ** 2) nearest = Math.min(nearest, distance);
  }
  return nearest;
}

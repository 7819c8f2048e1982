/** Standard views. Gravity decides which way is up; the frame of the views follows from it. */
import * as THREE from "three";

export const VIEWS = ["iso", "front", "side", "top", "fit"] as const;
export type View = (typeof VIEWS)[number];

export interface Frame {
  right: THREE.Vector3;
  /** Away from the viewer of the front view. */
  forward: THREE.Vector3;
  up: THREE.Vector3;
}

/** `right` is the x axis, or y where x is up: a scene in x and z, or in x and y, is seen from the front as it was drawn. */
export function frameOf(gravity: [number, number, number]): Frame {
  const up = new THREE.Vector3(0 - gravity[0], 0 - gravity[1], 0 - gravity[2]);
  if (!(up.length() > 0)) up.set(0, 0, 1);
  up.normalize();
  const right = new THREE.Vector3(1, 0, 0);
  if (Math.abs(up.x) > 0.9) right.set(0, 1, 0);
  right.addScaledVector(up, -right.dot(up)).normalize();
  return { right, up, forward: new THREE.Vector3().crossVectors(up, right) };
}

/** From the middle of the scene towards the eye. */
export function directionOf(view: Exclude<View, "fit">, frame: Frame): THREE.Vector3 {
  const direction = new THREE.Vector3();
  switch (view) {
    case "front":
      return direction.copy(frame.forward).negate();
    case "side":
      return direction.copy(frame.right);
    case "top":
      // A trace of the front view keeps the top view the right way round: straight down, up would be undefined.
      return direction.copy(frame.up).addScaledVector(frame.forward, -1e-4).normalize();
    case "iso":
      return direction.copy(frame.up).multiplyScalar(0.5).addScaledVector(frame.forward, -1).addScaledVector(frame.right, 0.62).normalize();
  }
}

const MARGIN = 1.08;

/**
 * Distance from the middle at which all corners of the box are in the picture. A corner at (x, y, z) of the camera's frame, z towards the eye, is inside if
 * |x| ≤ (d − z) tan(h/2) and |y| ≤ (d − z) tan(v/2).
 */
export function fittingDistance(box: THREE.Box3, middle: THREE.Vector3, direction: THREE.Vector3, up: THREE.Vector3, camera: THREE.PerspectiveCamera): number {
  const vertical = Math.tan((camera.fov * Math.PI) / 360);
  const horizontal = vertical * camera.aspect;
  const x = new THREE.Vector3().crossVectors(up, direction).normalize();
  const y = new THREE.Vector3().crossVectors(direction, x);
  let distance = 0;
  const corner = new THREE.Vector3();
  for (let i = 0; i < 8; i++) {
    corner.set(i & 1 ? box.max.x : box.min.x, i & 2 ? box.max.y : box.min.y, i & 4 ? box.max.z : box.min.z).sub(middle);
    const z = corner.dot(direction);
    distance = Math.max(distance, z + Math.abs(corner.dot(x)) / horizontal, z + Math.abs(corner.dot(y)) / vertical);
  }
  return Math.max(distance * MARGIN, 1e-9);
}

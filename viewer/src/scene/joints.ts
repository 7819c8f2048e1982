/** Joints as markers: a diamond at the joint's point on its second body, and a rod along its axis if it has one. Forces on joints are arrows. */
import * as THREE from "three";
import type { Poses } from "../data/poses";
import type { Run } from "../data/run";
import { oklch, type Rgb } from "../colour";
import { Arrows } from "./arrows";
import { ROTATE, SHADE, shared } from "./shading";
import { dynamic } from "./spheres";

const VERTEX = /* glsl */ `
attribute vec3 place;
attribute vec4 turn;
uniform vec3 size;
varying vec3 vPoint;
${ROTATE}
void main() {
  vec4 seen = viewMatrix * vec4(place + rotate(turn, position * size), 1.0);
  vPoint = seen.xyz;
  gl_Position = projectionMatrix * seen;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 colour;
varying vec3 vPoint;
${SHADE}
void main() {
  vec3 normal = normalize(cross(dFdx(vPoint), dFdy(vPoint)));
  gl_FragColor = vec4(shade(colour, normal, normalize(-vPoint)), 1.0);
}`;

const COLOUR: Rgb = oklch(0.72, 0.17, 330);

export class JointView {
  readonly object = new THREE.Group();
  readonly arrows: Arrows | null = null;
  /** Points of the joints in the world. */
  readonly points: Float32Array;
  private readonly place: THREE.InstancedBufferAttribute;
  private readonly turn: THREE.InstancedBufferAttribute;
  private readonly axisPlace: THREE.InstancedBufferAttribute;
  private readonly axisTurn: THREE.InstancedBufferAttribute;
  private readonly withAxis: number[] = [];
  private readonly force: Float32Array;

  constructor(
    private readonly run: Run,
    size: number,
  ) {
    const n = run.joints.length;
    run.joints.forEach((joint, i) => joint.axis && this.withAxis.push(i));
    this.points = new Float32Array(n * 3);
    this.force = new Float32Array(n * 3);
    this.place = dynamic(this.points, 3, false);
    this.turn = dynamic(new Float32Array(n * 4), 4, false);
    this.axisPlace = dynamic(new Float32Array(this.withAxis.length * 3), 3, false);
    this.axisTurn = dynamic(new Float32Array(this.withAxis.length * 4), 4, false);
    const marker = size / 110;
    this.object.add(this.batch(new THREE.OctahedronGeometry(1), this.place, this.turn, new THREE.Vector3(marker, marker, marker)));
    this.object.add(
      this.batch(new THREE.CylinderGeometry(1, 1, 2, 8).rotateX(Math.PI / 2), this.axisPlace, this.axisTurn, new THREE.Vector3(marker / 4, marker / 4, marker * 4)),
    );
    if (run.jointForces && n > 0) {
      this.arrows = new Arrows(n, oklch(0.7, 0.14, 300));
    }
  }

  get axes(): number {
    return this.withAxis.length;
  }

  move(poses: Poses): void {
    const { run, points } = this;
    run.joints.forEach((joint, i) => {
      // On the second body; where that is flexible (its point has no frame) on the first.
      const side = joint.bodies[1] < run.bodies.length ? 1 : 0;
      const body = joint.bodies[side];
      point.set(...joint.points[side]);
      if (body >= 0 && body < run.bodies.length) {
        turn.fromArray(poses.rotation, body * 4);
        point.applyQuaternion(turn);
        point.x += poses.position[body * 3];
        point.y += poses.position[body * 3 + 1];
        point.z += poses.position[body * 3 + 2];
      } else turn.identity();
      point.toArray(points, i * 3);
      turn.toArray(this.turn.array, i * 4);
    });
    this.withAxis.forEach((j, i) => {
      const joint = run.joints[j];
      const body = joint.bodies[1];
      axis.set(...(joint.axis ?? [0, 0, 1]));
      if (body >= 0 && body < run.bodies.length) axis.applyQuaternion(turn.fromArray(poses.rotation, body * 4));
      if (axis.lengthSq() > 0) axis.normalize();
      turn.setFromUnitVectors(Z, axis).toArray(this.axisTurn.array, i * 4);
      point.fromArray(points, j * 3).toArray(this.axisPlace.array, i * 3);
    });
    this.place.needsUpdate = this.turn.needsUpdate = this.axisPlace.needsUpdate = this.axisTurn.needsUpdate = true;
  }

  /** Forces of the frame, at the points of the moment. */
  showForces(frame: number, scale: number, thickness: number): void {
    if (!this.arrows || !this.run.jointForces) return;
    const n = this.run.joints.length;
    const all = this.run.jointForces.force;
    for (let i = 0; i < 3 * n; i++) this.force[i] = all[frame * 3 * n + i];
    this.arrows.setScale(scale, thickness);
    this.arrows.set(this.points, this.force, 0, n);
  }

  private batch(from: THREE.BufferGeometry, place: THREE.InstancedBufferAttribute, turns: THREE.InstancedBufferAttribute, size: THREE.Vector3): THREE.Mesh {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", from.getAttribute("position"));
    geometry.setIndex(from.getIndex());
    geometry.setAttribute("place", place);
    geometry.setAttribute("turn", turns);
    geometry.instanceCount = place.count;
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { upInView: shared.upInView, size: { value: size }, colour: { value: new THREE.Vector3(...COLOUR) } },
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    return mesh;
  }
}

const Z = new THREE.Vector3(0, 0, 1);
const point = new THREE.Vector3();
const axis = new THREE.Vector3();
const turn = new THREE.Quaternion();

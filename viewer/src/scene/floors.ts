/**
 * Planes, drawn as grids that fade out: they are infinite, the picture is not. Seen from the solid side only faint lines are left, so that a plane that
 * bounds the scene never hides it.
 */
import * as THREE from "three";
import type { Poses } from "../data/poses";
import type { Run } from "../data/run";
import { roundDown } from "../numbers";
import { dynamic } from "./spheres";

const VERTEX = /* glsl */ `
attribute vec3 place;
attribute vec3 along;
attribute vec3 across;
attribute float reach;
uniform vec3 middle;
varying vec2 vGrid;
varying vec2 vFrom;
varying float vReach;
varying float vFront;
void main() {
  vec3 normal = cross(along, across);
  // Centred below the middle of the scene, but the lines stay at whole multiples of the spacing from the origin of the plane.
  vec3 foot = middle - dot(middle - place, normal) * normal;
  vec3 world = foot + reach * (position.x * along + position.y * across);
  vGrid = vec2(dot(world - place, along), dot(world - place, across));
  vFrom = reach * position.xy;
  vReach = reach;
  vFront = dot(cameraPosition - place, normal);
  gl_Position = projectionMatrix * viewMatrix * vec4(world, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform float spacing;
uniform vec3 ground;
uniform vec3 line;
varying vec2 vGrid;
varying vec2 vFrom;
varying float vReach;
varying float vFront;
float lines(float step_length) {
  vec2 at = vGrid / step_length;
  vec2 width = max(fwidth(at), vec2(1e-6));
  vec2 near = abs(fract(at - 0.5) - 0.5) / width;
  // Lines closer than three pixels to each other melt into grey: fade them out instead.
  float fade = 1.0 - smoothstep(0.2, 0.45, max(width.x, width.y));
  return fade * (1.0 - min(min(near.x, near.y), 1.0));
}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(vFrom) / vReach);
  float fine = lines(spacing);
  float coarse = lines(5.0 * spacing);
  float mark = max(0.35 * fine, 0.8 * coarse);
  float fill = vFront > 0.0 ? 0.85 : 0.0;
  float alpha = max(fill, (vFront > 0.0 ? 1.0 : 0.35) * mark) * fade;
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(mix(ground, line, fill > 0.0 ? mark : 1.0), alpha);
}`;

export class Floors {
  readonly object: THREE.Mesh;
  readonly count: number;
  /** Distance of the fine lines [m]. */
  readonly spacing: number;
  private readonly items: { body: number; position: THREE.Vector3; rotation: THREE.Quaternion; normal: THREE.Vector3 }[] = [];
  private readonly place: THREE.InstancedBufferAttribute;
  private readonly along: THREE.InstancedBufferAttribute;
  private readonly across: THREE.InstancedBufferAttribute;
  private readonly material: THREE.ShaderMaterial;

  constructor(run: Run, middle: THREE.Vector3, size: number, up: THREE.Vector3) {
    run.bodies.forEach((body, b) => {
      for (const piece of body.pieces) {
        const shape = run.shapes[piece.shape];
        if (shape.kind !== "plane") continue;
        this.items.push({
          body: b,
          position: new THREE.Vector3(...piece.position),
          rotation: new THREE.Quaternion(...piece.rotation),
          normal: new THREE.Vector3(...shape.normal).normalize(),
        });
      }
    });
    const n = (this.count = this.items.length);
    this.spacing = roundDown(size / 12);
    const reach = new Float32Array(n);
    this.items.forEach((item, i) => {
      const pose = run.bodies[item.body].pose;
      const normal = item.normal.clone().applyQuaternion(item.rotation).applyQuaternion(new THREE.Quaternion(pose[3], pose[4], pose[5], pose[6]));
      // Floors reach to the horizon of the picture; upright planes just frame the scene.
      reach[i] = size * (normal.dot(up) > 0.5 ? 3 : 0.9);
    });
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.place = dynamic(new Float32Array(n * 3), 3, false);
    this.along = dynamic(new Float32Array(n * 3), 3, false);
    this.across = dynamic(new Float32Array(n * 3), 3, false);
    geometry.setAttribute("place", this.place);
    geometry.setAttribute("along", this.along);
    geometry.setAttribute("across", this.across);
    geometry.setAttribute("reach", new THREE.InstancedBufferAttribute(reach, 1));
    geometry.instanceCount = n;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: {
        middle: { value: middle },
        spacing: { value: this.spacing },
        ground: { value: new THREE.Vector3() },
        line: { value: new THREE.Vector3() },
      },
      side: THREE.DoubleSide,
      transparent: true,
      depthWrite: false,
      // A body that rests on the plane touches it: the plane gives way in depth.
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 4,
    });
    this.object = new THREE.Mesh(geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
  }

  colours(ground: [number, number, number], line: [number, number, number]): void {
    (this.material.uniforms.ground.value as THREE.Vector3).set(...ground);
    (this.material.uniforms.line.value as THREE.Vector3).set(...line);
  }

  move(poses: Poses): void {
    this.items.forEach((item, i) => {
      turn.fromArray(poses.rotation, item.body * 4);
      point.copy(item.position).applyQuaternion(turn);
      normal.copy(item.normal).applyQuaternion(item.rotation).applyQuaternion(turn);
      const p = poses.position;
      const b = item.body * 3;
      this.place.setXYZ(i, p[b] + point.x, p[b + 1] + point.y, p[b + 2] + point.z);
      along.set(1, 0, 0);
      if (Math.abs(normal.x) > 0.9) along.set(0, 1, 0);
      along.addScaledVector(normal, -along.dot(normal)).normalize();
      across.crossVectors(normal, along);
      this.along.setXYZ(i, along.x, along.y, along.z);
      this.across.setXYZ(i, across.x, across.y, across.z);
    });
    this.place.needsUpdate = this.along.needsUpdate = this.across.needsUpdate = true;
  }
}

const turn = new THREE.Quaternion();
const point = new THREE.Vector3();
const normal = new THREE.Vector3();
const along = new THREE.Vector3();
const across = new THREE.Vector3();

/**
 * Forces as arrows, made on the graphics card: a point and a force go in as they are in the data, the shader scales and turns one arrow for each. Heads keep
 * their form on long arrows and shrink with short ones.
 */
import * as THREE from "three";
import { SHADE, shared } from "./shading";
import { dynamic } from "./spheres";

const VERTEX = /* glsl */ `
attribute vec3 place;
attribute vec3 force;
attribute float head;
uniform float scale;
uniform float thickness;
varying vec3 vNormal;
varying vec3 vPoint;
void main() {
  float size = length(force);
  float len = size * scale;
  vec3 z = size > 0.0 ? force / size : vec3(0.0, 0.0, 1.0);
  vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
  vec3 y = cross(z, x);
  float thick = min(thickness, 0.09 * len);
  float head_length = min(6.0 * thick, 0.45 * len);
  float along = head > 0.5 ? len - head_length + position.z * head_length : position.z * (len - head_length);
  float wide = thick * (head > 0.5 ? 2.3 : 1.0);
  vec3 world = place + z * along + wide * (x * position.x + y * position.y);
  vec4 seen = viewMatrix * vec4(world, 1.0);
  vNormal = mat3(viewMatrix) * (x * normal.x + y * normal.y + z * normal.z);
  vPoint = seen.xyz;
  gl_Position = projectionMatrix * seen;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 colour;
varying vec3 vNormal;
varying vec3 vPoint;
${SHADE}
void main() { gl_FragColor = vec4(shade(colour, normalize(vNormal), normalize(-vPoint)), 1.0); }`;

/** Above this many arrows they are drawn with fewer sides. */
const MANY = 5000;

export class Arrows {
  readonly object: THREE.Mesh;
  private readonly geometry: THREE.InstancedBufferGeometry;
  private readonly material: THREE.ShaderMaterial;
  private readonly place: THREE.InstancedBufferAttribute;
  private readonly force: THREE.InstancedBufferAttribute;

  constructor(capacity: number, colour: [number, number, number]) {
    this.geometry = arrow(capacity > MANY ? 4 : 10);
    this.place = dynamic(new Float32Array(capacity * 3), 3, false);
    this.force = dynamic(new Float32Array(capacity * 3), 3, false);
    this.geometry.setAttribute("place", this.place);
    this.geometry.setAttribute("force", this.force);
    this.geometry.instanceCount = 0;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { upInView: shared.upInView, scale: { value: 1 }, thickness: { value: 0.01 }, colour: { value: new THREE.Vector3(...colour) } },
    });
    this.object = new THREE.Mesh(this.geometry, this.material);
    this.object.frustumCulled = false;
    this.object.renderOrder = 20;
  }

  /** Metres a newton, and the radius of shafts [m]. */
  setScale(scale: number, thickness: number): void {
    this.material.uniforms.scale.value = scale;
    this.material.uniforms.thickness.value = thickness;
  }

  set(points: Float32Array, forces: Float32Array, from: number, to: number): void {
    const count = to - from;
    (this.place.array as Float32Array).set(points.subarray(from * 3, to * 3));
    (this.force.array as Float32Array).set(forces.subarray(from * 3, to * 3));
    this.geometry.instanceCount = count;
    // Only what is drawn is sent to the graphics card.
    for (const attribute of [this.place, this.force]) {
      attribute.clearUpdateRanges();
      attribute.addUpdateRange(0, count * 3);
      attribute.needsUpdate = true;
    }
  }
}

/** A shaft and a head of unit length along z and unit radius, each with its own `head` flag. */
function arrow(sides: number): THREE.InstancedBufferGeometry {
  const position: number[] = [];
  const normal: number[] = [];
  const head: number[] = [];
  const index: number[] = [];
  const ring = (z: number, radius: number, nr: number, nz: number, flag: number) => {
    const first = head.length;
    for (let i = 0; i <= sides; i++) {
      const angle = (2 * Math.PI * i) / sides;
      position.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
      normal.push(nr * Math.cos(angle), nr * Math.sin(angle), nz);
      head.push(flag);
    }
    return first;
  };
  const join = (a: number, b: number) => {
    for (let i = 0; i < sides; i++) index.push(a + i, a + i + 1, b + i + 1, a + i, b + i + 1, b + i);
  };
  join(ring(0, 0, 0, -1, 0), ring(0, 1, 0, -1, 0));
  join(ring(0, 1, 1, 0, 0), ring(1, 1, 1, 0, 0));
  join(ring(0, 0, 0, -1, 1), ring(0, 1, 0, -1, 1));
  join(ring(0, 1, 0.9, 0.44, 1), ring(1, 0, 0.9, 0.44, 1));
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("normal", new THREE.Float32BufferAttribute(normal, 3));
  geometry.setAttribute("head", new THREE.Float32BufferAttribute(head, 1));
  geometry.setIndex(index);
  return geometry;
}

/**
 * All spheres in one draw: each is a square that faces the eye, and the fragment shader meets the sphere with the ray of the pixel. It is round at any
 * zoom and costs two triangles, so that 100 000 of them stay interactive where even the coarsest ball of triangles would not.
 *
 * The cone of rays that touch a sphere (centre c, radius r, distance d = |c|) cuts the plane through c across the view in a circle of radius
 * r d / √(d² − r²): the half width of the square.
 */
import * as THREE from "three";
import { ROTATE, SHADE, shared } from "./shading";

const VERTEX = /* glsl */ `
attribute vec3 centre;
attribute float radius;
attribute vec4 turn;
attribute vec3 tint;
varying vec3 vPoint;
varying vec3 vCentre;
varying float vRadius;
varying vec4 vTurn;
varying vec3 vTint;
void main() {
  vCentre = (viewMatrix * vec4(centre, 1.0)).xyz;
  vRadius = radius;
  vTurn = turn;
  vTint = tint;
  float d = length(vCentre);
  float half_width = radius * d / sqrt(max(d * d - radius * radius, 1e-4 * d * d));
  vec3 towards = vCentre / max(d, 1e-20);
  vec3 right = normalize(cross(towards, abs(towards.y) < 0.9 ? vec3(0.0, 1.0, 0.0) : vec3(1.0, 0.0, 0.0)));
  vec3 above = cross(right, towards);
  // A little wider than the silhouette, for the soft edge.
  vPoint = vCentre + (half_width * 1.03) * (position.x * right + position.y * above);
  gl_Position = projectionMatrix * vec4(vPoint, 1.0);
}`;

const FRAGMENT = /* glsl */ `
uniform mat4 projectionMatrix;
uniform float marks;
varying vec3 vPoint;
varying vec3 vCentre;
varying float vRadius;
varying vec4 vTurn;
varying vec3 vTint;
${SHADE}
${ROTATE}
void main() {
  vec3 ray = normalize(vPoint);
  float along = dot(ray, vCentre);
  vec3 off = vCentre - along * ray;
  float miss = length(off);
  float soft = max(fwidth(miss), 1e-20);
  float cover = clamp((vRadius - miss) / soft + 0.5, 0.0, 1.0);
  if (cover < 0.05) discard;
  float depth_inside = sqrt(max(vRadius * vRadius - miss * miss, 0.0));
  vec3 hit = (along - depth_inside) * ray;
  vec3 normal = normalize(hit - vCentre);
  // Octants of the body in two tones: a plain sphere would not show that it turns.
  vec3 world = normal * mat3(viewMatrix);
  vec3 own = rotate(vec4(-vTurn.xyz, vTurn.w), world);
  vec3 edge = clamp(own / max(fwidth(own), vec3(1e-6)) , -1.0, 1.0);
  float tone = 1.0 - marks * (0.5 - 0.5 * edge.x * edge.y * edge.z);
  gl_FragColor = vec4(shade(vTint * tone, normal, -ray), cover);
  vec4 clip = projectionMatrix * vec4(hit, 1.0);
  gl_FragDepth = clamp(0.5 * clip.z / clip.w + 0.5, 0.0, 1.0);
}`;

export class Spheres {
  readonly object: THREE.Mesh;
  private readonly material: THREE.ShaderMaterial;
  private readonly centre: THREE.InstancedBufferAttribute;
  private readonly turn: THREE.InstancedBufferAttribute;
  private readonly tint: THREE.InstancedBufferAttribute;
  readonly centres: Float32Array;
  readonly turns: Float32Array;
  readonly tints: Uint8Array;

  constructor(readonly radii: Float32Array) {
    const count = radii.length;
    this.centres = new Float32Array(count * 3);
    this.turns = new Float32Array(count * 4);
    this.tints = new Uint8Array(count * 3);
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    this.centre = dynamic(this.centres, 3, false);
    this.turn = dynamic(this.turns, 4, false);
    this.tint = dynamic(this.tints, 3, true);
    geometry.setAttribute("centre", this.centre);
    geometry.setAttribute("turn", this.turn);
    geometry.setAttribute("tint", this.tint);
    geometry.setAttribute("radius", new THREE.InstancedBufferAttribute(radii, 1));
    geometry.instanceCount = count;
    this.material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { upInView: shared.upInView, marks: { value: 0 } },
      alphaToCoverage: true,
      side: THREE.DoubleSide,
    });
    this.object = new THREE.Mesh(geometry, this.material);
    this.object.frustumCulled = false;
    // The fragment shader needs the projection for the depth; three sets it for the vertex shader only.
    this.object.onBeforeRender = (_renderer, _scene, camera) => {
      this.material.uniforms.projectionMatrix = { value: camera.projectionMatrix };
    };
  }

  set marks(strength: number) {
    this.material.uniforms.marks.value = strength;
  }
  moved(): void {
    this.centre.needsUpdate = true;
    this.turn.needsUpdate = true;
  }
  coloured(): void {
    this.tint.needsUpdate = true;
  }
}

export function dynamic(array: THREE.TypedArray, size: number, normalised: boolean): THREE.InstancedBufferAttribute {
  const attribute = new THREE.InstancedBufferAttribute(array, size, normalised);
  attribute.setUsage(THREE.DynamicDrawUsage);
  return attribute;
}

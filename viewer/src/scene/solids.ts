/** All places of one mesh in one draw. Solids are opaque; walls are translucent from both sides and leave what is inside visible. */
import * as THREE from "three";
import { toCreasedNormals } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import { ROTATE, SHADE, shared } from "./shading";
import { dynamic } from "./spheres";

const VERTEX = /* glsl */ `
attribute vec3 place;
attribute vec4 turn;
attribute vec3 tint;
varying vec3 vNormal;
varying vec3 vPoint;
varying vec3 vTint;
${ROTATE}
void main() {
  vec4 seen = viewMatrix * vec4(place + rotate(turn, position), 1.0);
  vNormal = mat3(viewMatrix) * rotate(turn, normal);
  vPoint = seen.xyz;
  vTint = tint;
  gl_Position = projectionMatrix * seen;
}`;

const FRAGMENT = /* glsl */ `
uniform float opacity;
varying vec3 vNormal;
varying vec3 vPoint;
varying vec3 vTint;
${SHADE}
void main() {
  vec3 toEye = normalize(-vPoint);
  vec3 normal = normalize(vNormal);
  if (dot(normal, toEye) < 0.0) normal = -normal;
  // Glass is denser where it is seen at a slant: the form of a container stays readable.
  float slant = 1.0 - abs(dot(normal, toEye));
  float alpha = opacity < 1.0 ? opacity * (1.0 + 2.0 * slant * slant) : 1.0;
  gl_FragColor = vec4(shade(vTint, normal, toEye), alpha);
}`;

const EDGE_VERTEX = /* glsl */ `
attribute vec3 place;
attribute vec4 turn;
${ROTATE}
void main() { gl_Position = projectionMatrix * viewMatrix * vec4(place + rotate(turn, position), 1.0); }`;

const EDGE_FRAGMENT = /* glsl */ `
uniform vec3 colour;
uniform float opacity;
void main() { gl_FragColor = vec4(colour, opacity); }`;

/** Edges sharper than this are kept as edges [rad]. */
const CREASE = 0.55;
const WALL_OPACITY = 0.09;
/** Edges of more places than this would only darken the picture. */
const EDGES_LIMIT = 5000;

export class Solids {
  readonly object = new THREE.Group();
  readonly places: Float32Array;
  readonly turns: Float32Array;
  readonly tints: Uint8Array;
  private readonly place: THREE.InstancedBufferAttribute;
  private readonly turn: THREE.InstancedBufferAttribute;
  private readonly tint: THREE.InstancedBufferAttribute;
  private readonly edges: THREE.ShaderMaterial;

  constructor(
    readonly positions: Float32Array,
    readonly triangles: Uint32Array,
    readonly wall: boolean,
    count: number,
  ) {
    this.places = new Float32Array(count * 3);
    this.turns = new Float32Array(count * 4);
    this.tints = new Uint8Array(count * 3);
    this.place = dynamic(this.places, 3, false);
    this.turn = dynamic(this.turns, 4, false);
    this.tint = dynamic(this.tints, 3, true);

    const base = new THREE.BufferGeometry();
    base.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    base.setIndex(new THREE.BufferAttribute(triangles, 1));
    const creased = toCreasedNormals(base, CREASE);
    const geometry = this.instanced(creased, count);
    geometry.setAttribute("normal", creased.getAttribute("normal"));
    geometry.setAttribute("tint", this.tint);
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { upInView: shared.upInView, opacity: { value: wall ? WALL_OPACITY : 1 } },
      side: THREE.DoubleSide,
      transparent: wall,
      depthWrite: !wall,
      // Edges drawn on the faces must not flicker.
      polygonOffset: !wall,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    const mesh = new THREE.Mesh(geometry, material);
    mesh.frustumCulled = false;
    mesh.renderOrder = wall ? 10 : 0;

    this.edges = new THREE.ShaderMaterial({
      vertexShader: EDGE_VERTEX,
      fragmentShader: EDGE_FRAGMENT,
      uniforms: { colour: { value: new THREE.Vector3() }, opacity: { value: wall ? 0.45 : 0.28 } },
      transparent: true,
      depthWrite: false,
    });
    this.object.add(mesh);
    if (count > EDGES_LIMIT) return;
    const sharp = new THREE.EdgesGeometry(base, (CREASE * 180) / Math.PI);
    const lines = new THREE.LineSegments(this.instanced(sharp, count), this.edges);
    lines.frustumCulled = false;
    lines.renderOrder = wall ? 11 : 1;
    this.object.add(lines);
  }

  set edgeColour(rgb: [number, number, number]) {
    (this.edges.uniforms.colour.value as THREE.Vector3).set(...rgb);
  }
  moved(): void {
    this.place.needsUpdate = true;
    this.turn.needsUpdate = true;
  }
  coloured(): void {
    this.tint.needsUpdate = true;
  }

  private instanced(from: THREE.BufferGeometry, count: number): THREE.InstancedBufferGeometry {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", from.getAttribute("position"));
    geometry.setAttribute("place", this.place);
    geometry.setAttribute("turn", this.turn);
    geometry.instanceCount = count;
    return geometry;
  }
}

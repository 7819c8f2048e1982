/**
 * Flexible bodies: the outer faces with a field as colour, the edges of the elements, and cables as round tubes.
 * The field is interpolated as a number and looked up in the colour map for each pixel, so that colours between nodes are those of the values between them.
 */
import * as THREE from "three";
import { MAP, type Rgb } from "../colour";
import type { Field, Flexible } from "../data/run";
import { SHADE, shared } from "./shading";

const TINT = /* glsl */ `
uniform sampler2D map;
uniform vec3 plain;
uniform float coloured;
varying float vValue;
vec3 tint() { return mix(plain, texture2D(map, vec2(clamp(vValue, 0.0, 1.0) * (255.0 / 256.0) + 0.5 / 256.0, 0.5)).rgb, coloured); }
`;

const FACE_VERTEX = /* glsl */ `
attribute float value;
varying float vValue;
varying vec3 vPoint;
void main() {
  vValue = value;
  vec4 seen = viewMatrix * vec4(position, 1.0);
  vPoint = seen.xyz;
  gl_Position = projectionMatrix * seen;
}`;

const FACE_FRAGMENT = /* glsl */ `
varying vec3 vPoint;
${TINT}
${SHADE}
void main() {
  // The face's own normal, from how the point changes over the pixel: right for any deformation, no array to update.
  vec3 normal = normalize(cross(dFdx(vPoint), dFdy(vPoint)));
  gl_FragColor = vec4(shade(tint(), normal, normalize(-vPoint)), 1.0);
}`;

const LINE_VERTEX = /* glsl */ `
void main() { gl_Position = projectionMatrix * viewMatrix * vec4(position, 1.0); }`;
const LINE_FRAGMENT = /* glsl */ `
uniform vec3 colour;
void main() { gl_FragColor = vec4(colour, 0.5); }`;

/** A capsule from `start` to `end`: chained capsules make a cable without gaps at its bends. */
const TUBE_VERTEX = /* glsl */ `
attribute vec3 start;
attribute vec3 end;
attribute vec2 values;
uniform float radius;
uniform float pixel;
varying float vValue;
varying vec3 vPoint;
varying vec3 vNormal;
void main() {
  vec3 line = end - start;
  float len = length(line);
  vec3 z = len > 0.0 ? line / len : vec3(0.0, 0.0, 1.0);
  vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0), z));
  vec3 y = cross(z, x);
  float last = uv.x;
  vec3 centre = mix(start, end, last);
  vec3 normal_in_world = x * position.x + y * position.y + z * position.z;
  vec3 seen_centre = (viewMatrix * vec4(centre, 1.0)).xyz;
  // Never thinner than two pixels: radius of one pixel at this distance.
  float thick = max(radius, pixel * length(seen_centre));
  vNormal = mat3(viewMatrix) * normal_in_world;
  vPoint = seen_centre + thick * vNormal;
  vValue = mix(values.x, values.y, last);
  gl_Position = projectionMatrix * vec4(vPoint, 1.0);
}`;

const TUBE_FRAGMENT = /* glsl */ `
varying vec3 vPoint;
varying vec3 vNormal;
${TINT}
${SHADE}
void main() { gl_FragColor = vec4(shade(tint(), normalize(vNormal), normalize(-vPoint)), 1.0); }`;

const texture = new THREE.DataTexture(MAP, 256, 1);
texture.minFilter = texture.magFilter = THREE.LinearFilter;
texture.needsUpdate = true;

export class FlexibleView {
  readonly object = new THREE.Group();
  readonly edges: THREE.LineSegments | null = null;
  /** Nodes in the world at the moment shown. */
  readonly positions: Float32Array;
  private readonly values: Float32Array;
  private readonly position: THREE.BufferAttribute;
  private readonly value: THREE.BufferAttribute;
  private readonly materials: THREE.ShaderMaterial[] = [];
  private readonly lineMaterial: THREE.ShaderMaterial | null = null;
  private readonly tube: { data: Float32Array; buffer: THREE.InstancedInterleavedBuffer } | null = null;

  constructor(
    readonly body: Flexible,
    plain: Rgb,
    private readonly frames: number,
  ) {
    this.positions = new Float32Array(body.nodes * 3);
    this.values = new Float32Array(body.nodes);
    this.position = new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage);
    this.value = new THREE.BufferAttribute(this.values, 1).setUsage(THREE.DynamicDrawUsage);
    const uniforms = () => ({
      upInView: shared.upInView,
      map: { value: texture },
      plain: { value: new THREE.Vector3(...plain) },
      coloured: { value: 0 },
    });
    if (body.triangles) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", this.position);
      geometry.setAttribute("value", this.value);
      geometry.setIndex(new THREE.BufferAttribute(body.triangles, 1));
      const material = new THREE.ShaderMaterial({
        vertexShader: FACE_VERTEX,
        fragmentShader: FACE_FRAGMENT,
        uniforms: uniforms(),
        side: THREE.DoubleSide,
        polygonOffset: true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
      });
      this.materials.push(material);
      this.add(new THREE.Mesh(geometry, material));
    }
    if (body.lines && body.triangles) {
      const geometry = new THREE.BufferGeometry();
      geometry.setAttribute("position", this.position);
      geometry.setIndex(new THREE.BufferAttribute(body.lines, 1));
      this.lineMaterial = new THREE.ShaderMaterial({
        vertexShader: LINE_VERTEX,
        fragmentShader: LINE_FRAGMENT,
        uniforms: { colour: { value: new THREE.Vector3() } },
        transparent: true,
        depthWrite: false,
      });
      this.edges = new THREE.LineSegments(geometry, this.lineMaterial);
      this.edges.renderOrder = 1;
      this.add(this.edges);
    } else if (body.lines) {
      const count = body.lines.length / 2;
      const data = new Float32Array(count * 8);
      const buffer = new THREE.InstancedInterleavedBuffer(data, 8).setUsage(THREE.DynamicDrawUsage) as THREE.InstancedInterleavedBuffer;
      const geometry = capsule(count > 2000 ? 6 : 12);
      geometry.setAttribute("start", new THREE.InterleavedBufferAttribute(buffer, 3, 0));
      geometry.setAttribute("end", new THREE.InterleavedBufferAttribute(buffer, 3, 3));
      geometry.setAttribute("values", new THREE.InterleavedBufferAttribute(buffer, 2, 6));
      geometry.instanceCount = count;
      const material = new THREE.ShaderMaterial({
        vertexShader: TUBE_VERTEX,
        fragmentShader: TUBE_FRAGMENT,
        uniforms: { ...uniforms(), radius: { value: body.radius }, pixel: shared.pixel },
      });
      this.tube = { data, buffer };
      this.materials.push(material);
      this.add(new THREE.Mesh(geometry, material));
    }
  }

  set edgeColour(rgb: Rgb) {
    (this.lineMaterial?.uniforms.colour.value as THREE.Vector3 | undefined)?.set(...rgb);
  }
  set plain(rgb: Rgb) {
    for (const material of this.materials) (material.uniforms.plain.value as THREE.Vector3).set(...rgb);
  }

  /** Nodes and values at `frame` + `blend`. The range of colours is given: bodies with one field share it. */
  update(frame: number, blend: number, field: Field | null, low: number, high: number): void {
    const { body, positions, values } = this;
    const n = body.nodes;
    const next = blend > 0 && frame + 1 < this.frames ? frame + 1 : frame;
    const near = 1 - blend;
    const a = frame * n;
    const b = next * n;
    for (let k = 0; k < 3; k++) {
      const unit = (body.high[k] - body.low[k]) / 65535;
      const base = body.low[k];
      const p = body.position;
      for (let i = k, from = a * 3 + k, to = b * 3 + k; i < 3 * n; i += 3, from += 3, to += 3) positions[i] = base + unit * (near * p[from] + blend * p[to]);
    }
    this.position.needsUpdate = true;
    if (field) {
      const range = high > low ? high - low : 1;
      const unit = (field.high - field.low) / 65535 / range;
      const base = (field.low - low) / range;
      for (let i = 0; i < n; i++) values[i] = base + unit * (near * field.values[a + i] + blend * field.values[b + i]);
      this.value.needsUpdate = true;
    }
    for (const material of this.materials) material.uniforms.coloured.value = field ? 1 : 0;
    if (this.tube && body.lines) {
      const { data, buffer } = this.tube;
      const lines = body.lines;
      for (let s = 0; s < lines.length / 2; s++) {
        const from = lines[2 * s];
        const to = lines[2 * s + 1];
        const o = s * 8;
        for (let k = 0; k < 3; k++) {
          data[o + k] = positions[3 * from + k];
          data[o + 3 + k] = positions[3 * to + k];
        }
        data[o + 6] = values[from];
        data[o + 7] = values[to];
      }
      buffer.needsUpdate = true;
    }
  }

  private add(object: THREE.Object3D): void {
    // Bounds are not kept up to date with the deformation.
    object.frustumCulled = false;
    this.object.add(object);
  }
}

/** Two half spheres and the cylinder between them; `position` is the direction from the axis end, `uv.x` tells the end. */
function capsule(sides: number): THREE.InstancedBufferGeometry {
  const rings: { radius: number; z: number; end: number }[] = [];
  const steps = Math.max(2, sides >> 2);
  for (let end = 0; end < 2; end++) {
    for (let i = 0; i <= steps; i++) {
      const angle = ((end === 0 ? i - steps : i) / steps) * (Math.PI / 2);
      rings.push({ radius: Math.cos(angle), z: Math.sin(angle), end });
    }
  }
  const position: number[] = [];
  const uv: number[] = [];
  const index: number[] = [];
  rings.forEach(({ radius, z, end }, r) => {
    for (let i = 0; i <= sides; i++) {
      const angle = (2 * Math.PI * i) / sides;
      position.push(radius * Math.cos(angle), radius * Math.sin(angle), z);
      uv.push(end, 0);
      if (r > 0 && i < sides) {
        const a = (r - 1) * (sides + 1) + i;
        const b = r * (sides + 1) + i;
        index.push(a, a + 1, b + 1, a, b + 1, b);
      }
    }
  });
  const geometry = new THREE.InstancedBufferGeometry();
  geometry.setAttribute("position", new THREE.Float32BufferAttribute(position, 3));
  geometry.setAttribute("uv", new THREE.Float32BufferAttribute(uv, 2));
  geometry.setIndex(index);
  return geometry;
}

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

/**
 * For very many spheres: points drawn as discs through the centre, lit as the spheres they stand for. A point is one vertex, and it leaves the depth alone,
 * so that the graphics card drops what lies behind before it is lit; drawn nearest first, only the surface of a pile costs anything. Spheres that do not
 * overlap hide each other as their discs do.
 */
const DISC_VERTEX = /* glsl */ `
attribute float radius;
attribute vec3 tint;
uniform float pixel;
uniform float ratio;
varying vec3 vTint;
void main() {
  vec4 seen = viewMatrix * vec4(position, 1.0);
  // Light is added up in the square of the colour, which is near enough to linear and cheap to undo.
  vTint = tint * tint;
  gl_PointSize = max(1.0, ratio * 2.0 * radius / (pixel * max(-seen.z, 1e-20)));
  gl_Position = projectionMatrix * seen;
}`;

const DISC_FRAGMENT = /* glsl */ `
uniform vec3 upInView;
varying vec3 vTint;
void main() {
  vec2 at = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float square = dot(at, at);
  if (square > 1.0) discard;
  vec3 normal = vec3(at, sqrt(1.0 - square));
  float light = 0.39 + 0.13 * dot(normal, upInView) + 0.62 * max(dot(normal, vec3(-0.38, 0.55, 0.744)), 0.0);
  gl_FragColor = vec4(sqrt(vTint * light), 1.0);
}`;

/** From this many on spheres are drawn as discs. */
const MANY = 20000;
/** Radius in pixels above which they are drawn as spheres all the same: the size of points has a limit, and one whose centre is outside of the picture vanishes. */
const LARGE = 40;

/** One way of drawing all spheres, with attributes of its kind over the shared arrays. */
interface Drawn {
  object: THREE.Object3D;
  centre: THREE.BufferAttribute;
  tint: THREE.BufferAttribute;
  radius: THREE.BufferAttribute;
  turn: THREE.BufferAttribute | null;
}

export class Spheres {
  readonly object = new THREE.Group();
  readonly centres: Float32Array;
  readonly turns: Float32Array;
  readonly tints: Uint8Array;
  /** Spheres are kept nearest first; see `Bodies.sort`. */
  readonly sorted: boolean;
  private readonly squares: Drawn;
  private readonly points: Drawn | null;
  private readonly largest: number;
  private readonly uniforms = { upInView: shared.upInView, pixel: shared.pixel, ratio: shared.ratio, marks: { value: 0 } };

  constructor(readonly radii: Float32Array) {
    const count = radii.length;
    this.sorted = count >= MANY;
    this.largest = radii.reduce((most, r) => Math.max(most, r), 0);
    this.centres = new Float32Array(count * 3);
    this.turns = new Float32Array(count * 4);
    this.tints = new Uint8Array(count * 3);
    this.squares = this.makeSquares(count);
    this.points = this.sorted ? this.makePoints() : null;
    this.object.add(this.squares.object);
    if (this.points) this.object.add(this.points.object);
    this.zoom(0);
  }

  /** Points or squares, by how large the spheres are seen. */
  zoom(pixelsPerMetre: number): void {
    if (!this.points) return;
    const large = this.largest * pixelsPerMetre > LARGE;
    this.points.object.visible = !large;
    this.squares.object.visible = large;
  }

  /** How many are drawn as points. */
  get asPoints(): number {
    return this.points?.object.visible ? this.radii.length : 0;
  }

  set marks(strength: number) {
    this.uniforms.marks.value = strength;
  }
  // What is marked is sent to the graphics card when it is drawn: the way that is not in use costs nothing.
  moved(): void {
    for (const way of [this.squares, this.points]) {
      if (!way) continue;
      way.centre.needsUpdate = true;
      if (way.turn) way.turn.needsUpdate = true;
    }
  }
  resized(): void {
    for (const way of [this.squares, this.points]) if (way) way.radius.needsUpdate = true;
  }
  coloured(): void {
    for (const way of [this.squares, this.points]) if (way) way.tint.needsUpdate = true;
  }

  private makePoints(): Drawn {
    const geometry = new THREE.BufferGeometry();
    const centre = new THREE.BufferAttribute(this.centres, 3).setUsage(THREE.DynamicDrawUsage);
    const tint = new THREE.BufferAttribute(this.tints, 3, true).setUsage(THREE.DynamicDrawUsage);
    const radius = new THREE.BufferAttribute(this.radii, 1).setUsage(THREE.DynamicDrawUsage);
    geometry.setAttribute("position", centre);
    geometry.setAttribute("tint", tint);
    geometry.setAttribute("radius", radius);
    const material = new THREE.ShaderMaterial({ vertexShader: DISC_VERTEX, fragmentShader: DISC_FRAGMENT, uniforms: this.uniforms });
    const object = new THREE.Points(geometry, material);
    object.frustumCulled = false;
    return { object, centre, tint, radius, turn: null };
  }

  private makeSquares(count: number): Drawn {
    const geometry = new THREE.InstancedBufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    const centre = dynamic(this.centres, 3, false);
    const turn = dynamic(this.turns, 4, false);
    const tint = dynamic(this.tints, 3, true);
    const radius = dynamic(this.radii, 1, false);
    geometry.setAttribute("centre", centre);
    geometry.setAttribute("turn", turn);
    geometry.setAttribute("tint", tint);
    geometry.setAttribute("radius", radius);
    geometry.instanceCount = count;
    // The fragment shader needs the projection for the depth; three sets it for the vertex shader only.
    const projectionMatrix = { value: new THREE.Matrix4() };
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { ...this.uniforms, projectionMatrix },
      alphaToCoverage: true,
      side: THREE.DoubleSide,
    });
    const object = new THREE.Mesh(geometry, material);
    object.frustumCulled = false;
    object.onBeforeRender = (_renderer, _scene, camera) => {
      projectionMatrix.value = camera.projectionMatrix;
    };
    return { object, centre, tint, radius, turn };
  }
}

export function dynamic(array: THREE.TypedArray, size: number, normalised: boolean): THREE.InstancedBufferAttribute {
  const attribute = new THREE.InstancedBufferAttribute(array, size, normalised);
  attribute.setUsage(THREE.DynamicDrawUsage);
  return attribute;
}

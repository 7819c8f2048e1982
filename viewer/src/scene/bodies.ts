/** Rigid bodies: their shapes sorted into one batch a mesh and one for all spheres, moved and coloured by typed arrays. */
import * as THREE from "three";
import type { Poses } from "../data/poses";
import type { Run } from "../data/run";
import { nearestFirst } from "./order";
import { Solids } from "./solids";
import { Spheres } from "./spheres";

/** One place in a batch: which body carries it, and where on the body. */
interface Places {
  bodies: Uint32Array;
  /** Position and rotation on the body, seven numbers a place; `null` if all are at the origin of their bodies, unturned. */
  local: Float32Array | null;
}

const MARKS = 0.2;
/** Cosine of the turn of the view after which spheres are sorted anew, and frames after which they are. */
const SORT_AGAIN = 0.95;
const SORT_FRAMES = 10;

export class Bodies {
  readonly solids = new THREE.Group();
  readonly walls = new THREE.Group();
  /** Radius about the origin of each body that encloses its finite shapes; 0 for bodies that are planes only. */
  readonly reach: Float32Array;
  readonly spheres: { batch: Spheres; places: Places } | null;
  readonly meshes: { batch: Solids; places: Places }[] = [];

  constructor(private readonly run: Run) {
    this.reach = new Float32Array(run.bodies.length);
    const sphereItems: Item[] = [];
    const meshItems: Item[][] = run.shapes.map(() => []);
    const radii: number[] = run.shapes.map((shape) =>
      shape.kind === "sphere" ? shape.radius : shape.kind === "mesh" ? farthest(shape.positions) : 0,
    );
    run.bodies.forEach((body, b) => {
      for (const piece of body.pieces) {
        const shape = run.shapes[piece.shape];
        if (shape.kind === "plane") continue;
        const item = { body: b, shape: piece.shape, position: piece.position, rotation: piece.rotation };
        (shape.kind === "sphere" ? sphereItems : meshItems[piece.shape]).push(item);
        this.reach[b] = Math.max(this.reach[b], Math.hypot(...piece.position) + radii[piece.shape]);
      }
    });
    this.spheres = null;
    if (sphereItems.length > 0) {
      const batch = new Spheres(Float32Array.from(sphereItems, (item) => radii[item.shape]));
      batch.marks = MARKS;
      this.spheres = { batch, places: placesOf(sphereItems) };
      this.solids.add(batch.object);
    }
    run.shapes.forEach((shape, s) => {
      if (shape.kind !== "mesh" || meshItems[s].length === 0 || shape.triangles.length === 0) return;
      const batch = new Solids(shape.positions, shape.triangles, shape.look === "wall", meshItems[s].length);
      this.meshes.push({ batch, places: placesOf(meshItems[s]) });
      (batch.wall ? this.walls : this.solids).add(batch.object);
    });
  }

  get triangles(): number {
    return this.meshes.reduce((sum, { batch, places }) => sum + (batch.triangles.length / 3) * places.bodies.length, 0);
  }

  move(poses: Poses): void {
    if (this.spheres) {
      const { batch, places } = this.spheres;
      put(places, poses, batch.centres, batch.turns);
      batch.moved();
    }
    for (const { batch, places } of this.meshes) {
      put(places, poses, batch.places, batch.turns);
      batch.moved();
    }
  }

  /**
   * Puts many spheres in order of their distance from an eye, if it turned or they moved on since the last time. The order is only for speed: the picture
   * is right in any.
   */
  sort(eye: THREE.Vector3, towards: THREE.Vector3, moment: number): boolean {
    if (!this.spheres?.batch.sorted) return false;
    if (towards.dot(this.sortedTowards) > SORT_AGAIN && Math.abs(moment - this.sortedMoment) < SORT_FRAMES) return false;
    this.sortedTowards.copy(towards);
    this.sortedMoment = moment;
    const { batch, places } = this.spheres;
    const order = nearestFirst(batch.centres, eye);
    permute(batch.radii, 1, order);
    permute(places.bodies, 1, order);
    if (places.local) permute(places.local, 7, order);
    batch.resized();
    return true;
  }
  private readonly sortedTowards = new THREE.Vector3();
  private sortedMoment = -Infinity;

  /** Colours, three bytes a body. */
  paint(colours: Uint8Array, walls: [number, number, number], marks: boolean): void {
    if (this.spheres) {
      const { batch, places } = this.spheres;
      spread(places, colours, batch.tints);
      batch.marks = marks ? MARKS : 0;
      batch.coloured();
    }
    for (const { batch, places } of this.meshes) {
      if (batch.wall) {
        for (let i = 0; i < batch.tints.length; i++) batch.tints[i] = 255 * walls[i % 3];
      } else spread(places, colours, batch.tints);
      batch.coloured();
    }
  }

  set edgeColours(colours: { solid: [number, number, number]; wall: [number, number, number] }) {
    for (const { batch } of this.meshes) batch.edgeColour = batch.wall ? colours.wall : colours.solid;
  }

  get bodyCount(): number {
    return this.run.bodies.length;
  }
}

interface Item {
  body: number;
  shape: number;
  position: [number, number, number];
  rotation: [number, number, number, number];
}

function farthest(positions: Float32Array): number {
  let square = 0;
  for (let i = 0; i < positions.length; i += 3) {
    square = Math.max(square, positions[i] ** 2 + positions[i + 1] ** 2 + positions[i + 2] ** 2);
  }
  return Math.sqrt(square);
}

function placesOf(items: Item[]): Places {
  const bodies = Uint32Array.from(items, (item) => item.body);
  const plain = items.every(({ position: p, rotation: q }) => p[0] === 0 && p[1] === 0 && p[2] === 0 && q[0] === 0 && q[1] === 0 && q[2] === 0);
  if (plain) return { bodies, local: null };
  const local = new Float32Array(items.length * 7);
  items.forEach((item, i) => {
    local.set(item.position, i * 7);
    local.set(item.rotation, i * 7 + 3);
  });
  return { bodies, local };
}

/** World places = pose of the body ∘ place on the body. */
function put(places: Places, poses: Poses, position: Float32Array, rotation: Float32Array): void {
  const { bodies, local } = places;
  const p = poses.position;
  const q = poses.rotation;
  for (let i = 0; i < bodies.length; i++) {
    const b3 = bodies[i] * 3;
    const b4 = bodies[i] * 4;
    const qx = q[b4];
    const qy = q[b4 + 1];
    const qz = q[b4 + 2];
    const qw = q[b4 + 3];
    const o3 = i * 3;
    const o4 = i * 4;
    if (local === null) {
      position[o3] = p[b3];
      position[o3 + 1] = p[b3 + 1];
      position[o3 + 2] = p[b3 + 2];
      rotation[o4] = qx;
      rotation[o4 + 1] = qy;
      rotation[o4 + 2] = qz;
      rotation[o4 + 3] = qw;
      continue;
    }
    const l = i * 7;
    const x = local[l];
    const y = local[l + 1];
    const z = local[l + 2];
    // v + 2 u × (u × v + w v)
    const cx = qy * z - qz * y + qw * x;
    const cy = qz * x - qx * z + qw * y;
    const cz = qx * y - qy * x + qw * z;
    position[o3] = p[b3] + x + 2 * (qy * cz - qz * cy);
    position[o3 + 1] = p[b3 + 1] + y + 2 * (qz * cx - qx * cz);
    position[o3 + 2] = p[b3 + 2] + z + 2 * (qx * cy - qy * cx);
    const lx = local[l + 3];
    const ly = local[l + 4];
    const lz = local[l + 5];
    const lw = local[l + 6];
    rotation[o4] = qw * lx + qx * lw + qy * lz - qz * ly;
    rotation[o4 + 1] = qw * ly - qx * lz + qy * lw + qz * lx;
    rotation[o4 + 2] = qw * lz + qx * ly - qy * lx + qz * lw;
    rotation[o4 + 3] = qw * lw - qx * lx - qy * ly - qz * lz;
  }
}

function spread(places: Places, colours: Uint8Array, tints: Uint8Array): void {
  const { bodies } = places;
  for (let i = 0; i < bodies.length; i++) {
    const from = bodies[i] * 3;
    tints[i * 3] = colours[from];
    tints[i * 3 + 1] = colours[from + 1];
    tints[i * 3 + 2] = colours[from + 2];
  }
}

function permute(values: Float32Array | Uint32Array, width: number, order: Uint32Array): void {
  const before = values.slice();
  for (let i = 0; i < order.length; i++) for (let k = 0; k < width; k++) values[i * width + k] = before[order[i] * width + k];
}

/** A run as the viewer holds it: the header with its arrays in place. */
import type { JointHeader, Vector } from "./format";

export type Shape =
  | { kind: "sphere"; radius: number }
  | { kind: "plane"; normal: Vector }
  | { kind: "mesh"; look: "solid" | "wall"; positions: Float32Array; triangles: Uint32Array };

export interface Piece {
  shape: number;
  position: Vector;
  rotation: [number, number, number, number];
}

export interface Body {
  name: string;
  mass: number | null;
  fixed: boolean;
  pose: number[];
  pieces: Piece[];
}

export interface Motion {
  bodies: Uint32Array;
  /** Slot of a body in the arrays below, or −1 for one that does not move. */
  slot: Int32Array;
  low: Vector;
  high: Vector;
  position: Uint16Array;
  rotation: Int16Array;
  velocity: Int16Array;
  velocityScale: number;
  angular: Int16Array;
  angularScale: number;
}

export interface Field {
  name: string;
  unit: string;
  low: number;
  high: number;
  values: Uint16Array;
}

export interface Flexible {
  name: string;
  kind: string;
  nodes: number;
  triangles: Uint32Array | null;
  lines: Uint32Array | null;
  radius: number;
  low: Vector;
  high: Vector;
  position: Uint16Array;
  fields: Field[];
}

export interface Contacts {
  start: Uint32Array;
  bodies: Uint32Array;
  point: Float32Array;
  normal: Float32Array;
  force: Float32Array;
  gap: Float32Array;
}

export type Joint = JointHeader;

export interface Plot {
  title: string;
  unit: string;
  log: boolean;
  curves: { name: string; values: Float64Array }[];
}

export interface Run {
  program: string;
  name: string;
  title: string;
  status: string;
  notes: string[];
  facts: [string, string][];
  gravity: Vector;
  low: Vector;
  high: Vector;
  frames: { count: number; time: Float64Array; step: Uint32Array };
  shapes: Shape[];
  bodies: Body[];
  motion: Motion | null;
  flexible: Flexible[];
  contacts: Contacts | null;
  joints: Joint[];
  jointForces: { force: Float32Array; torque: Float32Array } | null;
  series: Plot[];
  seriesTime: Float64Array;
}

/** Name of a body by the numbers contacts and joints use: rigid bodies first, then flexible ones, −1 for the world. */
export function nameOf(run: Run, index: number): string {
  if (index < 0) return "world";
  if (index < run.bodies.length) return run.bodies[index].name;
  return run.flexible[index - run.bodies.length]?.name ?? `body ${index}`;
}

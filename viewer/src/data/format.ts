/** The header of a page as FORMAT.md defines it. Arrays are references into the body of the data. */

export interface ArrayRef {
  at: number;
  count: number;
}

export type Vector = [number, number, number];

export type ShapeHeader =
  | { kind: "sphere"; radius: number }
  | { kind: "plane"; normal: Vector }
  | { kind: "mesh"; look: "solid" | "wall"; positions: ArrayRef; triangles: ArrayRef };

export interface BodyHeader {
  name: string;
  mass: number | null;
  fixed: boolean;
  pose: number[];
  shapes: { shape: number; position: Vector; rotation: [number, number, number, number] }[];
}

export interface MotionHeader {
  bodies: ArrayRef;
  low: Vector;
  high: Vector;
  position: ArrayRef;
  rotation: ArrayRef;
  velocity: ArrayRef;
  velocity_scale: number;
  angular: ArrayRef;
  angular_scale: number;
}

export interface FlexibleHeader {
  name: string;
  kind: string;
  nodes: number;
  triangles: ArrayRef | null;
  lines: ArrayRef | null;
  radius: number | null;
  low: Vector;
  high: Vector;
  position: ArrayRef;
  fields: { name: string; unit: string; low: number; high: number; values: ArrayRef }[];
}

export interface JointHeader {
  name: string;
  type: string;
  bodies: [number, number];
  points: [Vector, Vector];
  axis: Vector | null;
}

export interface Header {
  format: number;
  program: string;
  name: string;
  title: string | null;
  status: string;
  notes: string[] | null;
  facts: [string, string][] | null;
  gravity: Vector | null;
  low: Vector | null;
  high: Vector | null;
  frames: { count: number; time: ArrayRef; step: ArrayRef };
  shapes: ShapeHeader[];
  bodies: BodyHeader[];
  motion: MotionHeader | null;
  flexible: FlexibleHeader[] | null;
  contacts: {
    start: ArrayRef;
    bodies: ArrayRef;
    point: ArrayRef;
    normal: ArrayRef;
    force: ArrayRef;
    gap: ArrayRef;
  } | null;
  joints: JointHeader[] | null;
  joint_forces: { force: ArrayRef; torque: ArrayRef } | null;
  series: { title: string; unit: string; log: boolean; curves: { name: string; values: ArrayRef }[] }[] | null;
  series_time: ArrayRef | null;
}

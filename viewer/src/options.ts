/** What the reader can switch on and off. */
import type { Mode } from "./colouring";

export interface Options {
  bodies: boolean;
  walls: boolean;
  planes: boolean;
  flexible: boolean;
  edges: boolean;
  contacts: boolean;
  joints: boolean;
  jointForces: boolean;
  forcesInFront: boolean;
  interpolate: boolean;
  colour: Mode;
  /** Name of the field that colours flexible bodies, or empty for a plain colour. */
  field: string;
  /** Length of arrows, relative to the natural one. */
  arrowFactor: number;
}

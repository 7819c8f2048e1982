/** Which number gives a rigid body its colour. Ranges span the whole run, so that a colour means the same at every moment; they are found when first needed. */
import { bodyColour, MAP, mapOffset, type Rgb } from "./colour";
import { contactForcesAt, largestContactForce, largestSpeed, speedsAt } from "./data/measures";
import type { Run } from "./data/run";
import type { Scale } from "./ui/legends";

export const MODES = ["body", "speed", "contact force", "mass"] as const;
export type Mode = (typeof MODES)[number];

/** Above this ratio of masses the colours go with the logarithm. */
const LOGARITHMIC = 50;

export class Colouring {
  /** Three bytes a rigid body. */
  readonly colours: Uint8Array;
  private readonly own: Uint8Array;
  private readonly values: Float32Array;
  private readonly forces: Float32Array;
  private readonly scales = new Map<Mode, Scale>();

  constructor(private readonly run: Run) {
    const n = run.bodies.length;
    this.colours = new Uint8Array(n * 3);
    this.own = new Uint8Array(n * 3);
    this.values = new Float32Array(n);
    this.forces = new Float32Array(n + run.flexible.length);
    // Sixty-four colours are more than an eye keeps apart; making one takes a search for its gamut.
    const palette = Array.from({ length: Math.min(n, 64) }, (_, i) => bodyColour(i));
    for (let i = 0; i < n; i++) for (let k = 0; k < 3; k++) this.own[3 * i + k] = 255 * palette[i % 64][k];
  }

  scale(mode: Mode): Scale | null {
    if (mode === "body") return null;
    let scale = this.scales.get(mode);
    if (!scale) {
      scale = this.makeScale(mode);
      this.scales.set(mode, scale);
    }
    return scale;
  }

  /** Colours of the frame; the selected body stands out. */
  update(mode: Mode, frame: number, neutral: Rgb, selected: number, highlight: Rgb): void {
    const { run, colours, values } = this;
    const n = run.bodies.length;
    const scale = this.scale(mode);
    if (mode === "speed") speedsAt(run, frame, values);
    if (mode === "contact force") {
      contactForcesAt(run, frame, this.forces);
      values.set(this.forces.subarray(0, n));
    }
    const span = scale && scale.high > scale.low ? scale.high - scale.low : 1;
    for (let i = 0; i < n; i++) {
      const o = 3 * i;
      const body = run.bodies[i];
      if (body.fixed && mode !== "contact force") {
        for (let k = 0; k < 3; k++) colours[o + k] = 255 * neutral[k];
      } else if (!scale) {
        for (let k = 0; k < 3; k++) colours[o + k] = this.own[o + k];
      } else {
        const value = mode === "mass" ? (body.mass ?? NaN) : values[i];
        const share = scale.log ? Math.log(value / scale.low) / Math.log(scale.high / scale.low) : (value - scale.low) / span;
        const at = mapOffset(share);
        for (let k = 0; k < 3; k++) colours[o + k] = MAP[at + k];
      }
    }
    if (selected >= 0 && selected < n) for (let k = 0; k < 3; k++) colours[3 * selected + k] = 255 * highlight[k];
  }

  private makeScale(mode: Exclude<Mode, "body">): Scale {
    const { run } = this;
    if (mode === "speed") return { title: "speed", unit: "m/s", low: 0, high: largestSpeed(run), log: false };
    if (mode === "contact force") return { title: "sum of contact forces on a body", unit: "N", low: 0, high: largestContactForce(run), log: false };
    let low = Infinity;
    let high = 0;
    for (const { mass, fixed } of run.bodies) {
      if (fixed || mass === null || !(mass > 0)) continue;
      low = Math.min(low, mass);
      high = Math.max(high, mass);
    }
    if (low > high) low = high = 0;
    return { title: "mass", unit: "kg", low, high, log: high > LOGARITHMIC * low && low > 0 };
  }
}

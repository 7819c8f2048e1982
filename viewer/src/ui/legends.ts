/** What colours and arrows mean, in numbers and units. */
import { mapGradient } from "../colour";
import { number, roundDown, ticks } from "../numbers";
import { el, setText } from "./dom";

export interface Scale {
  title: string;
  unit: string;
  low: number;
  high: number;
  /** Colours go with the logarithm of the value. */
  log: boolean;
}

export class ColourBar {
  readonly element = el("div", { class: "legend colour-bar" });
  private shown = "";

  show(scale: Scale | null): void {
    this.element.hidden = scale === null;
    const key = JSON.stringify(scale);
    if (!scale || key === this.shown) return;
    this.shown = key;
    const marks = el("div", { class: "scale number" });
    const { low, high, log } = scale;
    const values = high > low ? [low, ...(log ? decades(low, high) : ticks(low, high, 3)), high] : [low];
    const share = (v: number) => (high > low ? (log ? Math.log(v / low) / Math.log(high / low) : (v - low) / (high - low)) : 0);
    values.forEach((value, i) => {
      const at = share(value);
      // Round numbers too near to an end would run into its number.
      if (i > 0 && i < values.length - 1 && (at < 0.2 || at > 0.78)) return;
      const mark = el("span", { style: `left:${100 * at}%` }, number(value, 3));
      if (i > 0 && i === values.length - 1) mark.className = "end";
      marks.append(mark);
    });
    this.element.replaceChildren(
      el("div", { class: "title" }, `${scale.title}${scale.unit ? ` [${scale.unit}]` : ""}${log ? ", logarithmic" : ""}`),
      el("div", { class: "bar", style: `background:${mapGradient("to right")}` }),
      marks,
    );
  }
}

function decades(low: number, high: number): number[] {
  const marks: number[] = [];
  for (let e = Math.ceil(Math.log10(low)); e <= Math.log10(high); e++) marks.push(10 ** e);
  return marks;
}

/** An arrow of a round number of newtons, as long as such a force is drawn at the middle of the picture. */
export class ArrowLegend {
  readonly element = el("div", { class: "legend arrow-legend" });
  private readonly title: HTMLElement;
  private readonly shaft = el("div", { class: "shaft" });
  private readonly value = el("div", { class: "number" });

  constructor(title: string, colour: [number, number, number]) {
    this.title = el("div", { class: "title" }, title);
    this.element.style.setProperty("--arrow", `rgb(${colour.map((c) => Math.round(255 * c)).join(" ")})`);
    this.element.append(this.title, this.shaft, this.value);
  }

  show(visible: boolean, metresPerNewton: number, metresPerPixel: number): void {
    this.element.hidden = !visible || !(metresPerNewton > 0);
    if (this.element.hidden) return;
    const pixelsPerNewton = metresPerNewton / metresPerPixel;
    const force = roundDown(110 / pixelsPerNewton);
    this.shaft.style.width = `${Math.max(4, force * pixelsPerNewton - 6)}px`;
    setText(this.value, `${number(force)} N`);
  }
}

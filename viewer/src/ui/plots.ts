/** Plots over time. The curves are drawn once a size; the cursor is an element of its own that moves with the clock. */
import { curveColour } from "../colour";
import type { Player } from "../player";
import type { Plot, Run } from "../data/run";
import { number, ticks } from "../numbers";
import { button, el, setText } from "./dom";

const LEFT = 52;
const RIGHT = 8;
const TOP = 5;
const BOTTOM = 17;

export class Plots {
  readonly element = el("div", { class: "plots", role: "group", "aria-label": "Plots" });
  private readonly cards: Card[];

  constructor(run: Run, player: Player) {
    this.cards = run.seriesTime.length > 0 ? run.series.map((plot, i) => new Card(plot, i, run.seriesTime, player)) : [];
    this.element.append(...this.cards.map((card) => card.element));
    new ResizeObserver(() => this.redraw()).observe(this.element);
  }

  get count(): number {
    return this.cards.length;
  }
  redraw(): void {
    if (!this.element.hidden) for (const card of this.cards) card.redraw();
  }
  update(): void {
    if (!this.element.hidden) for (const card of this.cards) card.moveCursor();
  }
}

class Card {
  readonly element: HTMLElement;
  private readonly canvas = el("canvas");
  private readonly cursor = el("div", { class: "cursor" });
  private readonly area: HTMLElement;
  private readonly values: HTMLElement[] = [];
  private readonly logButton: HTMLButtonElement;
  private log: boolean;
  private readonly first: number;
  private readonly last: number;

  constructor(
    private readonly plot: Plot,
    index: number,
    private readonly time: Float64Array,
    private readonly player: Player,
  ) {
    this.log = plot.log;
    // The axis is that of the scrubber, so that both cursors agree.
    this.first = Math.min(time[0], player.first);
    this.last = Math.max(time[time.length - 1], player.last);
    const heading = plot.unit ? `${plot.title} [${plot.unit}]` : plot.title;
    this.logButton = button("log", `Logarithmic scale for ${plot.title}`, () => {
      this.log = !this.log;
      this.redraw();
    });
    this.area = el("div", { class: "draw", role: "img", "aria-label": `${heading} over time; click to go there` }, this.canvas, this.cursor);
    const keys = el("div", { class: "keys" });
    plot.curves.forEach((curve, i) => {
      const value = el("span", {}, "");
      this.values.push(value);
      keys.append(el("span", {}, el("i", { style: `background:${curveColour(i)}` }), plot.curves.length > 1 ? `${curve.name} ` : "", value));
    });
    this.element = el("div", { class: "plot", id: `plot-${index}` }, el("header", {}, el("b", { title: heading }, heading), this.logButton), this.area, keys);
    const scrub = (event: PointerEvent) => {
      const box = this.area.getBoundingClientRect();
      const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT - RIGHT);
      player.seek(this.first + share * (this.last - this.first));
    };
    this.area.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      scrub(event);
      if (event.pointerType === "mouse") this.area.setPointerCapture(event.pointerId);
    });
    this.area.addEventListener("pointermove", (event) => {
      if (this.area.hasPointerCapture(event.pointerId)) scrub(event);
    });
  }

  moveCursor(): void {
    const width = this.area.clientWidth - LEFT - RIGHT;
    const span = this.last - this.first;
    const share = span > 0 ? (this.player.time - this.first) / span : 0;
    this.cursor.style.transform = `translateX(${LEFT + share * width}px)`;
    const at = lastAtOrBefore(this.time, this.player.time);
    this.plot.curves.forEach((curve, i) => setText(this.values[i], at < 0 ? "" : number(curve.values[at])));
  }

  redraw(): void {
    this.logButton.setAttribute("aria-pressed", String(this.log));
    const width = this.area.clientWidth;
    const height = this.area.clientHeight;
    if (width === 0) return;
    const ratio = Math.min(window.devicePixelRatio, 2);
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    if (!pen) return;
    pen.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const faint = style.getPropertyValue("--line");
    pen.fillStyle = style.getPropertyValue("--dim");
    pen.font = "10px system-ui, sans-serif";
    pen.lineWidth = 1;

    const { low, high } = this.range();
    const right = width - RIGHT;
    const bottom = height - BOTTOM;
    const x = (t: number) => LEFT + ((t - this.first) / (this.last - this.first || 1)) * (right - LEFT);
    const y = (v: number) => bottom - ((v - low) / (high - low)) * (bottom - TOP);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    for (const mark of ticks(low, high, 4)) {
      if (this.log && Math.abs(mark - Math.round(mark)) > 1e-9) continue;
      const at = Math.round(y(mark)) + 0.5;
      line(pen, faint, LEFT, at, right, at);
      pen.fillText(number(this.log ? 10 ** mark : mark, 3), LEFT - 5, at);
    }
    pen.textAlign = "center";
    pen.textBaseline = "top";
    for (const mark of ticks(this.first, this.last, Math.max(2, Math.floor(width / 80)))) {
      const at = Math.round(x(mark)) + 0.5;
      line(pen, faint, at, TOP, at, bottom);
      pen.fillText(number(mark, 3) + (mark === 0 ? " s" : ""), Math.min(right - 8, at), bottom + 4);
    }
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, TOP - 1, right - LEFT, bottom - TOP + 2);
    pen.clip();
    this.plot.curves.forEach((curve, i) => this.drawCurve(pen, curve.values, curveColour(i), x, y));
    pen.restore();
    this.moveCursor();
  }

  /** Smallest and largest value; of logarithms on a logarithmic scale, where values at or below zero are gaps. */
  private range(): { low: number; high: number } {
    let low = Infinity;
    let high = -Infinity;
    for (const { values } of this.plot.curves) {
      for (let i = 0; i < values.length; i++) {
        const v = this.log ? Math.log10(values[i]) : values[i];
        if (!Number.isFinite(v)) continue;
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (low > high) return { low: 0, high: 1 };
    if (this.log) return { low: Math.floor(low), high: Math.max(Math.floor(low) + 1, Math.ceil(high)) };
    const margin = high > low ? 0.05 * (high - low) : Math.abs(high) * 0.1 || 1;
    return { low: low - margin, high: high + margin };
  }

  /** One stroke through the smallest and largest value of each column of pixels: peaks survive however many steps there are. */
  private drawCurve(pen: CanvasRenderingContext2D, values: Float64Array, colour: string, x: (t: number) => number, y: (v: number) => number): void {
    pen.strokeStyle = colour;
    pen.lineWidth = 1.4;
    pen.lineJoin = "round";
    pen.beginPath();
    let open = false;
    let column = NaN;
    let least = 0;
    let most = 0;
    for (let i = 0; i < values.length; i++) {
      const v = this.log ? Math.log10(values[i]) : values[i];
      if (!Number.isFinite(v)) {
        open = false;
        column = NaN;
        continue;
      }
      const px = x(this.time[i]);
      const py = y(v);
      const here = Math.floor(px * 2);
      if (open && here === column) {
        // Only new extremes of the column are drawn.
        if (py >= least && py <= most) continue;
        least = Math.min(least, py);
        most = Math.max(most, py);
      } else {
        column = here;
        least = most = py;
      }
      if (open) pen.lineTo(px, py);
      else {
        pen.moveTo(px, py);
        pen.lineTo(px + 0.01, py);
      }
      open = true;
    }
    pen.stroke();
  }
}

function line(pen: CanvasRenderingContext2D, colour: string, x1: number, y1: number, x2: number, y2: number): void {
  pen.strokeStyle = colour;
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
  pen.stroke();
}

function lastAtOrBefore(times: Float64Array, time: number): number {
  let low = -1;
  let high = times.length - 1;
  // A breath of tolerance: the time of a frame and of its step may differ in the last bit.
  const limit = time + 1e-9 * Math.max(1, Math.abs(time));
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

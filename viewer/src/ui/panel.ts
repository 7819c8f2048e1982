/** The panel at the side: selection, what is shown, colours, forces, facts. */
import { MODES, type Mode } from "../colouring";
import type { Run } from "../data/run";
import type { Options } from "../options";
import { count } from "../numbers";
import { el } from "./dom";

type Flag = { [K in keyof Options]: Options[K] extends boolean ? K : never }[keyof Options];

export class Panel {
  readonly element = el("aside", { class: "panel", id: "panel", "aria-label": "Panel" });
  private readonly boxes = new Map<Flag, HTMLInputElement>();

  constructor(
    run: Run,
    private readonly options: Options,
    top: HTMLElement[],
    private readonly changed: () => void,
    available: Flag[],
  ) {
    this.element.append(el("section", {}, el("h2", {}, "Selection"), ...top));
    const labels: [Flag, string][] = [
      ["bodies", "bodies"],
      ["walls", "walls"],
      ["planes", "planes"],
      ["flexible", "flexible"],
      ["edges", "mesh edges"],
      ["contacts", "contact forces"],
      ["joints", "joints"],
      ["jointForces", "joint forces"],
      ["forcesInFront", "forces in front"],
      ["interpolate", "interpolate"],
    ];
    const checks = el("div", { class: "checks" });
    for (const [flag, label] of labels) if (available.includes(flag)) checks.append(this.check(flag, label));
    this.element.append(el("section", {}, el("h2", {}, "Show"), checks));

    const colours = el("section", {}, el("h2", {}, "Colour"));
    const modes = MODES.filter((mode) => mode !== "contact force" || run.contacts !== null);
    if (run.bodies.length > 0) colours.append(this.choice("bodies by", "colour-mode", [...modes], options.colour, (value) => (options.colour = value as Mode)));
    const fields = [...new Set(run.flexible.flatMap((body) => body.fields.map((field) => field.name)))];
    if (fields.length > 0) colours.append(this.choice("flexible by", "field", ["body", ...fields], options.field || "body", (value) => (options.field = value === "body" ? "" : value)));
    this.element.append(colours);

    if (available.includes("contacts") || available.includes("jointForces")) {
      const slider = el("input", { type: "range", id: "arrow-scale", min: "-2", max: "2", step: "0.05", value: "0", "aria-label": "Length of force arrows" });
      slider.addEventListener("input", () => {
        options.arrowFactor = 10 ** Number(slider.value);
        this.changed();
      });
      this.element.append(el("section", {}, el("h2", {}, "Forces"), el("label", { class: "row" }, "length of arrows", slider)));
    }
    const facts = el("dl", { id: "facts" });
    const own: [string, string][] = [
      ["bodies", count(run.bodies.length + run.flexible.length)],
      ["frames shown", count(run.frames.count)],
      ["page made by", run.program],
    ];
    const given = new Set(run.facts.map(([name]) => name));
    for (const [name, value] of [...run.facts, ...own.filter(([name]) => !given.has(name))]) facts.append(el("dt", {}, name), el("dd", {}, value));
    this.element.append(el("section", {}, el("h2", {}, "Facts"), facts));
  }

  toggle(flag: Flag): void {
    const box = this.boxes.get(flag);
    if (!box) return;
    box.checked = this.options[flag] = !this.options[flag];
    this.changed();
  }

  private check(flag: Flag, label: string): HTMLElement {
    const box = el("input", { type: "checkbox", id: `show-${flag}` });
    box.checked = this.options[flag];
    box.addEventListener("change", () => {
      this.options[flag] = box.checked;
      this.changed();
    });
    this.boxes.set(flag, box);
    return el("label", {}, box, label);
  }

  private choice(label: string, id: string, values: string[], current: string, choose: (value: string) => void): HTMLElement {
    const select = el("select", { id, "aria-label": `Colour ${label}` }, ...values.map((value) => el("option", { value }, value)));
    select.value = current;
    select.addEventListener("change", () => {
      choose(select.value);
      this.changed();
    });
    return el("label", { class: "row" }, label, select);
  }
}

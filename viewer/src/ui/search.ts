/** Finds bodies by name: every word typed must occur. */
import { nameOf, type Run } from "../data/run";
import { button, el } from "./dom";

const LISTED = 30;

export class Search {
  readonly element = el("div", {});
  readonly input = el("input", { type: "search", id: "search", placeholder: "Find a body (/)", "aria-label": "Find a body by name" });
  private readonly results = el("div", { class: "results" });

  constructor(
    private readonly run: Run,
    private readonly select: (index: number) => void,
  ) {
    this.element.append(this.input, this.results);
    this.input.addEventListener("input", () => this.find());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.results.querySelector("button")?.click();
      if (event.key === "Escape") this.clear();
    });
  }

  private clear(): void {
    this.input.value = "";
    this.results.replaceChildren();
    this.input.blur();
  }

  private find(): void {
    const words = this.input.value.toLowerCase().split(/\s+/).filter(Boolean);
    this.results.replaceChildren();
    if (words.length === 0) return;
    const total = this.run.bodies.length + this.run.flexible.length;
    let found = 0;
    for (let i = 0; i < total; i++) {
      const name = nameOf(this.run, i);
      const lower = name.toLowerCase();
      if (!words.every((word) => lower.includes(word))) continue;
      if (++found > LISTED) continue;
      this.results.append(
        button(name, `Select ${name}`, () => {
          this.select(i);
          this.clear();
        }),
      );
    }
    if (found === 0) this.results.append(el("span", { class: "dim" }, "No body has this name."));
    if (found > LISTED) this.results.append(el("span", { class: "dim" }, `and ${found - LISTED} more`));
  }
}

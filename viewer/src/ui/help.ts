/** The overlay with the keys and what the mouse and fingers do. */
import { el } from "./dom";

export const KEYS: [string, string][] = [
  ["space", "play or pause"],
  ["← →", "one frame back or on; with shift ten"],
  ["home end", "first or last frame"],
  ["[ ]", "slower or faster"],
  ["O", "loop"],
  ["1 2 3 4", "views: iso, front, side, top"],
  ["F", "fit what moves into the picture"],
  ["G", "follow the selected body"],
  ["/", "find a body by name"],
  ["esc", "clear the selection"],
  ["B W X C J", "show bodies, walls, flexible bodies, contact forces, joints"],
  ["P", "plots"],
  ["I", "panel"],
  ["L", "light or dark"],
  ["?", "this help"],
];

export class Help {
  readonly element = el("dialog", { id: "help", "aria-label": "Help" });

  constructor(program: string) {
    const list = el("dl");
    for (const [keys, what] of KEYS) list.append(el("dt", {}, ...keys.split(" ").flatMap((key) => [el("kbd", {}, key), " "])), el("dd", {}, what));
    this.element.append(
      el("h2", {}, "Keys"),
      list,
      el("p", {}, "Drag turns, right drag or two fingers move, scroll or pinch zooms. A click or tap selects a body. A click into a plot goes to that time."),
      el("p", { class: "dim" }, `Made by ${program}. Drawn with three.js, MIT licence (in the source of this page).`),
      el("form", { method: "dialog" }, el("button", { autofocus: "" }, "Close")),
    );
  }

  toggle(): void {
    if (this.element.open) this.element.close();
    else this.element.showModal();
  }
}

/** What the reader must know of the run: what was left out and what is damaged. Each note stays until it is dismissed. */
import { button, el } from "./dom";

export function notes(texts: string[]): HTMLElement {
  const list = el("div", { class: "notes", role: "region", "aria-label": "Notes on this run" });
  for (const text of texts) {
    const note = el("div", { class: "note" }, el("p", {}, text));
    note.append(button("✕", "Dismiss this note", () => note.remove()));
    list.append(note);
  }
  return list;
}

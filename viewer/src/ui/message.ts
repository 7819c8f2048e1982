/** The one thing on the page while nothing else can be shown: progress, or what went wrong and what to do. */
import { PageError } from "../data/error";
import { el } from "./dom";

function place(): HTMLElement {
  return document.getElementById("message") as HTMLElement;
}

export function showProgress(text: string): void {
  place().textContent = text;
}

export function showError(error: unknown): void {
  const known = error instanceof PageError;
  place().setAttribute("role", "alert");
  place().replaceChildren(
    el("h1", {}, known ? error.headline : "The viewer failed"),
    el("p", {}, error instanceof Error ? error.message : String(error)),
    el("p", { class: "dim" }, known ? error.advice : "Please report this with the page."),
  );
  place().hidden = false;
}

export function hideMessage(): void {
  place().hidden = true;
}

/** Keys. Those typed into a field, or with control, alt or command held, are not for the viewer. */

export type Keys = Record<string, (event: KeyboardEvent) => void>;

export function listen(keys: Keys): void {
  // A button or box pressed with the mouse gives the keys back: space is to play, not to press it again. Presses by keyboard (detail 0) keep their focus.
  document.addEventListener("click", (event) => {
    const target = event.target as HTMLElement;
    const pressed = target.closest<HTMLElement>("button, input[type=checkbox]");
    if (event.detail > 0 && pressed && !pressed.closest("dialog")) pressed.blur();
  });
  document.addEventListener("keydown", (event) => {
    // An open dialog has its own keys; only the one that opened it closes it too.
    if (document.querySelector("dialog[open]") && event.key !== "?") return;
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const target = event.target as HTMLElement;
    if (target instanceof HTMLInputElement && target.type === "search") return;
    // Fields and buttons keep the keys they live by.
    if (target instanceof HTMLSelectElement && /^(Arrow|Home|End| |.$)/.test(event.key)) return;
    if (target instanceof HTMLInputElement && target.type === "range" && target.id !== "scrub" && /^(Arrow|Home|End)/.test(event.key)) return;
    if (event.key === " " && (target instanceof HTMLButtonElement || (target instanceof HTMLInputElement && target.type === "checkbox"))) return;
    const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action(event);
  });
}

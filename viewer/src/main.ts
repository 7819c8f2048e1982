/** Start of the page: reads the data, shows the first frame, and says what is wrong if that fails. */
import { App } from "./app";
import { decode } from "./data/decode";
import { PageError } from "./data/error";
import { unpack } from "./data/unpack";
import { emptyHook, fillHook, type Hook } from "./hook";
import { hideMessage, showError, showProgress } from "./ui/message";

declare global {
  interface Window {
    signorini: Hook;
  }
}

async function start(): Promise<void> {
  performance.mark("started");
  const holder = document.getElementById("signorini-data");
  const text = holder?.textContent?.trim() ?? "";
  // The placeholder is written in pieces: the page must hold it once only, where the data goes.
  if (text === "" || text.startsWith("@" + "@")) {
    throw new PageError("There is no run in this page", "This is the empty viewer.", "Make a page of a run with `signorini view`.");
  }
  const buffer = await unpack(text, (share) => showProgress(`Reading … ${Math.round(100 * share)} %`));
  // The text is no longer needed and may be large.
  holder?.remove();
  showProgress("Preparing the picture …");
  performance.mark("unpacked");
  const run = decode(buffer);
  performance.mark("decoded");
  document.title = `${run.title} · Signorini`;
  const root = document.getElementById("app") as HTMLElement;
  const app = new App(run, root);
  performance.mark("built");
  fillHook(window.signorini, app, run);
  app.tick(performance.now());
  performance.mark("drawn");
  hideMessage();
  window.signorini.firstFrameMs = performance.now();
  const loop = (now: number) => {
    app.tick(now);
    requestAnimationFrame(loop);
  };
  requestAnimationFrame(loop);
}

// The message before the first frame is already in the reader's colours.
document.documentElement.dataset.theme = window.matchMedia("(prefers-color-scheme: light)").matches ? "light" : "dark";
const ready = start();
window.signorini = emptyHook(ready);
ready.catch((error: unknown) => {
  document.getElementById("app")?.setAttribute("hidden", "");
  showError(error);
});

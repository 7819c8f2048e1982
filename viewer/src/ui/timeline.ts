/** The bar of time: play, steps, scrubber, speed, loop and the clock. */
import { SPEEDS, type Player } from "../player";
import type { Run } from "../data/run";
import { count } from "../numbers";
import { button, el, icon, setText } from "./dom";

const PLAY = "M3.5 1.8v12.4L14 8z";
const PAUSE = "M3 2h3.5v12H3zM9.5 2H13v12H9.5z";
const BACK = "M12 2v12L5.5 8zM3 2h2v12H3z";
const FORWARD = "M4 2v12l6.5-6zM11 2h2v12h-2z";
const LOOP = "M4 4h7V1.5L15 5l-4 3.500V6H5v3H3V5a1 1 0 0 1 1-1zm8 8H5v2.500L1 11l4-3.500V10h6V7h2v4a1 1 0 0 1-1 1z";

export class Timeline {
  readonly element = el("div", { class: "time", role: "group", "aria-label": "Time" });
  private readonly playButton: HTMLButtonElement;
  private readonly playPath: SVGPathElement;
  private readonly loopButton: HTMLButtonElement;
  private readonly scrub: HTMLInputElement;
  private readonly speed: HTMLSelectElement;
  private readonly clock = el("span", { class: "clock", "aria-live": "off" });

  constructor(
    private readonly run: Run,
    private readonly player: Player,
  ) {
    const playIcon = icon(PLAY);
    this.playPath = playIcon.firstChild as SVGPathElement;
    this.playButton = button(playIcon, "Play (space)", () => player.toggle(), { class: "play", id: "play" });
    this.scrub = el("input", {
      type: "range",
      class: "scrub",
      id: "scrub",
      "aria-label": "Time",
      min: String(player.first),
      max: String(player.last),
      step: "any",
    });
    this.scrub.addEventListener("input", () => player.seek(Number(this.scrub.value)));
    this.speed = el("select", { "aria-label": "Speed", title: "Speed ([ and ])", id: "speed" });
    for (const speed of SPEEDS) this.speed.append(el("option", { value: String(speed) }, `${speed}×`));
    this.speed.addEventListener("change", () => player.setSpeed(Number(this.speed.value)));
    this.loopButton = button(icon(LOOP), "Loop (O)", () => this.toggleLoop(), { id: "loop" });
    this.element.append(
      this.playButton,
      button(icon(BACK), "One frame back (←)", () => player.step(-1), { id: "back" }),
      button(icon(FORWARD), "One frame on (→)", () => player.step(1), { id: "forward" }),
      this.scrub,
      this.clock,
      this.speed,
      this.loopButton,
    );
    if (run.frames.count < 2) for (const control of [this.playButton, this.scrub]) control.disabled = true;
    this.update();
  }

  toggleLoop(): void {
    this.player.loop = !this.player.loop;
    this.update();
  }

  update(): void {
    const { player, run } = this;
    this.playPath.setAttribute("d", player.playing ? PAUSE : PLAY);
    const label = player.playing ? "Pause (space)" : "Play (space)";
    if (this.playButton.title !== label) {
      this.playButton.title = label;
      this.playButton.setAttribute("aria-label", label);
    }
    this.loopButton.setAttribute("aria-pressed", String(player.loop));
    this.scrub.value = String(player.time);
    this.speed.value = String(player.speed);
    const digits = decimals(player.last - player.first);
    const text = `${player.time.toFixed(digits)} / ${player.last.toFixed(digits)} s · frame ${player.frame + 1} of ${run.frames.count}`;
    setText(this.clock, text);
    this.clock.title = `${count(run.frames.step[player.frame])} steps taken`;
    this.scrub.setAttribute("aria-valuetext", `${player.time.toFixed(digits)} seconds`);
  }
}

/** Enough digits to tell a thousand moments apart. */
function decimals(span: number): number {
  return span > 0 ? Math.min(9, Math.max(0, Math.ceil(3 - Math.log10(span)))) : 3;
}

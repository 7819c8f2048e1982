/** The viewer of one run: ties the clock, the scene and the panels together. */
import * as THREE from "three";
import { oklch } from "./colour";
import type { Run } from "./data/run";
import type { Options } from "./options";
import { Player } from "./player";
import { VIEWS, type View } from "./scene/cameras";
import { pick } from "./scene/picking";
import { Stage } from "./scene/stage";
import { World } from "./scene/world";
import { button, el } from "./ui/dom";
import { Help } from "./ui/help";
import { listen } from "./ui/keyboard";
import { ArrowLegend, ColourBar } from "./ui/legends";
import { notes } from "./ui/notes";
import { Panel } from "./ui/panel";
import { Plots } from "./ui/plots";
import { Readout } from "./ui/readout";
import { Search } from "./ui/search";
import { Themes } from "./ui/theme";
import { Timeline } from "./ui/timeline";

const VIEW_NAMES: Record<View, string> = { iso: "Iso", front: "Front", side: "Side", top: "Top", fit: "Fit" };
/** Above this many instances smoothing of edges costs more than it shows. */
const SMOOTH_LIMIT = 20000;
/** Read-outs change at most this often while playing [ms]: faster cannot be read. */
const READOUT_PERIOD = 100;
const PHONE = 760;

export class App {
  readonly player: Player;
  readonly world: World;
  readonly stage: Stage;
  selected = -1;
  following = false;
  private readonly themes: Themes;
  private readonly options: Options;
  private readonly timeline: Timeline;
  private readonly plots: Plots;
  private readonly panel: Panel;
  private readonly readout: Readout;
  private readonly search: Search;
  private readonly help: Help;
  private readonly bodyBar = new ColourBar();
  private readonly fieldBar = new ColourBar();
  private readonly contactLegend = new ArrowLegend("contact force", oklch(0.78, 0.15, 70));
  private readonly jointLegend = new ArrowLegend("joint force", oklch(0.7, 0.14, 300));
  private readonly plotsButton: HTMLButtonElement;
  private readonly panelButton: HTMLButtonElement;
  private readonly followed = new THREE.Vector3();
  private readonly scratch = new THREE.Vector3();
  private stale = true;
  private lastTick = 0;
  private lastReadout = 0;

  constructor(
    private readonly run: Run,
    private readonly root: HTMLElement,
  ) {
    const fields = [...new Set(run.flexible.flatMap((body) => body.fields.map((field) => field.name)))];
    this.options = {
      bodies: true,
      walls: true,
      planes: true,
      flexible: true,
      edges: true,
      // Thousands of arrows hide what they belong to.
      contacts: run.contacts !== null && run.contacts.gap.length <= 200 * run.frames.count,
      joints: true,
      jointForces: false,
      forcesInFront: true,
      interpolate: true,
      colour: "body",
      field: fields.find((name) => /stress|tension/i.test(name)) ?? fields[0] ?? "",
      arrowFactor: 1,
    };
    this.player = new Player(run);
    this.world = new World(run);
    this.themes = new Themes(() => this.applyTheme());
    this.help = new Help(run.program);
    this.search = new Search(run, (i) => this.select(i));
    this.readout = new Readout(run, { follow: () => this.toggleFollow(), clear: () => this.select(-1), select: (i) => this.select(i) });
    this.panel = new Panel(run, this.options, [this.search.element, this.readout.element], () => this.optionsChanged(), this.available());
    this.timeline = new Timeline(run, this.player);
    this.plots = new Plots(run, this.player);

    const area = el("main", { class: "stage", id: "stage" });
    this.plotsButton = button("Plots", "Plots (P)", () => this.togglePlots(), { id: "plots-button" });
    this.panelButton = button("Panel", "Panel (I)", () => this.togglePanel(), { id: "panel-button" });
    this.root.append(this.head(), area, this.panel.element, el("div", { class: "dock" }, this.plots.element, this.timeline.element), this.help.element);
    const phone = window.innerWidth <= PHONE;
    this.root.classList.toggle("folded", phone);
    this.plots.element.hidden = this.plots.count === 0 || phone;
    this.plotsButton.hidden = this.plots.count === 0;
    this.showPressed();
    this.root.hidden = false;

    this.stage = new Stage(area, run.gravity, this.world.box, run.bodies.length < SMOOTH_LIMIT);
    area.append(this.views(), el("div", { class: "legends" }, this.bodyBar.element, this.fieldBar.element, this.contactLegend.element, this.jointLegend.element), notes(run.notes));
    this.world.addTo(this.stage);
    this.stage.onResize(() => this.plots.redraw());
    this.player.onChange(() => {
      this.stale = true;
      this.timeline.update();
      this.plots.update();
    });
    this.listenToPointer();
    this.listenToKeys();
    this.optionsChanged();
    this.applyTheme();
    this.stage.setView("iso");
  }

  /** Draws now if anything changed; called for every picture of the screen. */
  tick(now: number): void {
    // A page that was in the background for an hour does not jump by an hour.
    const seconds = Math.min(0.25, Math.max(0, (now - this.lastTick) / 1000));
    this.lastTick = now;
    this.player.advance(seconds);
    if (this.stale) this.refresh(now);
    if (this.stage.dirty) {
      const perPixel = this.stage.metresPerPixel;
      this.contactLegend.show(this.options.contacts, this.world.contacts.scale, perPixel);
      this.jointLegend.show(this.options.jointForces, this.world.forceScale(this.options), perPixel);
      this.world.arrange(this.stage, this.player.frame);
      this.stage.draw();
    }
  }

  select(index: number): void {
    this.selected = index >= 0 && index < this.run.bodies.length + this.run.flexible.length ? index : -1;
    if (this.selected < 0) this.following = false;
    if (this.following) this.world.centre(this.selected, this.followed);
    this.stale = true;
    this.lastReadout = 0;
  }

  setCamera(view: View): void {
    this.stage.setView(view, this.world.now());
  }

  private refresh(now: number): void {
    this.stale = false;
    const { frame, blend } = this.player;
    this.world.update(frame, blend, this.options, this.selected, this.themes.current);
    if (this.following && this.selected >= 0) {
      this.world.centre(this.selected, this.scratch);
      this.stage.shift(this.followed.subVectors(this.scratch, this.followed));
      this.followed.copy(this.scratch);
    }
    if (!this.player.playing || now - this.lastReadout > READOUT_PERIOD) {
      this.lastReadout = now;
      this.readout.show(this.selected, frame, this.world.poses, this.following, (i) => this.world.centre(this.run.bodies.length + i, this.scratch).toArray());
    }
    this.stage.dirty = true;
  }

  private optionsChanged(): void {
    this.player.interpolate = this.options.interpolate;
    if (!this.options.interpolate) this.player.blend = 0;
    this.world.apply(this.options, this.stage);
    this.bodyBar.show(this.world.bodyScale(this.options));
    this.fieldBar.show(this.options.flexible ? this.world.fieldScale(this.options.field) : null);
    this.stale = true;
  }

  private applyTheme(): void {
    const theme = this.themes.current;
    this.stage.colours = theme;
    this.world.theme(theme);
    this.plots.redraw();
    this.stale = true;
  }

  private toggleFollow(): void {
    this.following = !this.following && this.selected >= 0;
    if (this.following) this.world.centre(this.selected, this.followed);
    this.stale = true;
    this.lastReadout = 0;
  }

  private togglePlots(): void {
    if (this.plots.count === 0) return;
    this.plots.element.hidden = !this.plots.element.hidden;
    this.showPressed();
    this.plots.redraw();
  }

  private togglePanel(): void {
    this.root.classList.toggle("folded");
    this.showPressed();
  }

  private showPressed(): void {
    const phone = window.innerWidth <= PHONE;
    const folded = this.root.classList.contains("folded");
    this.panel.element.hidden = phone && folded;
    this.panelButton.setAttribute("aria-pressed", String(!folded));
    this.plotsButton.setAttribute("aria-pressed", String(!this.plots.element.hidden));
  }

  private available(): ("bodies" | "walls" | "planes" | "flexible" | "edges" | "contacts" | "joints" | "jointForces" | "forcesInFront" | "interpolate")[] {
    const { run, world } = this;
    const list: ReturnType<App["available"]> = [];
    if (world.bodies.solids.children.length > 0) list.push("bodies");
    if (world.bodies.walls.children.length > 0) list.push("walls");
    if (world.floors.count > 0) list.push("planes");
    if (run.flexible.length > 0) list.push("flexible");
    if (world.flexible.some((view) => view.edges)) list.push("edges");
    if (run.contacts) list.push("contacts");
    if (run.joints.length > 0) list.push("joints");
    if (run.jointForces && run.joints.length > 0) list.push("jointForces");
    if (run.contacts || run.jointForces) list.push("forcesInFront");
    list.push("interpolate");
    return list;
  }

  private head(): HTMLElement {
    const { run } = this;
    const status = el("span", { class: run.status === "finished" ? "status" : "status bad" }, run.status);
    return el(
      "header",
      { class: "head" },
      el("h1", { title: run.name }, run.title),
      status,
      el("span", { class: "space" }),
      this.plotsButton,
      this.panelButton,
      button("◐", "Light or dark (L)", () => this.themes.toggle(), { id: "theme" }),
      button("?", "Help (?)", () => this.help.toggle(), { id: "help-button" }),
    );
  }

  private views(): HTMLElement {
    const group = el("div", { class: "views", role: "group", "aria-label": "Views" });
    VIEWS.forEach((view, i) => {
      const key = view === "fit" ? "F" : String(i + 1);
      group.append(button(VIEW_NAMES[view], `${VIEW_NAMES[view]} view (${key})`, () => this.setCamera(view), { id: `view-${view}` }));
    });
    return group;
  }

  /** A press that neither moves nor lasts selects; anything else is for the camera. */
  private listenToPointer(): void {
    const canvas = this.stage.renderer.domElement;
    let down: { x: number; y: number; time: number } | null = null;
    canvas.addEventListener("pointerdown", (event) => {
      down = event.isPrimary && event.button === 0 ? { x: event.clientX, y: event.clientY, time: event.timeStamp } : null;
    });
    canvas.addEventListener("pointerup", (event) => {
      if (!down || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 6 || event.timeStamp - down.time > 700) return;
      const box = canvas.getBoundingClientRect();
      const x = (2 * (event.clientX - box.left)) / box.width - 1;
      const y = 1 - (2 * (event.clientY - box.top)) / box.height;
      this.select(pick(this.stage.camera, x, y, this.world.bodies, this.world.flexible, { solids: this.options.bodies, flexible: this.options.flexible }));
      // On a phone the panel is folded away: it opens for the numbers of a body and closes with them.
      const folded = this.root.classList.contains("folded");
      if (window.innerWidth <= PHONE && folded === this.selected >= 0) this.togglePanel();
    });
  }

  private listenToKeys(): void {
    const { player, panel } = this;
    const views = Object.fromEntries((["iso", "front", "side", "top"] as const).map((view, i) => [String(i + 1), () => this.setCamera(view)]));
    listen({
      ...views,
      " ": () => player.toggle(),
      ArrowLeft: (event) => player.step(event.shiftKey ? -10 : -1),
      ArrowRight: (event) => player.step(event.shiftKey ? 10 : 1),
      Home: () => player.setFrame(0),
      End: () => player.setFrame(this.run.frames.count - 1),
      "[": () => player.faster(-1),
      "]": () => player.faster(1),
      o: () => this.timeline.toggleLoop(),
      f: () => this.setCamera("fit"),
      g: () => this.toggleFollow(),
      "/": () => {
        if (this.root.classList.contains("folded")) this.togglePanel();
        this.search.input.focus();
      },
      Escape: () => this.select(-1),
      b: () => panel.toggle("bodies"),
      w: () => panel.toggle("walls"),
      x: () => panel.toggle("flexible"),
      c: () => panel.toggle("contacts"),
      j: () => panel.toggle("joints"),
      p: () => this.togglePlots(),
      i: () => this.togglePanel(),
      l: () => this.themes.toggle(),
      "?": () => this.help.toggle(),
    });
  }
}

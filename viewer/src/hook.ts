/** What tests and scripts see of the viewer: `window.signorini`. */
import * as THREE from "three";
import type { App } from "./app";
import { VIEWS, type View } from "./scene/cameras";
import type { Run } from "./data/run";

export interface Hook {
  /** Settles when the first frame is on the screen, or fails with what is wrong. */
  ready: Promise<void>;
  /** From the start of the page to the first frame [ms]. */
  firstFrameMs: number;
  readonly frame: number;
  readonly time: number;
  readonly isPlaying: boolean;
  readonly selected: number;
  readonly counts: Record<string, number>;
  setFrame(frame: number): void;
  seek(time: number): void;
  play(): void;
  pause(): void;
  setCamera(view: string): void;
  select(index: number): void;
  bodyPosition(index: number): [number, number, number];
  /** CSS pixels of the page. */
  screenPosition(index: number): { x: number; y: number };
  camera(): { position: number[]; target: number[]; up: number[]; fov: number; left: number; top: number; width: number; height: number };
  /** Updates and draws `pictures` pictures at successive frames, waits for the graphics card, returns milliseconds a picture. */
  measure(pictures: number): number;
}

/** Before the data is read, or when it cannot be. */
export function emptyHook(ready: Promise<void>): Hook {
  const nothing = () => undefined;
  return {
    ready,
    firstFrameMs: NaN,
    frame: 0,
    time: 0,
    isPlaying: false,
    selected: -1,
    counts: {},
    setFrame: nothing,
    seek: nothing,
    play: nothing,
    pause: nothing,
    setCamera: nothing,
    select: nothing,
    bodyPosition: () => [NaN, NaN, NaN],
    screenPosition: () => ({ x: NaN, y: NaN }),
    camera: () => ({ position: [], target: [], up: [], fov: NaN, left: NaN, top: NaN, width: NaN, height: NaN }),
    measure: () => NaN,
  };
}

export function fillHook(hook: Hook, app: App, run: Run): void {
  const now = () => app.tick(performance.now());
  const read = (name: keyof Hook, get: () => unknown) => Object.defineProperty(hook, name, { get, enumerable: true, configurable: true });
  read("frame", () => app.player.frame);
  read("time", () => app.player.time);
  read("isPlaying", () => app.player.playing);
  read("selected", () => app.selected);
  read("counts", () => ({
    bodies: run.bodies.length,
    frames: run.frames.count,
    spheres: app.world.bodies.spheres?.batch.radii.length ?? 0,
    spherePoints: app.world.bodies.spheres?.batch.asPoints ?? 0,
    meshes: app.world.bodies.meshes.length,
    triangles: app.world.bodies.triangles,
    planes: app.world.floors.count,
    flexible: run.flexible.length,
    joints: run.joints.length,
    jointAxes: app.world.joints.axes,
    contacts: run.contacts ? run.contacts.start[app.player.frame + 1] - run.contacts.start[app.player.frame] : 0,
    plots: run.series.length,
    drawCalls: app.stage.renderer.info.render.calls,
  }));
  Object.assign(hook, {
    setFrame(frame: number) {
      app.player.setFrame(frame);
      now();
    },
    seek(time: number) {
      app.player.seek(time);
      now();
    },
    play: () => app.player.play(),
    pause: () => app.player.pause(),
    setCamera(view: string) {
      const known = VIEWS.find((name) => name === view);
      if (!known) throw new Error(`unknown view ${view}, expected one of ${VIEWS.join(", ")}`);
      app.setCamera(known satisfies View);
      now();
    },
    select(index: number) {
      app.select(index);
      now();
    },
    bodyPosition: (index: number) => app.world.centre(index, new THREE.Vector3()).toArray(),
    screenPosition: (index: number) => app.stage.toScreen(app.world.centre(index, new THREE.Vector3())),
    camera() {
      const { camera, controls, renderer } = app.stage;
      const box = renderer.domElement.getBoundingClientRect();
      return {
        position: camera.position.toArray(),
        target: controls.target.toArray(),
        up: camera.up.toArray(),
        fov: camera.fov,
        left: box.left,
        top: box.top,
        width: box.width,
        height: box.height,
      };
    },
    measure(pictures: number) {
      const context = app.stage.renderer.getContext();
      const pixel = new Uint8Array(4);
      const start = performance.now();
      for (let i = 0; i < pictures; i++) {
        app.player.setFrame((app.player.frame + 1) % run.frames.count);
        now();
        // Reading a pixel waits until the picture is really done.
        context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, pixel);
      }
      return (performance.now() - start) / pictures;
    },
  });
}

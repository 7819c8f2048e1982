/** Everything that is drawn of a run, and how it follows the moment shown and the options. */
import * as THREE from "three";
import { bodyColour } from "../colour";
import { Colouring } from "../colouring";
import { Poses } from "../data/poses";
import type { Field, Run } from "../data/run";
import type { Options } from "../options";
import type { Scale } from "../ui/legends";
import type { Theme } from "../ui/theme";
import { Bodies } from "./bodies";
import { ContactArrows } from "./contacts";
import { extentNow, extentOf } from "./extent";
import { FlexibleView } from "./flexible";
import { Floors } from "./floors";
import { frameOf } from "./cameras";
import { JointView } from "./joints";
import { Ring } from "./ring";
import type { Stage } from "./stage";

export class World {
  readonly poses: Poses;
  readonly bodies: Bodies;
  readonly flexible: FlexibleView[];
  readonly contacts: ContactArrows;
  readonly joints: JointView;
  readonly floors: Floors;
  readonly box: THREE.Box3;
  readonly size: number;
  private readonly ring = new Ring();
  private readonly colouring: Colouring;
  private readonly flexibleGroup = new THREE.Group();
  /** What the colours on the screen were made for. */
  private painted = "";

  constructor(private readonly run: Run) {
    this.poses = new Poses(run);
    this.poses.sample(0, 0);
    this.bodies = new Bodies(run);
    this.box = extentOf(run, this.poses, this.bodies.reach);
    this.size = this.box.getSize(new THREE.Vector3()).length() || 1;
    this.colouring = new Colouring(run);
    this.flexible = run.flexible.map((body, i) => new FlexibleView(body, bodyColour(run.bodies.length + i), run.frames.count));
    for (const view of this.flexible) this.flexibleGroup.add(view.object);
    this.contacts = new ContactArrows(run, this.size);
    this.joints = new JointView(run, this.size);
    this.floors = new Floors(run, this.box.getCenter(new THREE.Vector3()), this.size, frameOf(run.gravity).up);
  }

  addTo(stage: Stage): void {
    stage.scene.add(this.bodies.solids, this.bodies.walls, this.flexibleGroup);
    if (this.floors.count > 0) stage.scene.add(this.floors.object);
    stage.overlay.add(this.ring.object);
    if (this.run.joints.length > 0) stage.overlay.add(this.joints.object);
  }

  /** Shows or hides parts, and puts forces before or among the bodies. */
  apply(options: Options, stage: Stage): void {
    this.bodies.solids.visible = options.bodies;
    this.bodies.walls.visible = options.walls;
    this.floors.object.visible = options.planes;
    this.flexibleGroup.visible = options.flexible;
    for (const view of this.flexible) if (view.edges) view.edges.visible = options.edges;
    this.joints.object.visible = options.joints;
    this.contacts.setFactor(options.arrowFactor);
    const forces: [THREE.Object3D | undefined, boolean][] = [
      [this.run.contacts ? this.contacts.arrows.object : undefined, options.contacts],
      [this.joints.arrows?.object, options.jointForces],
    ];
    for (const [object, visible] of forces) {
      if (!object) continue;
      (options.forcesInFront ? stage.overlay : stage.scene).add(object);
      object.visible = visible;
    }
  }

  theme(theme: Theme): void {
    this.bodies.edgeColours = { solid: theme.solidEdge, wall: theme.wallEdge };
    this.floors.colours(theme.ground, theme.grid);
    this.ring.colour = theme.selected;
    for (const view of this.flexible) view.edgeColour = theme.solidEdge;
    this.painted = "";
  }

  update(frame: number, blend: number, options: Options, selected: number, theme: Theme): void {
    this.poses.sample(frame, blend);
    this.bodies.move(this.poses);
    if (this.floors.count > 0) this.floors.move(this.poses);
    if (this.run.joints.length > 0) this.joints.move(this.poses);
    if (options.contacts) this.contacts.show(frame);
    if (options.jointForces) this.joints.showForces(frame, this.forceScale(options), this.size / 380);
    const moving = options.colour === "speed" || options.colour === "contact force" ? frame : 0;
    const wanted = `${options.colour} ${moving} ${selected} ${theme.dark}`;
    if (wanted !== this.painted) {
      this.painted = wanted;
      this.colouring.update(options.colour, frame, theme.neutral, selected, theme.selected);
      this.wall = theme.wall;
      this.marked = options.colour === "body";
      this.bodies.paint(this.colouring.colours, this.wall, this.marked);
    }
    const scale = this.fieldScale(options.field);
    this.flexible.forEach((view) => view.update(frame, blend, fieldOf(view, options.field), scale?.low ?? 0, scale?.high ?? 1));
    this.mark(selected);
  }

  /** Called before a picture, when the camera stands: many spheres are drawn nearest first. */
  arrange(stage: Stage, frame: number): void {
    this.bodies.spheres?.batch.zoom(1 / stage.metresPerPixel);
    stage.camera.getWorldDirection(towards);
    if (!this.bodies.sort(stage.camera.position, towards, frame)) return;
    this.bodies.move(this.poses);
    this.bodies.paint(this.colouring.colours, this.wall, this.marked);
  }
  private wall: Theme["wall"] = [1, 1, 1];
  private marked = false;

  /** Metres a newton; joints share the scale of contacts if there are any. */
  forceScale(options: Options): number {
    if (this.contacts.scale > 0) return this.contacts.scale;
    const all = this.run.jointForces?.force;
    if (!all) return 0;
    this.largestJointForce ??= all.reduce((most, v) => Math.max(most, Math.abs(v)), 0);
    return this.largestJointForce > 0 ? (options.arrowFactor * this.size) / 6 / this.largestJointForce : 0;
  }
  private largestJointForce: number | undefined;

  bodyScale(options: Options): Scale | null {
    return options.bodies ? this.colouring.scale(options.colour) : null;
  }

  /** One range for all flexible bodies that have the field. */
  fieldScale(name: string): Scale | null {
    let scale: Scale | null = null;
    for (const view of this.flexible) {
      const field = fieldOf(view, name);
      if (!field) continue;
      if (!scale) scale = { title: field.name, unit: field.unit, low: field.low, high: field.high, log: false };
      else {
        scale.low = Math.min(scale.low, field.low);
        scale.high = Math.max(scale.high, field.high);
      }
    }
    return scale;
  }

  now(): THREE.Box3 {
    return extentNow(this.run, this.poses, this.bodies.reach, this.flexible.map((view) => view.positions));
  }

  /** Middle of a body, rigid or flexible. */
  centre(index: number, out: THREE.Vector3): THREE.Vector3 {
    if (index < this.run.bodies.length) return out.fromArray(this.poses.position, 3 * index);
    const view = this.flexible[index - this.run.bodies.length];
    out.set(0, 0, 0);
    for (let i = 0; i < view.positions.length; i += 3) out.add(point.fromArray(view.positions, i));
    return out.divideScalar(Math.max(1, view.body.nodes));
  }

  private mark(selected: number): void {
    if (selected < 0) {
      this.ring.hide();
      return;
    }
    this.centre(selected, middle);
    let radius = this.bodies.reach[selected] ?? 0;
    if (selected >= this.run.bodies.length) {
      const { positions } = this.flexible[selected - this.run.bodies.length];
      for (let i = 0; i < positions.length; i += 3) radius = Math.max(radius, point.fromArray(positions, i).distanceTo(middle));
    }
    this.ring.around(middle.x, middle.y, middle.z, radius);
  }
}

const point = new THREE.Vector3();
const middle = new THREE.Vector3();
const towards = new THREE.Vector3();

function fieldOf(view: FlexibleView, name: string): Field | null {
  return view.body.fields.find((field) => field.name === name) ?? null;
}

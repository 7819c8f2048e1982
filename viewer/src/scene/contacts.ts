/** Contact forces of the frame as arrows: from the contact point, the force on the second body. */
import { contactForceScale } from "../data/measures";
import type { Run } from "../data/run";
import { oklch } from "../colour";
import { Arrows } from "./arrows";

export class ContactArrows {
  readonly arrows: Arrows;
  /** Metres a newton at slider position 1: a typical large force is as long as a tenth of the scene. */
  private readonly natural: number;
  private shown = -1;
  scale = 0;

  constructor(
    private readonly run: Run,
    private readonly size: number,
  ) {
    const contacts = run.contacts;
    let most = 0;
    if (contacts) for (let f = 0; f < run.frames.count; f++) most = Math.max(most, contacts.start[f + 1] - contacts.start[f]);
    this.arrows = new Arrows(most, oklch(0.78, 0.15, 70));
    const { typical } = contactForceScale(run);
    this.natural = typical > 0 ? size / 10 / typical : 0;
    this.setFactor(1);
  }

  setFactor(factor: number): void {
    this.scale = this.natural * factor;
    this.arrows.setScale(this.scale, this.size / 380);
  }

  show(frame: number): void {
    const contacts = this.run.contacts;
    if (!contacts || frame === this.shown) return;
    this.shown = frame;
    this.arrows.set(contacts.point, contacts.force, contacts.start[frame], contacts.start[frame + 1]);
  }
}

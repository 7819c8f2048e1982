/** The clock of the viewer: which moment of the run is shown, and how it moves on. */
import type { Run } from "./data/run";

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 16] as const;

export class Player {
  playing = false;
  loop = true;
  interpolate = true;
  speed = 1;
  /** Time shown [s]; between frames when interpolating. */
  time: number;
  /** The last frame at or before `time`. */
  frame = 0;
  /** How far from `frame` to the next one, 0 … 1. */
  blend = 0;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly run: Run) {
    this.time = run.frames.time[0];
  }

  get first(): number {
    return this.run.frames.time[0];
  }
  get last(): number {
    return this.run.frames.time[this.run.frames.count - 1];
  }

  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  play(): void {
    if (this.run.frames.count < 2) return;
    if (this.time >= this.last) this.moveTo(this.first);
    this.playing = true;
    this.tell();
  }
  pause(): void {
    this.playing = false;
    this.tell();
  }
  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Moves on by real seconds; true if the picture changes. */
  advance(seconds: number): boolean {
    if (!this.playing) return false;
    let time = this.time + seconds * this.speed;
    if (time > this.last) {
      const span = this.last - this.first;
      if (this.loop && span > 0) time = this.first + ((time - this.first) % span);
      else {
        time = this.last;
        this.playing = false;
      }
    }
    this.moveTo(time);
    this.tell();
    return true;
  }

  seek(time: number): void {
    this.moveTo(Math.min(this.last, Math.max(this.first, time)));
    this.tell();
  }

  setFrame(frame: number): void {
    const bounded = Math.min(this.run.frames.count - 1, Math.max(0, Math.round(frame)));
    this.time = this.run.frames.time[bounded];
    this.frame = bounded;
    this.blend = 0;
    this.tell();
  }

  step(frames: number): void {
    this.playing = false;
    // From between two frames, a step back goes to the one before, a step forward to the one after.
    const from = frames < 0 && this.blend > 0 ? this.frame + 1 : this.frame;
    this.setFrame(from + frames);
  }

  setSpeed(speed: number): void {
    this.speed = Math.min(SPEEDS[SPEEDS.length - 1], Math.max(SPEEDS[0], speed));
    this.tell();
  }
  faster(steps: number): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed);
    this.setSpeed(SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at + steps))]);
  }

  private moveTo(time: number): void {
    const times = this.run.frames.time;
    let low = 0;
    let high = times.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (times[middle] <= time) low = middle;
      else high = middle - 1;
    }
    this.time = time;
    this.frame = low;
    const span = low + 1 < times.length ? times[low + 1] - times[low] : 0;
    this.blend = this.interpolate && span > 0 ? Math.min(1, (time - times[low]) / span) : 0;
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

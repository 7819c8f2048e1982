/** Where every rigid body is at a moment: between two frames positions go straight and rotations by normalised interpolation. */
import type { Run } from "./run";

export class Poses {
  readonly position: Float32Array;
  readonly rotation: Float32Array;

  constructor(private readonly run: Run) {
    const n = run.bodies.length;
    this.position = new Float32Array(n * 3);
    this.rotation = new Float32Array(n * 4);
    run.bodies.forEach((body, i) => {
      this.position.set(body.pose.slice(0, 3), i * 3);
      this.rotation.set(body.pose.slice(3, 7), i * 4);
    });
  }

  /** Poses at `frame` + `blend` (0 … 1). Allocates nothing: it runs for every picture. */
  sample(frame: number, blend: number): void {
    const motion = this.run.motion;
    if (!motion) return;
    const n = motion.bodies.length;
    const next = blend > 0 && frame + 1 < this.run.frames.count ? frame + 1 : frame;
    const near = 1 - blend;
    const sx = (motion.high[0] - motion.low[0]) / 65535;
    const sy = (motion.high[1] - motion.low[1]) / 65535;
    const sz = (motion.high[2] - motion.low[2]) / 65535;
    const [lx, ly, lz] = motion.low;
    const { bodies, position: p, rotation: q } = motion;
    const { position, rotation } = this;
    for (let i = 0; i < n; i++) {
      const body = bodies[i];
      const a3 = (frame * n + i) * 3;
      const b3 = (next * n + i) * 3;
      const o3 = body * 3;
      position[o3] = lx + sx * (near * p[a3] + blend * p[b3]);
      position[o3 + 1] = ly + sy * (near * p[a3 + 1] + blend * p[b3 + 1]);
      position[o3 + 2] = lz + sz * (near * p[a3 + 2] + blend * p[b3 + 2]);
      const a4 = (frame * n + i) * 4;
      const b4 = (next * n + i) * 4;
      // q and −q are the same rotation: take the one nearer to the first.
      const dot = q[a4] * q[b4] + q[a4 + 1] * q[b4 + 1] + q[a4 + 2] * q[b4 + 2] + q[a4 + 3] * q[b4 + 3];
      const far = dot < 0 ? -blend : blend;
      const x = near * q[a4] + far * q[b4];
      const y = near * q[a4 + 1] + far * q[b4 + 1];
      const z = near * q[a4 + 2] + far * q[b4 + 2];
      const w = near * q[a4 + 3] + far * q[b4 + 3];
      const norm = Math.sqrt(x * x + y * y + z * z + w * w);
      const o4 = body * 4;
      if (norm > 0) {
        rotation[o4] = x / norm;
        rotation[o4 + 1] = y / norm;
        rotation[o4 + 2] = z / norm;
        rotation[o4 + 3] = w / norm;
      }
    }
  }
}

/** Views into the body of the data. Nothing is copied; every reference is checked against the body first. */
import { damaged } from "./error";
import type { ArrayRef } from "./format";

type View<T> = { new (buffer: ArrayBuffer, offset: number, length: number): T; BYTES_PER_ELEMENT: number };

export class Arrays {
  constructor(
    private readonly buffer: ArrayBuffer,
    private readonly start: number,
  ) {}

  f32 = (ref: ArrayRef, count: number | null, name: string) => this.view(Float32Array, ref, count, name);
  f64 = (ref: ArrayRef, count: number | null, name: string) => this.view(Float64Array, ref, count, name);
  u32 = (ref: ArrayRef, count: number | null, name: string) => this.view(Uint32Array, ref, count, name);

  /** Indices, all below `limit`: an index beyond would read outside of its array later, silently. */
  indices(ref: ArrayRef, limit: number, count: number | null, name: string): Uint32Array {
    const values = this.u32(ref, count, name);
    for (let i = 0; i < values.length; i++) {
      if (values[i] >= limit) throw damaged(`${name} holds the index ${values[i]}, at most ${limit - 1} exists.`);
    }
    return values;
  }

  /** Undoes *steps* in place: frame f becomes frame f plus frame f − 1, modulo 65536 as the 16-bit arrays do by themselves. */
  u16Steps(ref: ArrayRef, frames: number, width: number, name: string): Uint16Array {
    const values = this.view(Uint16Array, ref, frames * width, name);
    for (let i = width; i < values.length; i++) values[i] += values[i - width];
    return values;
  }
  i16Steps(ref: ArrayRef, frames: number, width: number, name: string): Int16Array {
    const values = this.view(Int16Array, ref, frames * width, name);
    for (let i = width; i < values.length; i++) values[i] += values[i - width];
    return values;
  }

  private view<T>(type: View<T>, ref: ArrayRef, count: number | null, name: string): T {
    if (!ref || !Number.isSafeInteger(ref.at) || !Number.isSafeInteger(ref.count) || ref.at < 0 || ref.count < 0 || ref.at % 8 !== 0) {
      throw damaged(`${name} is not an array.`);
    }
    if (count !== null && ref.count !== count) throw damaged(`${name} has ${ref.count} numbers, ${count} are needed.`);
    const end = this.start + ref.at + ref.count * type.BYTES_PER_ELEMENT;
    if (end > this.buffer.byteLength) throw damaged(`${name} ends ${end - this.buffer.byteLength} bytes after the end of the data.`);
    return new type(this.buffer, this.start + ref.at, ref.count);
  }
}

/** From the text in the page to bytes: base64, then zlib, piece by piece so that progress can be shown. */
import { damaged, PageError } from "./error";

/** Characters a piece: a multiple of four, so that every piece is whole base64. */
const PIECE = 1 << 20;

type WithFromBase64 = { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> };

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const native = (Uint8Array as unknown as WithFromBase64).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

export async function unpack(text: string, progress: (share: number) => void): Promise<ArrayBuffer> {
  if (typeof DecompressionStream === "undefined") {
    throw new PageError(
      "This browser is too old for the viewer",
      "It cannot decompress data (DecompressionStream is missing).",
      "Open the page in Chrome or Edge 80, Firefox 113, Safari 16.4, or later.",
    );
  }
  let next = 0;
  const packed = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull(controller) {
      if (next >= text.length) {
        controller.close();
        return;
      }
      try {
        controller.enqueue(bytesOf(text.slice(next, next + PIECE)));
      } catch {
        controller.error(damaged("It holds characters that are not base64."));
        return;
      }
      next += PIECE;
      progress(Math.min(1, next / text.length));
    },
  });
  const pieces: Uint8Array[] = [];
  let total = 0;
  try {
    const reader = packed.pipeThrough(new DecompressionStream("deflate")).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      total += value.length;
    }
  } catch (error) {
    if (error instanceof PageError) throw error;
    throw damaged("It does not decompress.");
  }
  const whole = new Uint8Array(total);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole.buffer;
}

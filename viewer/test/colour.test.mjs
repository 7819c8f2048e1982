// The colour map, measured with the forward transform to OKLab; the viewer uses the inverse one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const source = fileURLToPath(new URL("../src/colour.ts", import.meta.url));
const built = await build({ entryPoints: [source], bundle: true, write: false, format: "esm" });
const { MAP } = await import(`data:text/javascript;base64,${Buffer.from(built.outputFiles[0].contents).toString("base64")}`);

function oklab(rgb) {
  const [r, g, b] = rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s, 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s, 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s];
}
const at = (k) => oklab([MAP[4 * k], MAP[4 * k + 1], MAP[4 * k + 2]]);

test("the lightness of the colour map rises all the way", () => {
  for (let k = 8; k < 256; k += 8) assert.ok(at(k)[0] > at(k - 8)[0] + 0.01, `entry ${k}`);
});

test("equal steps of the colour map look equally different", () => {
  // Over sixteen entries the rounding to bytes is below a tenth of a step.
  const distances = [];
  for (let k = 16; k < 256; k += 16) distances.push(Math.hypot(...at(k).map((v, i) => v - at(k - 16)[i])));
  const mean = distances.reduce((a, b) => a + b) / distances.length;
  for (const d of distances) assert.ok(Math.abs(d / mean - 1) < 0.15, `${distances.map((x) => x.toFixed(3))}`);
});

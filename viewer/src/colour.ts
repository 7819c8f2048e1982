/**
 * Colours made in OKLab, where equal distances look equally different [Ottosson 2020, Oklab].
 *
 * The map goes from dark violet over blue and green to yellow: lightness rises in a straight line, the hue turns with it, and the parameter is the length
 * of the path, so that equal steps of the value are equal steps of colour. It can be read in grey and by most people who confuse red and green.
 */

export type Rgb = [number, number, number];

/** OKLab → linear sRGB. */
function linearFromOklab(l: number, a: number, b: number): Rgb {
  const l3 = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m3 = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s3 = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l3 - 3.3077115913 * m3 + 0.2309699292 * s3,
    -1.2684380046 * l3 + 2.6097574011 * m3 - 0.3413193965 * s3,
    -0.0041960863 * l3 - 0.7034186147 * m3 + 1.707614701 * s3,
  ];
}

function encode(linear: number): number {
  const c = Math.min(1, Math.max(0, linear));
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}

function inside(rgb: Rgb): boolean {
  return rgb.every((c) => c >= -1e-4 && c <= 1 + 1e-4);
}

/** Lightness 0 … 1, chroma, hue in degrees → sRGB 0 … 1. Chroma is lowered until the colour exists on a screen. */
export function oklch(lightness: number, chroma: number, hue: number): Rgb {
  const angle = (hue * Math.PI) / 180;
  let c = chroma;
  let rgb = linearFromOklab(lightness, c * Math.cos(angle), c * Math.sin(angle));
  while (!inside(rgb) && c > 0) {
    c -= 0.002;
    rgb = linearFromOklab(lightness, c * Math.cos(angle), c * Math.sin(angle));
  }
  return [encode(rgb[0]), encode(rgb[1]), encode(rgb[2])];
}

const ENTRIES = 256;
const PATH = 1024;

/** 256 colours, sRGB bytes with alpha. */
export const MAP: Uint8Array<ArrayBuffer> = makeMap();

function makeMap(): Uint8Array<ArrayBuffer> {
  // Largest chroma below the gamut along the path, smoothed so that it has no corners.
  const points: { l: number; a: number; b: number }[] = [];
  const chroma: number[] = [];
  const lightness = (u: number) => 0.29 + 0.62 * u;
  const hue = (u: number) => 298 - 192 * u;
  for (let i = 0; i <= PATH; i++) {
    const u = i / PATH;
    const angle = (hue(u) * Math.PI) / 180;
    let c = 0.17;
    while (c > 0 && !inside(linearFromOklab(lightness(u), c * Math.cos(angle), c * Math.sin(angle)))) c -= 0.001;
    chroma.push(c);
  }
  const half = PATH / 16;
  for (let i = 0; i <= PATH; i++) {
    let least = Infinity;
    for (let k = Math.max(0, i - half); k <= Math.min(PATH, i + half); k++) least = Math.min(least, chroma[k]);
    const u = i / PATH;
    const angle = (hue(u) * Math.PI) / 180;
    points.push({ l: lightness(u), a: least * Math.cos(angle), b: least * Math.sin(angle) });
  }
  const length = [0];
  for (let i = 1; i <= PATH; i++) {
    const d = Math.hypot(points[i].l - points[i - 1].l, points[i].a - points[i - 1].a, points[i].b - points[i - 1].b);
    length.push(length[i - 1] + d);
  }
  const map = new Uint8Array(ENTRIES * 4);
  let at = 0;
  for (let k = 0; k < ENTRIES; k++) {
    const wanted = (k / (ENTRIES - 1)) * length[PATH];
    while (at < PATH - 1 && length[at + 1] < wanted) at++;
    const span = length[at + 1] - length[at];
    const t = span > 0 ? (wanted - length[at]) / span : 0;
    const mix = (p: number, q: number) => p + t * (q - p);
    const rgb = linearFromOklab(mix(points[at].l, points[at + 1].l), mix(points[at].a, points[at + 1].a), mix(points[at].b, points[at + 1].b));
    for (let j = 0; j < 3; j++) map[4 * k + j] = Math.round(255 * encode(rgb[j]));
    map[4 * k + 3] = 255;
  }
  return map;
}

/** Offset into `MAP` for a share 0 … 1; not-a-number counts as 0. */
export function mapOffset(share: number): number {
  const bounded = share > 0 ? Math.min(1, share) : 0;
  return 4 * Math.round(bounded * (ENTRIES - 1));
}

/** A colour of its own for each body: hues a golden angle apart differ most from their neighbours in number. */
export function bodyColour(index: number): Rgb {
  const lightness = [0.7, 0.62, 0.76][index % 3];
  return oklch(lightness, 0.115, (238 + index * 137.508) % 360);
}

/** Colour of a curve in a plot, readable on both backgrounds. */
export function curveColour(index: number): string {
  const [r, g, b] = oklch(0.66, 0.15, (250 + index * 137.508) % 360);
  return `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)})`;
}

/** The map as a CSS gradient, low end first. */
export function mapGradient(direction: string): string {
  const stops: string[] = [];
  for (let k = 0; k <= 16; k++) {
    const at = mapOffset(k / 16);
    stops.push(`rgb(${MAP[at]} ${MAP[at + 1]} ${MAP[at + 2]})`);
  }
  return `linear-gradient(${direction}, ${stops.join(", ")})`;
}

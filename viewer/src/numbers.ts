/** Numbers as people read them. */

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** Four significant digits; powers of ten outside of 10⁻³ … 10⁵. The minus sign is a real one. */
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "—" : value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e5) return String(Number(value.toPrecision(digits))).replace("-", "−");
  const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e");
  const power = exponent.replace("+", "").replace("-", "⁻").replace(/\d/g, (d) => SUPERSCRIPTS[Number(d)]);
  return `${String(Number(mantissa)).replace("-", "−")}·10${power}`;
}

/** Whole numbers in groups of three. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, "\u202f");
}

/** Three components. Digits finer than `grain`, the step the data was stored with, would be noise and are dropped. */
export function vector(v: ArrayLike<number>, grain = 0): string {
  const decimals = grain > 0 ? Math.min(15, Math.max(0, Math.floor(-Math.log10(grain)))) : -1;
  const one = (x: number) => number(decimals < 0 ? x : Number(x.toFixed(decimals)) + 0);
  return `${one(v[0])}, ${one(v[1])}, ${one(v[2])}`;
}

/** The largest of 1, 2, 5 times a power of ten that is not above `value`. */
export function roundDown(value: number): number {
  if (!(value > 0) || !Number.isFinite(value)) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const lead = value / power;
  return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/** Round numbers inside [low, high], about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [low];
  let step = roundDown(span / Math.max(1, count));
  if (span / step > count * 2) step *= 2;
  const marks: number[] = [];
  const first = Math.ceil(low / step - 1e-9);
  for (let i = first; i * step <= high + 1e-9 * span; i++) marks.push(i * step);
  return marks;
}

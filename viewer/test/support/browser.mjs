// One Chromium for all tests of a file, with software WebGL; pages are opened from files, as users do.
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { inflateSync } from "node:zlib";
import { chromium } from "playwright-core";

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const folder = mkdtempSync(join(tmpdir(), "signorini-viewer-"));
let browser;
let made = 0;

export async function start(extra = []) {
  const executablePath = candidates.find((path) => path && existsSync(path));
  if (!executablePath) throw new Error("no Chromium found: install it, or name it in the variable CHROMIUM");
  browser = await chromium.launch({
    executablePath,
    args: ["--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", ...(extra.length ? extra : ["--use-angle=swiftshader", "--enable-unsafe-swiftshader"])],
  });
}

export async function stop() {
  await browser?.close();
  rmSync(folder, { recursive: true, force: true });
}

export function write(html) {
  const path = join(folder, `page-${made++}.html`);
  writeFileSync(path, html);
  return path;
}

/** Opens a page of text; `complaints` collects console errors and warnings, failures and requests other than the file itself. */
export async function open(html, options = {}) {
  return openFile(write(html), options);
}

export async function openFile(path, { viewport = { width: 1280, height: 800 }, colorScheme = "dark", expectFailure = false, ...rest } = {}) {
  const context = await browser.newContext({ viewport, colorScheme, ...rest });
  const page = await context.newPage();
  const complaints = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    if (!/^(file|data):/.test(request.url())) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(pathToFileURL(path).href);
  const failure = await page.evaluate(() => window.signorini.ready.then(() => null, (error) => `${error.headline ?? ""} ${error.message}`));
  if (!expectFailure && failure !== null) throw new Error(`page failed: ${failure}`);
  return { page, complaints, failure, close: () => context.close() };
}

/** Decodes an 8-bit PNG without interlacing, as Chromium writes them, to RGB(A) bytes. */
export function decodePng(file) {
  let at = 8;
  let width = 0;
  let height = 0;
  let channels = 4;
  const parts = [];
  while (at < file.length) {
    const size = file.readUInt32BE(at);
    const type = file.toString("latin1", at + 4, at + 8);
    const data = file.subarray(at + 8, at + 8 + size);
    if (type === "IHDR") {
      width = data.readUInt32BE(0);
      height = data.readUInt32BE(4);
      channels = data[9] === 6 ? 4 : 3;
    }
    if (type === "IDAT") parts.push(data);
    at += 12 + size;
  }
  const raw = inflateSync(Buffer.concat(parts));
  const row = width * channels;
  const pixels = new Uint8Array(row * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (row + 1)];
    for (let x = 0; x < row; x++) {
      const left = x >= channels ? pixels[y * row + x - channels] : 0;
      const above = y > 0 ? pixels[(y - 1) * row + x] : 0;
      const corner = x >= channels && y > 0 ? pixels[(y - 1) * row + x - channels] : 0;
      const p = left + above - corner;
      const [pa, pb, pc] = [Math.abs(p - left), Math.abs(p - above), Math.abs(p - corner)];
      const paeth = pa <= pb && pa <= pc ? left : pb <= pc ? above : corner;
      const guess = [0, left, above, (left + above) >> 1, paeth][filter];
      pixels[y * row + x] = raw[y * (row + 1) + 1 + x] + guess;
    }
  }
  return { width, height, at: (x, y) => Array.from(pixels.subarray((y * width + x) * channels, (y * width + x) * channels + 3)) };
}

/** Screenshot of the stage as pixels; waits for two pictures so that the last change is on the screen. */
export async function picture(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return decodePng(await page.screenshot());
}

export const stageBox = (page) => page.locator("#stage canvas").boundingBox();

/** The part of the picture without buttons and legends. */
export const inner = (box) => ({ x: box.x + 20, y: box.y + 110, width: box.width - 40, height: box.height - 240 });

/** Share of the pixels of a rectangle that differ between two pictures. */
export function difference(a, b, box) {
  let differ = 0;
  let total = 0;
  for (let y = Math.round(box.y); y < Math.round(box.y + box.height); y += 2) {
    for (let x = Math.round(box.x); x < Math.round(box.x + box.width); x += 2) {
      const p = a.at(x, y);
      const q = b.at(x, y);
      total++;
      if (p.some((c, k) => Math.abs(c - q[k]) > 10)) differ++;
    }
  }
  return differ / total;
}

/** Number of clearly different colours in a rectangle: a blank canvas has one or two. */
export function variety(a, box) {
  const seen = new Set();
  for (let y = Math.round(box.y); y < Math.round(box.y + box.height); y += 2) {
    for (let x = Math.round(box.x); x < Math.round(box.x + box.width); x += 2) seen.add(a.at(x, y).map((c) => c >> 4).join());
  }
  return seen.size;
}

// A picture of a page as a user sees it: node screenshot.mjs PAGE.html OUT.png [FRAME [WIDTHxHEIGHT]]
import { chromium } from "playwright-core";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [page, out, frame = "0", size = "1280x800"] = process.argv.slice(2);
if (!page || !out) {
  console.error("usage: node screenshot.mjs PAGE.html OUT.png [FRAME [WIDTHxHEIGHT]]");
  process.exit(2);
}
const [width, height] = size.split("x").map(Number);
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"],
});
const tab = await browser.newPage({ viewport: { width, height } });
await tab.goto(pathToFileURL(path.resolve(page)).href);
await tab.evaluate(() => window.signorini.ready);
await tab.evaluate((k) => window.signorini.setFrame(k), Number(frame));
// Two pictures later everything that was asked for is on the screen.
await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
await tab.screenshot({ path: out });
await browser.close();

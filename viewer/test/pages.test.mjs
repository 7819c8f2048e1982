// Pages made by the program itself: every *.html in the folder that SIGNORINI_PAGES names.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { difference, openFile, picture, start, stop, variety } from "./support/browser.mjs";

const folder = process.env.SIGNORINI_PAGES;
const pages = folder ? readdirSync(folder).filter((name) => name.endsWith(".html")).sort() : [];

if (pages.length > 0) {
  before(() => start());
  after(() => stop());
} else {
  test("pages of the program", { skip: folder ? `no *.html in ${folder}` : "SIGNORINI_PAGES names no folder" }, () => {});
}

for (const name of pages) {
  test(`${name} loads, plays and scrubs without complaints`, async () => {
    const { page, complaints, close } = await openFile(join(folder, name));
    const box = await page.locator("#stage canvas").boundingBox();
    const { frames } = await page.evaluate(() => window.signorini.counts);
    console.log(`${name}: first frame after ${Math.round(await page.evaluate(() => window.signorini.firstFrameMs))} ms, ${frames} frames`);
    const one = await picture(page);
    assert.ok(variety(one, box) > 8, "not blank");
    if (frames > 1) {
      const start_time = await page.evaluate(() => window.signorini.time);
      await page.evaluate(() => window.signorini.play());
      await page.waitForFunction((t) => window.signorini.time > t, start_time);
      await page.evaluate(() => window.signorini.pause());
      await page.evaluate((f) => window.signorini.setFrame(f), frames - 1);
      assert.notEqual(await page.evaluate(() => window.signorini.time), start_time);
      assert.ok(difference(one, await picture(page), box) > 0, "the picture changes");
    }
    assert.deepEqual(complaints, []);
    await close();
  });
}

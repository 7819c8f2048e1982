// Very many bodies: how fast they are drawn, and that every one can be picked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { inner, open, picture, stageBox, start, stop, variety } from "./support/browser.mjs";
import { page as html } from "./support/encode.mjs";
import { manySpheres } from "./support/scenes.mjs";

before(() => start());
after(() => stop());

test("100 000 spheres stay interactive", async () => {
  const many = manySpheres(100_000);
  const { page, complaints, close } = await open(html(many.data));
  const { spheres, drawCalls } = await page.evaluate(() => window.signorini.counts);
  assert.equal(spheres, 100_000);
  assert.ok(drawCalls < 10, `${drawCalls} draw calls`);
  const ms = await page.evaluate(() => window.signorini.measure(5));
  console.log(`100 000 spheres: first frame after ${Math.round(await page.evaluate(() => window.signorini.firstFrameMs))} ms, ${Math.round(ms)} ms a picture without a graphics card`);
  // A loose bound for a busy machine without a graphics card: as instanced squares a picture took more than twice this there.
  assert.ok(ms < 4000, `${ms} ms a picture`);
  await page.evaluate(() => window.signorini.setCamera("iso"));
  assert.ok(variety(await picture(page), inner(await stageBox(page))) > 20);
  await page.evaluate(() => window.signorini.setCamera("front"));
  // One of the spheres in front can be picked among all.
  const place = await page.evaluate(() => window.signorini.screenPosition(20 * 47 * 47 + 20));
  await page.mouse.click(place.x, place.y);
  await page.waitForFunction(() => window.signorini.selected === 20 * 47 * 47 + 20, null, { timeout: 20000 });
  assert.deepEqual(complaints, []);
  await close();
});

test("many spheres are points from afar and true spheres from near", async () => {
  const count = 28 ** 3;
  const { page, complaints, close } = await open(html(manySpheres(count, 2).data));
  const points = () => page.evaluate(() => window.signorini.counts.spherePoints);
  assert.equal(await points(), count);
  await page.evaluate(() => window.signorini.setCamera("front"));
  const place = await page.evaluate(() => window.signorini.screenPosition(10 * 28 * 28 + 10));
  await page.mouse.move(place.x, place.y);
  for (let i = 0; i < 3; i++) await page.mouse.wheel(0, -2000);
  await page.waitForFunction(() => window.signorini.counts.spherePoints === 0);
  assert.ok(variety(await picture(page), inner(await stageBox(page))) > 20);
  assert.deepEqual(complaints, []);
  await close();
});

// A browser without WebGL: the page says so and what to do.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { open, start, stop } from "./support/browser.mjs";
import { page as html } from "./support/encode.mjs";
import { smallScene } from "./support/scenes.mjs";

before(() => start(["--disable-gpu", "--disable-3d-apis"]));
after(() => stop());

test("without WebGL the page explains what to do", async () => {
  const { page, close } = await open(html(smallScene().data), { expectFailure: true });
  assert.match(await page.locator("#message").innerText(), /WebGL 2 is not available[^]*hardware acceleration/);
  await close();
});

// The viewer in a real browser, on synthetic pages whose motion is known in closed form.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { difference, inner, open, picture, stageBox, start, stop, variety } from "./support/browser.mjs";
import { page as html, pack } from "./support/encode.mjs";
import { circle, CIRCLE, circleVelocity, flexibleScene, smallScene } from "./support/scenes.mjs";

const small = smallScene();
const flexible = flexibleScene();

before(() => start());
after(() => stop());

const frame = (page) => page.evaluate(() => window.signorini.frame);
// What is on the page is written with the next picture: waits until it says so.
async function shows(page, selector, pattern, message) {
  const deadline = Date.now() + 10_000;
  let text = await page.locator(selector).innerText();
  while (!pattern.test(text) && Date.now() < deadline) {
    await page.waitForTimeout(50);
    text = await page.locator(selector).innerText();
  }
  assert.match(text, pattern, message);
}

const value = (page, key) => page.locator(`#readout [data-value="${key}"]`).innerText();
/** Numbers of a read-out, with its typographic minus signs. */
const numbers = (text) => text.replaceAll("−", "-").match(/-?\d+(\.\d+)?/g).map(Number);

/** Pinhole projection from the published camera, by hand: no code of three.js. */
function project(camera, point) {
  const sub = (a, b) => a.map((v, i) => v - b[i]);
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => a.map((v) => v / Math.sqrt(dot(a, a)));
  const ahead = unit(sub(camera.target, camera.position));
  const right = unit(cross(ahead, camera.up));
  const above = cross(right, ahead);
  const p = sub(point, camera.position);
  const focal = camera.height / 2 / Math.tan((camera.fov * Math.PI) / 360);
  const depth = dot(p, ahead);
  return { x: camera.left + camera.width / 2 + (focal * dot(p, right)) / depth, y: camera.top + camera.height / 2 - (focal * dot(p, above)) / depth, perMetre: focal / depth };
}

/** Middle of the pixels near a place that differ between two pictures. */
function middleOfChange(a, b, x, y, reach) {
  let n = 0;
  let sx = 0;
  let sy = 0;
  for (let v = Math.round(y - reach); v <= y + reach; v++) {
    for (let u = Math.round(x - reach); u <= x + reach; u++) {
      const p = a.at(u, v);
      const q = b.at(u, v);
      if (!p.some((c, k) => Math.abs(c - q[k]) > 12)) continue;
      n++;
      sx += u + 0.5;
      sy += v + 0.5;
    }
  }
  return { n, x: sx / n, y: sy / n };
}

test("a page loads without complaints and shows a picture that is not blank", async () => {
  const { page, complaints, close } = await open(html(small.data, "Known motion"));
  const counts = await page.evaluate(() => window.signorini.counts);
  assert.deepEqual([counts.bodies, counts.spheres, counts.planes, counts.joints, counts.jointAxes, counts.contacts], [4, 1, 1, 1, 1, 4]);
  assert.ok(variety(await picture(page), inner(await stageBox(page))) > 10, "many colours");
  console.log(`first frame after ${Math.round(await page.evaluate(() => window.signorini.firstFrameMs))} ms`);
  assert.match(await page.title(), /Known motion/);
  await shows(page, "#facts", /interior point[^]*frames shown\s+61/);
  assert.deepEqual(complaints, []);
  await close();
});

test("playing advances time in real time and pausing stops it", async () => {
  const { page, complaints, close } = await open(html(small.data));
  await page.click("#play");
  assert.equal(await page.evaluate(() => window.signorini.isPlaying), true);
  await page.waitForFunction(() => window.signorini.time > 0.3);
  await page.click("#play");
  const paused = await page.evaluate(() => window.signorini.time);
  await page.waitForTimeout(250);
  assert.equal(await page.evaluate(() => window.signorini.time), paused);
  assert.deepEqual(complaints, []);
  await close();
});

test("speed and loop do what they say", async () => {
  const { page, close } = await open(html(small.data));
  await page.selectOption("#speed", "16");
  await page.click("#loop");
  await page.evaluate(() => window.signorini.play());
  await page.waitForFunction(() => !window.signorini.isPlaying);
  assert.equal(await frame(page), 60, "without loop it stops at the last frame");
  await page.click("#loop");
  await page.selectOption("#speed", "8");
  await page.evaluate(() => window.signorini.play());
  await page.waitForFunction(() => window.signorini.time > 1.5);
  await page.waitForFunction(() => window.signorini.time < 1.5, null, { timeout: 10000 });
  assert.equal(await page.evaluate(() => window.signorini.isPlaying), true, "with loop it starts over");
  await close();
});

test("scrubbing changes the time, the frame and the picture", async () => {
  const { page, complaints, close } = await open(html(small.data));
  const one = await picture(page);
  const box = await page.locator("#scrub").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  const time = await page.evaluate(() => window.signorini.time);
  assert.ok(Math.abs(time - 1.5) < 0.05, `time ${time}`);
  const two = await picture(page);
  assert.ok(difference(one, two, inner(await stageBox(page))) > 0.002);
  await page.evaluate(() => window.signorini.setFrame(7));
  assert.ok(Math.abs((await page.evaluate(() => window.signorini.time)) - 0.35) < 1e-12);
  assert.deepEqual(complaints, []);
  await close();
});

test("a body is drawn where its analytic path projects to", async () => {
  // The ball alone: the box would hide it in some views.
  const scene = smallScene();
  scene.header.bodies[2].shapes = [];
  const { page, close } = await open(html(pack(scene.header, scene.body)));
  for (const name of ["contacts", "joints", "walls"]) await page.uncheck(`#show-${name}`);
  for (const view of ["iso", "front", "side", "top"]) {
    await page.evaluate((v) => window.signorini.setCamera(v), view);
    for (const k of [0, 17, 42]) {
      await page.evaluate((f) => window.signorini.setFrame(f), k);
      const camera = await page.evaluate(() => window.signorini.camera());
      const expected = project(camera, circle(small.times[k]));
      const said = await page.evaluate(() => window.signorini.screenPosition(1));
      assert.ok(Math.hypot(said.x - expected.x, said.y - expected.y) < 0.5, `${view} ${k}: ${JSON.stringify([said, expected])}`);
      // Hiding the bodies changes exactly the pixels of the ball.
      const shown = await picture(page);
      await page.uncheck("#show-bodies");
      const hidden = await picture(page);
      await page.check("#show-bodies");
      const radius = CIRCLE.ball * expected.perMetre;
      const change = middleOfChange(shown, hidden, expected.x, expected.y, radius * 1.6);
      assert.ok(Math.hypot(change.x - expected.x, change.y - expected.y) < 1.5, `${view}, frame ${k}: drawn at ${change.x}, ${change.y}, expected ${expected.x}, ${expected.y}`);
      // Perspective stretches the disc a little, and its edge is soft.
      const area = change.n / (Math.PI * radius * radius);
      assert.ok(area > 0.9 && area < 1.15, `${view}, frame ${k}: ${change.n} pixels, expected about ${Math.PI * radius * radius}`);
    }
  }
  await close();
});

test("positions between frames are interpolated, unless that is switched off", async () => {
  const { page, close } = await open(html(small.data));
  const at = () => page.evaluate(() => (window.signorini.seek(0.325), window.signorini.bodyPosition(1)));
  const between = circle(0.3).map((v, i) => (v + circle(0.35)[i]) / 2);
  assert.ok(Math.hypot(...(await at()).map((v, i) => v - between[i])) < 1e-4);
  await page.uncheck("#show-interpolate");
  assert.ok(Math.hypot(...(await at()).map((v, i) => v - circle(0.3)[i])) < 1e-4);
  await close();
});

test("a click selects a body and the read-out shows its numbers", async () => {
  const { page, complaints, close } = await open(html(small.data));
  await page.evaluate(() => window.signorini.setFrame(20));
  const before = await picture(page);
  const place = await page.evaluate(() => window.signorini.screenPosition(1));
  await page.mouse.click(place.x, place.y);
  await page.waitForFunction(() => window.signorini.selected === 1);
  await shows(page, "#readout .name", /^ball$/);
  assert.equal(await value(page, "mass"), "0.5 kg");
  const near = (text, wanted, tolerance) => numbers(text).slice(0, 3).forEach((v, i) => assert.ok(Math.abs(v - wanted[i]) <= tolerance, `${text} is not ${wanted}`));
  // Half a step of the quantised data and half a unit of the fourth digit.
  near(await value(page, "position"), circle(1), 1.5e-4);
  near(await value(page, "velocity"), circleVelocity(1), 5e-4);
  assert.ok(difference(before, await picture(page), { x: place.x - 40, y: place.y - 40, width: 80, height: 80 }) > 0.05, "highlighted");
  await page.evaluate(() => window.signorini.select(2));
  await shows(page, "#readout", /hinge \(revolute\)\s+5\.831\s+1/, "joint force √(3² + 5²)");
  near(await value(page, "angular"), [0, 0, 1], 1e-3);
  assert.equal(await value(page, "force"), "24 N", "4 contacts of 6 N");
  assert.equal(await value(page, "contacts"), "4");
  await page.keyboard.press("Escape");
  await page.locator("#readout").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => window.signorini.selected), -1);
  assert.deepEqual(complaints, []);
  await close();
});

test("following keeps the selected body at its place in the picture", async () => {
  const { page, close } = await open(html(small.data));
  await page.evaluate(() => window.signorini.select(1));
  await page.click("#follow");
  const one = await page.evaluate(() => window.signorini.screenPosition(1));
  const two = await page.evaluate(() => (window.signorini.setFrame(40), window.signorini.screenPosition(1)));
  assert.ok(Math.hypot(one.x - two.x, one.y - two.y) < 0.5, JSON.stringify([one, two]));
  await close();
});

test("the search box selects by name", async () => {
  const { page, close } = await open(html(small.data));
  await page.keyboard.press("/");
  await page.keyboard.type("cont");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => window.signorini.selected === 3);
  await page.fill("#search", "nothing like this");
  await shows(page, ".results", /No body/);
  await close();
});

test("keys work", async () => {
  const { page, complaints, close } = await open(html(small.data));
  const press = (key) => page.keyboard.press(key);
  await press("ArrowRight");
  await press("ArrowRight");
  await press("ArrowLeft");
  assert.equal(await frame(page), 1);
  await press("Shift+ArrowRight");
  assert.equal(await frame(page), 11);
  await press("End");
  assert.equal(await frame(page), 60);
  await press("Home");
  assert.equal(await frame(page), 0);
  await press("Space");
  assert.equal(await page.evaluate(() => window.signorini.isPlaying), true);
  await press("Space");
  assert.equal(await page.evaluate(() => window.signorini.isPlaying), false);
  await press("]");
  assert.equal(await page.locator("#speed").inputValue(), "2");
  const eye = () => page.evaluate(() => window.signorini.camera().position.join());
  const iso = await eye();
  await press("4");
  const top = await eye();
  assert.notEqual(iso, top);
  await page.click("#view-iso");
  await press("Space");
  assert.equal(await page.evaluate(() => window.signorini.isPlaying), true, "space plays after a button was clicked");
  await press("Space");
  await press("4");
  await press("f");
  assert.notEqual(await eye(), top);
  await press("c");
  assert.equal(await page.isChecked("#show-contacts"), false);
  await press("p");
  assert.equal(await page.locator(".plots").isVisible(), false);
  await press("i");
  assert.equal(await page.locator("#panel").isVisible(), false);
  await press("?");
  assert.equal(await page.locator("#help").isVisible(), true);
  await press("Escape");
  assert.equal(await page.locator("#help").isVisible(), false);
  assert.deepEqual(complaints, []);
  await close();
});

test("dragging turns the camera, the wheel zooms, the right button moves", async () => {
  const { page, close } = await open(html(small.data));
  const camera = () => page.evaluate(() => window.signorini.camera());
  const distance = (c) => Math.hypot(...c.position.map((v, i) => v - c.target[i]));
  const one = await camera();
  await page.mouse.move(300, 200);
  await page.mouse.down();
  await page.mouse.move(420, 230, { steps: 4 });
  await page.mouse.up();
  const two = await camera();
  assert.notDeepEqual(two.position, one.position);
  assert.ok(Math.abs(distance(two) / distance(one) - 1) < 1e-6);
  await page.mouse.wheel(0, -300);
  await page.waitForTimeout(300);
  const three = await camera();
  assert.ok(distance(three) < distance(two) * 0.99);
  await page.mouse.down({ button: "right" });
  await page.mouse.move(360, 260, { steps: 4 });
  await page.mouse.up({ button: "right" });
  assert.notDeepEqual((await camera()).target, three.target);
  assert.equal(await page.evaluate(() => window.signorini.selected), -1, "a drag selects nothing");
  await close();
});

test("the background follows the system and the switch", async () => {
  const { page, close } = await open(html(small.data), { colorScheme: "light" });
  const box = await stageBox(page);
  const brightness = async () => (await picture(page)).at(Math.round(box.x + box.width - 20), Math.round(box.y + 120)).reduce((a, b) => a + b) / 3;
  assert.ok((await brightness()) > 180);
  await page.click("#theme");
  assert.ok((await brightness()) < 80);
  await close();
});

test("arrows, their length and colours change what is drawn", async () => {
  const { page, complaints, close } = await open(html(small.data));
  const area = inner(await stageBox(page));
  await page.evaluate(() => window.signorini.setFrame(30));
  let last = await picture(page);
  const changed = async (what, least) => {
    const now = await picture(page);
    const share = difference(last, now, area);
    assert.ok(share > least, `${what}: ${share}`);
    last = now;
  };
  await page.fill("#arrow-scale", "0.5");
  await changed("longer arrows", 0.0005);
  await shows(page, ".arrow-legend >> nth=0", /\d N$/);
  await page.uncheck("#show-contacts");
  await changed("no arrows", 0.0005);
  await page.check("#show-jointForces");
  await changed("joint forces", 0.0001);
  await page.selectOption("#colour-mode", "speed");
  await changed("speed", 0.001);
  await shows(page, ".colour-bar >> nth=0", /speed \[m\/s\]\s[^]*1\.5/);
  await page.selectOption("#colour-mode", "mass");
  await changed("mass", 0.001);
  await shows(page, ".colour-bar >> nth=0", /mass \[kg\]\s[^]*0\.5[^]*2/);
  await page.selectOption("#colour-mode", "contact force");
  await changed("contact force", 0.0005);
  await shows(page, ".colour-bar >> nth=0", /\[N\]\s[^]*32/, "4 contacts of 8 N at the end");
  await page.uncheck("#show-walls");
  await changed("no walls", 0.05);
  await page.uncheck("#show-planes");
  await changed("no floor", 0.05);
  assert.deepEqual(complaints, []);
  await close();
});

test("plots show a cursor at the time shown, and a click in a plot goes there", async () => {
  const { page, complaints, close } = await open(html(small.data));
  const cursor = async () => (await page.locator("#plot-0 .cursor").boundingBox()).x;
  const area = await page.locator("#plot-0 .draw").boundingBox();
  const [left, right] = [area.x + 52, area.x + area.width - 8];
  await page.evaluate(() => window.signorini.setFrame(0));
  assert.ok(Math.abs((await cursor()) - left) < 1.5);
  await page.evaluate(() => window.signorini.setFrame(60));
  assert.ok(Math.abs((await cursor()) - right) < 1.5);
  await page.mouse.click(left + 0.25 * (right - left), area.y + 40);
  const time = await page.evaluate(() => window.signorini.time);
  assert.ok(Math.abs(time - 0.75) < 0.02, `time ${time}`);
  assert.ok(Math.abs((await cursor()) - (left + 0.25 * (right - left))) < 2);
  await shows(page, "#plot-0 .keys", /potential 3\.07/);
  const before = await picture(page);
  await page.click("#plot-0 header button");
  assert.ok(difference(before, await picture(page), area) > 0.01, "logarithmic scale");
  assert.deepEqual(complaints, []);
  await close();
});

test("notes are shown until they are dismissed", async () => {
  const { page, close } = await open(html(flexible.data));
  await shows(page, ".note", /step 400 is the last good one/);
  await page.click(".note button");
  assert.equal(await page.locator(".note").count(), 0);
  await shows(page, ".status", /interrupted/);
  await close();
});

test("flexible bodies move, are coloured by their fields, and gravity decides which way is up", async () => {
  const { page, complaints, close } = await open(html(flexible.data));
  const area = inner(await stageBox(page));
  const one = await picture(page);
  assert.ok(variety(one, area) > 8);
  await page.evaluate(() => window.signorini.setFrame(20));
  const two = await picture(page);
  assert.ok(difference(one, two, area) > 0.01, "bends");
  await shows(page, ".colour-bar >> nth=1", /von Mises stress \[Pa\]/);
  await page.selectOption("#field", "displacement");
  const three = await picture(page);
  assert.ok(difference(two, three, area) > 0.005, "displacement");
  await page.selectOption("#field", "tension");
  await shows(page, ".colour-bar >> nth=1", /tension \[N\]\s[^]*12/);
  await page.uncheck("#show-edges");
  assert.ok(difference(three, await picture(page), area) > 0.002, "edges");
  assert.deepEqual((await page.evaluate(() => window.signorini.camera())).up, [0, 1, 0]);
  const place = await page.evaluate(() => window.signorini.screenPosition(1));
  await page.mouse.click(place.x, place.y);
  await page.waitForFunction(() => window.signorini.selected === 1);
  await shows(page, "#readout", /cable, 31 nodes[^]*largest tension\s+12 N/);
  assert.deepEqual(complaints, []);
  await close();
});

test("on a phone the controls are visible, large enough and answer to taps", async () => {
  const { page, complaints, close } = await open(html(small.data), { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 });
  for (const id of ["play", "back", "forward", "scrub", "speed", "panel-button", "view-iso", "theme"]) {
    const box = await page.locator(`#${id}`).boundingBox();
    assert.ok(box && box.x >= 0 && box.y >= 0 && box.x + box.width <= 390 && box.y + box.height <= 844, `${id} is on the screen: ${JSON.stringify(box)}`);
    assert.ok(box.height >= 34, `${id} is ${box.height} high`);
  }
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  await page.tap("#play");
  await page.waitForFunction(() => window.signorini.time > 0.05);
  await page.tap("#play");
  assert.equal(await page.locator("#panel").isVisible(), false, "folded away at first");
  await page.tap("#panel-button");
  assert.equal(await page.locator("#panel").isVisible(), true);
  await page.tap("#panel-button");
  await page.tap(".note button");
  await page.evaluate(() => window.signorini.setFrame(0));
  const place = await page.evaluate(() => window.signorini.screenPosition(1));
  await page.touchscreen.tap(place.x, place.y);
  await page.waitForFunction(() => window.signorini.selected === 1);
  await page.locator("#readout").waitFor({ state: "visible" });
  assert.deepEqual(complaints, []);
  await close();
});

test("damaged and missing data give a message that says so", async () => {
  const says = async (data, pattern) => {
    const { page, complaints, failure, close } = await open(data, { expectFailure: true });
    assert.notEqual(failure, null);
    await shows(page, "#message", pattern);
    assert.deepEqual(complaints, []);
    await close();
  };
  await says(html(small.data.slice(0, small.data.length / 2)), /damaged[^]*signorini view/);
  await says(html("%%%%" + small.data), /damaged/);
  await says(html("@@SIGNORINI_DATA@@"), /no run in this page/i);
  const { encodeBroken } = await import("./support/broken.mjs");
  await says(html(encodeBroken({ format: 2 })), /format 2/);
  await says(html(encodeBroken({ bodies: null })), /damaged[^]*header/);
  await says(html(encodeBroken({ frames: { count: 3, time: { at: 0, count: 3 }, step: { at: 8000, count: 3 } } })), /frames\.step ends/);
});

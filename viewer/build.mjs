// Builds the viewer into one self-contained page: styles, script and licences inside, nothing fetched.
//
//   node build.mjs          writes crates/view/assets/viewer.html
//   node build.mjs --check  builds in memory and fails if the committed page differs
//
// The result depends only on the sources and on the locked versions of esbuild and three: no dates, no paths.
import { build } from "esbuild";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const target = join(here, "..", "crates", "view", "assets", "viewer.html");
const size_limit = 1_200_000;

const bundled = await build({
  absWorkingDir: here,
  entryPoints: ["src/main.ts"],
  bundle: true,
  minify: true,
  write: false,
  format: "iife",
  target: "es2022",
  charset: "utf8",
  legalComments: "inline",
  logLevel: "warning",
});
const styles = await build({
  absWorkingDir: here,
  entryPoints: ["src/style.css"],
  minify: true,
  write: false,
  charset: "utf8",
  logLevel: "warning",
});

// A closing tag or a comment opener inside a string of the script would end it early.
const script = bundled.outputFiles[0].text.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3c!--");
const licence = (await readFile(join(here, "node_modules", "three", "LICENSE"), "utf8")).trim();
const template = await readFile(join(here, "src", "index.html"), "utf8");

// Functions as replacements: a `$` in the script must not be taken for a pattern.
const page = template
  .replace("<!--licence-->", () => `<!--\nThis page contains three.js (https://threejs.org).\n\n${licence}\n-->`)
  .replace("/*style*/", () => styles.outputFiles[0].text.trim())
  .replace("/*script*/", () => script);

for (const place of ["@@SIGNORINI_DATA@@", "@@SIGNORINI_TITLE@@"]) {
  const found = page.split(place).length - 1;
  if (found !== 1) fail(`the page holds ${place} ${found} times, expected once`);
}
const bytes = Buffer.from(page, "utf8");
if (bytes.length > size_limit) fail(`the page has ${bytes.length} bytes, at most ${size_limit} are allowed`);

if (process.argv.includes("--check")) {
  const committed = await readFile(target).catch(() => null);
  if (committed === null) fail("crates/view/assets/viewer.html is missing: run `npm run build` in viewer/");
  if (!committed.equals(bytes)) {
    fail("crates/view/assets/viewer.html is not what the sources give: run `npm ci && npm run build` in viewer/ and commit the page");
  }
  console.log(`crates/view/assets/viewer.html is up to date (${bytes.length} bytes)`);
} else {
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, bytes);
  console.log(`crates/view/assets/viewer.html: ${bytes.length} bytes`);
}

function fail(message) {
  console.error(message);
  process.exit(1);
}

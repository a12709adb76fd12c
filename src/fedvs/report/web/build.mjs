// Bundles src/ with ECharts into dist/report.js, and gathers the licenses of what is inside.
// `sha256sum --check dist/SHA256SUMS` tells whether only one side has been changed since.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { readFile, readdir, writeFile } from "node:fs/promises";

const here = new URL(".", import.meta.url);
const result = await build({
  absWorkingDir: here.pathname,
  entryPoints: ["src/main.js"],
  outfile: "dist/report.js",
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020"],
  charset: "ascii", // the page that holds it may be read in any encoding
  legalComments: "none", // they are in LICENSES.txt, whole
  metafile: true,
});

const packages = new Set();
for (const input of Object.keys(result.metafile.inputs)) {
  const found = input.match(/node_modules\/((?:@[^/]+\/)?[^/]+)/);
  if (found) packages.add(found[1]);
}

async function text_of(path) {
  return readFile(new URL(path, here), "utf8").catch(() => "");
}

let licenses = "dist/report.js contains parts of these packages.\n";
for (const name of [...packages].sort()) {
  const folder = `node_modules/${name}/`;
  const { version, license } = JSON.parse(await text_of(`${folder}package.json`));
  licenses += `\n${"=".repeat(100)}\n${name} ${version} (${license})\n${"=".repeat(100)}\n`;
  const nested = await readdir(new URL(`${folder}licenses`, here)).catch(() => []);
  for (const file of [
    "NOTICE",
    "LICENSE",
    "LICENSE.txt",
    "CopyrightNotice.txt",
    ...nested.map((one) => `licenses/${one}`),
  ]) {
    const body = await text_of(folder + file);
    if (body) licenses += `\n--- ${file} ---\n\n${body.trimEnd()}\n`;
  }
}
await writeFile(new URL("dist/LICENSES.txt", here), licenses.replace(/[ \t]+$/gm, ""));

// Packages are pinned by the digests of the lock file.
const own = Object.keys(result.metafile.inputs).filter((one) => !one.startsWith("node_modules/"));
const beside = ["build.mjs", "package.json", "package-lock.json"];
const files = [...own, ...beside, "dist/report.js", "dist/LICENSES.txt"];
let sums = "";
for (const file of files.sort()) {
  const digest = createHash("sha256").update(await readFile(new URL(file, here))).digest("hex");
  sums += `${digest}  ${file}\n`;
}
await writeFile(new URL("dist/SHA256SUMS", here), sums);

// Bundles the viewer and the playground into src/ulna/viewer/built: of each one script and one style
// sheet with its fonts inside; the widget of notebooks, a module without fonts; and the licences of
// everything that they contain.
import { mkdir, readFile, readdir, rename, writeFile } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { build, transform } from "esbuild";

const web = dirname(fileURLToPath(import.meta.url));
const built = resolve(process.argv[2] ?? join(web, "..", "src", "ulna", "viewer", "built"));

const result = await build({
  absWorkingDir: web,
  entryPoints: {
    viewer: "src/main.ts",
    "viewer-style": "src/styles/index.css",
    playground: "src/playground/main.ts",
    "playground-style": "src/styles/playground-index.css",
  },
  outdir: built,
  write: false,
  bundle: true,
  minify: true,
  metafile: true,
  format: "iife",
  target: "es2022",
  loader: { ".woff2": "dataurl" },
  legalComments: "none",
});

const files = new Map();
for (const output of result.outputFiles) {
  const name = basename(output.path).replace("-style", "");
  if (files.has(name)) throw new Error(`${name}: no script imports a style sheet, which belongs to src/styles`);
  // Both stand inside <script> and <style>, which these would end.
  if (/<\/(script|style)|<!--/i.test(output.text)) throw new Error(`${name} cannot stand in a page`);
  files.set(name, output.text);
}
const widget = await buildWidget();
files.set("widget.js", widget.script);
files.set("widget.css", widget.style);
const inputs = [...Object.keys(result.metafile.inputs), ...Object.keys(widget.inputs)];
files.set("LICENSES.txt", await licenses(inputs));

await mkdir(built, { recursive: true });
for (const [name, text] of files) {
  const partial = join(built, `${name}.${process.pid}`);
  await writeFile(partial, text);
  await rename(partial, join(built, name));
  console.log(`${name} ${(Buffer.byteLength(text) / 1e3).toFixed(1)} kB`);
}

// A module for anywidget. Its style must not reach the notebook around it: rules are nested under its class, which
// takes the place of :root, and written out for browsers without nesting.
async function buildWidget() {
  const made = await build({
    absWorkingDir: web,
    entryPoints: { widget: "src/widget.ts", "widget-style": "src/styles/widget-index.css" },
    outdir: built,
    write: false,
    bundle: true,
    minifySyntax: true,
    metafile: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
  });
  const text = (ending) => made.outputFiles.find((file) => file.path.endsWith(ending)).text;
  const script = await transform(text("widget.js"), { minify: true, format: "esm", target: "es2022" });
  const nested = `.ulna-widget{${text(".css").replaceAll(":root", "&")}}`;
  const style = await transform(nested, { loader: "css", minify: true, target: "chrome111" });
  return { script: script.code, style: style.code, inputs: made.metafile.inputs };
}

// The licence of every package with a file in the bundle.
async function licenses(inputs) {
  const pattern = /node_modules\/((?:@[^/]+\/)?[^/]+)\//;
  const packages = new Set(inputs.map((path) => pattern.exec(path)?.[1]).filter(Boolean));
  const texts = [];
  for (const name of [...packages].sort()) {
    const folder = join(web, "node_modules", name);
    const { version } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[sc]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    const text = (await readFile(join(folder, file), "utf8")).replace(/\r\n/g, "\n").trim();
    texts.push(`${name} ${version}\n\n${text}\n`);
  }
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

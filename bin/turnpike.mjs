#!/usr/bin/env node
// Starts Turnpike with nothing but Node and npm at hand: installs what is missing, finds Bun, hands over to an image of src/main.ts.

if (Number.parseInt(process.versions.node, 10) < 20) {
  console.error(`Turnpike needs Node 20 or newer; this is Node ${process.versions.node}.`);
  process.exit(1);
}

// Loaded only now, so that an old Node gets the sentence above rather than a syntax error.
const { ensureInstalled, root } = await import("../scripts/ensure-installed.mjs");
const { launch } = await import("../scripts/launch.mjs");
const { commandName } = await import("../scripts/command-name.mjs");

const args = process.argv.slice(2);
const watch = args[0] === "--watch";
if (watch) args.shift();

const bun = await ensureInstalled({ purpose: "run" });
const isServing = args[0] === "serve" && !args.includes("--help");
if (isServing) {
  const { ensureWeb } = await import("../scripts/ensure-web.mjs");
  const problem = await ensureWeb();
  if (problem !== null) console.error(`${problem}\nStarting without the pages under /ui; the API works.`);
}
const { ensureImage } = await import("../scripts/ensure-image.mjs");
const program = watch ? [bun, "--watch", `${root}/src/main.ts`] : await ensureImage({ root, bun, mayBuild: isServing });
// What is watched starts again by itself, and counts from there.
const started = watch ? { startedAt: null } : {};
process.exitCode = await launch({ program, args, command: commandName({ root }), ...started });

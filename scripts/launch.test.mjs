import { afterAll, beforeAll, expect, test } from "bun:test";
import { spawn } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const launchModule = pathToFileURL(join(import.meta.dir, "launch.mjs")).href;
let folder = "";

const server = `
const count = {};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    count[signal] = (count[signal] ?? 0) + 1;
    // Long enough for a second delivery of the same signal to be seen, if there were one.
    setTimeout(() => { console.log(JSON.stringify(count)); process.exit(7); }, 400);
  });
}
setInterval(() => {}, 1000);
console.log("ready " + process.pid);
`;

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "turnpike launch ")));
  writeFileSync(join(folder, "server.ts"), server);
  writeFileSync(
    join(folder, "show.ts"),
    `const { TURNPIKE_STARTED_AT, TURNPIKE_COMMAND, BUN_CONFIG_MAX_HTTP_REQUESTS } = process.env;
console.log(JSON.stringify({ args: process.argv.slice(2), cwd: process.cwd(), TURNPIKE_STARTED_AT, TURNPIKE_COMMAND, BUN_CONFIG_MAX_HTTP_REQUESTS }));`,
  );
  writeFileSync(join(folder, "exit.ts"), "process.exit(42);");
  writeFileSync(join(folder, "die.ts"), 'process.kill(process.pid, "SIGKILL");');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Node running the launcher on a script in the folder, as bin/turnpike.mjs does on src/main.ts. */
function start(script, args = [], env = {}) {
  const options = { program: [process.execPath, join(folder, script)], args, startedAt: 1234, command: "npm run it" };
  const source = `import { launch } from ${JSON.stringify(launchModule)};
process.exitCode = await launch(${JSON.stringify(options)});`;
  const child = spawn("node", ["--input-type=module", "-e", source], {
    cwd: folder,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: undefined, ...env },
  });
  let output = "";
  const waiters = [];
  child.stdout.setEncoding("utf8").on("data", (chunk) => {
    output += chunk;
    for (const check of waiters) check();
  });
  return {
    pid: child.pid,
    exited: new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal, output }))),
    ready: () =>
      new Promise((resolve) => {
        const check = () => {
          const match = /ready (\d+)/.exec(output);
          if (match) resolve(Number(match[1]));
        };
        waiters.push(check);
        check();
      }),
  };
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("the program gets its arguments, the caller's folder, how it is called and the settings for Bun", async () => {
  const { code, output } = await start("show.ts", ["serve", "--port", "0"]).exited;
  expect(code).toBe(0);
  expect(JSON.parse(output)).toEqual({
    args: ["serve", "--port", "0"],
    cwd: folder,
    TURNPIKE_STARTED_AT: "1234",
    TURNPIKE_COMMAND: "npm run it",
    BUN_CONFIG_MAX_HTTP_REQUESTS: "65336",
  });
});

test("a setting for Bun that is there already is kept", async () => {
  const { output } = await start("show.ts", [], { BUN_CONFIG_MAX_HTTP_REQUESTS: "99" }).exited;
  expect(JSON.parse(output).BUN_CONFIG_MAX_HTTP_REQUESTS).toBe("99");
});

test("the exit code is the program's, or 128 and the signal that ended it", async () => {
  expect((await start("exit.ts").exited).code).toBe(42);
  expect((await start("die.ts").exited).code).toBe(137);
});

test.each(["SIGINT", "SIGTERM", "SIGHUP"])(
  "%s reaches the program once and its exit code comes back",
  async (signal) => {
    const launcher = start("server.ts");
    await launcher.ready();
    process.kill(launcher.pid, signal);
    const { code, output } = await launcher.exited;
    expect(code).toBe(7);
    expect(output).toContain(JSON.stringify({ [signal]: 1 }));
  },
);

test("a Ctrl-C that reaches the whole group, and again through npm, arrives once", async () => {
  const launcher = start("server.ts");
  await launcher.ready();
  process.kill(-launcher.pid, "SIGINT");
  await Bun.sleep(50);
  process.kill(launcher.pid, "SIGINT");
  const { code, output } = await launcher.exited;
  expect(code).toBe(7);
  expect(output).toContain('{"SIGINT":1}');
});

test("the program does not outlive a launcher that is killed", async () => {
  const launcher = start("server.ts");
  const program = await launcher.ready();
  process.kill(launcher.pid, "SIGKILL");
  await launcher.exited;
  const deadline = performance.now() + 5000;
  while (isAlive(program) && performance.now() < deadline) await Bun.sleep(20);
  expect(isAlive(program)).toBe(false);
});

import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { preparePython } from "../../e2e/prepare-python.ts";
import { newFolder, PROGRAM } from "../../e2e/process.ts";

const python = await preparePython(["flask==3.1.3"]);
const folder = newFolder();
const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(({ exited }) => exited));
  folder.remove();
});

/** Starts a Flask participant and returns its address. */
function startFlask(goal: number): Promise<string> {
  const file = fileURLToPath(new URL("python/contract_participant.py", import.meta.url));
  const child = Bun.spawn([python ?? "", "-I", file, String(goal)], { stdout: "ignore", stderr: "pipe" });
  children.push(child);
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  (async () => {
    let text = "";
    // Reading goes past the address: with a full pipe Flask would wait.
    for await (const piece of child.stderr) {
      text += Buffer.from(piece).toString();
      const [, address] = /Running on (http:\/\/127\.0\.0\.1:\d+)/.exec(text) ?? [];
      if (address !== undefined) resolve(address);
    }
    reject(new Error(`Flask ended: ${text}`));
  })();
  return promise;
}

test.skipIf(python === null).each([
  ["the coordinator", {}],
  ["the participants", { aggregate: "participants", format: undefined, shape: undefined }],
])(
  "Flask participants of the contract train for three rounds, and %s aggregate",
  async (name, more) => {
    const urls = await Promise.all([2, 4, 9].map(startFlask));
    const plan = {
      rounds: 3,
      participants: urls.map((url, at) => ({ id: `flask${at}`, url })),
      format: "f32le",
      shape: [2],
      initial: "start",
      ...more,
    };
    writeFileSync(join(folder.path, "start"), new Uint8Array(Float32Array.of(1, 1).buffer));
    writeFileSync(join(folder.path, "plan.yaml"), JSON.stringify(plan));
    const run = Bun.spawn([...PROGRAM, "train", "run", "plan.yaml", "--folder", name, "--json"], {
      cwd: folder.path,
      env: { PATH: process.env.PATH ?? "", HOME: folder.path },
      stderr: "ignore",
    });
    const outcome = JSON.parse(await new Response(run.stdout).text());
    // Each round halves the distance to the mean of the goals, which is 5.
    expect(outcome).toMatchObject({ rounds: 3, accuracy: 4.5, paused: null });
  },
  60_000,
);

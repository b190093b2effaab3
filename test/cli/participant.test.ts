import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { float32, readSafetensors, writeSafetensors } from "../../sdk/typescript/src/index.ts";
import { Person } from "./command-line.ts";

// No server is needed for any of this.
const person = new Person("http://127.0.0.1:1");
afterAll(() => person.remove());

const module = (name: string, text: string) => writeFileSync(join(person.home, name), text);
module(
  "model.ts",
  `export const datasets = { rows: [1, 2, 3] };
   export const train = async (parameters: Uint8Array | null, rows: number[]) => Uint8Array.of(rows.length, parameters?.length ?? 9);
   export function evaluate(_: unknown, rows: number[], { config }: { config: { add: number } }) { return rows.length + config.add; }`,
);
module(
  "class.ts",
  "export default new (class { factor = 2; evaluate(_: unknown, x: number) { return x * this.factor; } })();",
);
module("nothing.ts", "export const other = 1;");
module("broken.ts", "export const train = 1;\nexport const evaluate = ;\n");
module("wrong-rows.ts", 'export const train = 1;\n\nexport const datasets = { rows: JSON.parse("[1,") };\n');
module("tensors.ts", 'import { readTensors } from "@turnpike/participant"; export const train = readTensors;');

async function runParticipant(args: readonly string[], env: Record<string, string> = {}) {
  const child = person.start(["participant", "--port", "0", ...args], { env });
  let text = "";
  const reader = child.stdout.getReader();
  while (!text.includes("\n")) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`it ended: ${text} ${await new Response(child.stderr).text()}`);
    text += Buffer.from(value).toString();
  }
  const url = /listens on (\S+)/.exec(text)?.[1] ?? "";
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { method: "POST", body: JSON.stringify(body), headers });
    return { status: response.status, body: await response.json() };
  };
  return {
    url,
    text,
    post,
    async stop() {
      child.kill("SIGTERM");
      return child.exited;
    },
  };
}

describe("turnpike participant", () => {
  test("serves a module's functions and data sets, takes the mean by itself, and ends when told to", async () => {
    const participant = await runParticipant(["--module", "model.ts", "--name", "north"]);
    expect(participant.text).toStartWith("north listens on http://127.0.0.1:");
    expect(await participant.post("/train", { parameters: null })).toEqual({
      status: 200,
      body: { parameters: "Awk=" },
    });
    expect(await participant.post("/evaluate", { parameters: null, dataset: "rows", config: { add: 1 } })).toEqual({
      status: 200,
      body: { accuracy: 4 },
    });
    const models = [1, 4].map((value) => writeSafetensors(new Map([["w", float32([value])]])));
    const list = models.map((model) => Buffer.from(model).toString("base64"));
    const { body } = await participant.post("/aggregate", { parameters_list: list, weights: [2, 1] });
    const mean = readSafetensors(Buffer.from((body as { parameters: string }).parameters, "base64"));
    expect(mean.get("w")?.bytes).toEqual(float32([2]).bytes);
    expect(await participant.stop()).toBe(0);
  });

  test("serves an object, and wants the token that is set", async () => {
    const participant = await runParticipant(["-m", "class.ts", "--partial"], { TURNPIKE_PARTICIPANT_TOKEN: "open" });
    const call = { parameters: null, dataset: 21 };
    expect((await participant.post("/evaluate", call)).status).toBe(401);
    expect(await participant.post("/evaluate", call, { authorization: "Bearer open" })).toEqual({
      status: 200,
      body: { accuracy: 42 },
    });
    await participant.stop();
  });

  test.each([
    ["a file that is not there", ["--module", "absent.ts"], 2, "There is no file absent.ts."],
    ["a module whose SDK is not installed", ["--module", "tensors.ts"], 2, 'npm install "$(npm pack --silent '],
    ["a module that cannot be read", ["--module", "broken.ts"], 2, "broken.ts:2:25)"],
    ["a module whose data cannot be read", ["--module", "wrong-rows.ts"], 2, "wrong-rows.ts:3:"],
    ["a module without functions", ["--module", "nothing.ts"], 2, "exports neither train nor evaluate"],
    ["a function that is missing", ["--module", "class.ts"], 1, "no function is registered for train"],
    ["other machines let in without a token", ["--module", "model.ts", "--host", "0.0.0.0"], 1, "set a token"],
    ["no module", [], 2, "--module"],
  ])("refuses %s", async (_, args, code, words) => {
    const result = await person.run(["participant", "--port", "0", ...args]);
    expect(result.code).toBe(code);
    expect(result.err).toContain(words);
  });
});

import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Place, startPlace } from "./command-line.ts";

const CONFIG = `
model_list:
  - model_name: painter
    litellm_params: { model: openai/gpt-image-1, api_key: sk-none }
    model_info: { mode: image_generation, input_cost_per_token: 0.000005, output_cost_per_token: 0, input_cost_per_image: 0.04 }
  - model_name: gift
    litellm_params: { model: openai/of-our-own, api_key: sk-none }
    model_info: { free: true }
`;

let place: Place;
beforeAll(async () => {
  place = await startPlace({}, CONFIG);
});
afterAll(() => place.close());

test("what is not counted in tokens stands in a column of its own, with its unit; nothing looks free that is not", async () => {
  const { out } = await place.person().run(["models", "list"]);
  const rows = Object.fromEntries(
    out
      .trimEnd()
      .split("\n")
      .map((line) => line.split("\t"))
      .map(([id, _provider, _type, _context, ...prices]) => [id, prices]),
  );
  expect(rows).toMatchObject({
    echo: ["0.1", "0.4", "-"],
    "echo-embedding": ["0.02", "0", "-"],
    "echo-image": ["-", "-", "0.001/picture"],
    "echo-speech": ["-", "-", "1.00/M characters"],
    "echo-transcription": ["-", "-", "0.0001/second"],
    "echo-moderation": ["free", "free", "-"],
    painter: ["5", "-", "0.04/picture"],
    gift: ["free", "free", "-"],
  });
});

test("with --json the server's answer stays as it is", async () => {
  const listed = await place.person().json<{ data: { id: string }[] }>(["models", "list"]);
  const told = await fetch(`${place.url}/api/models?page=1&pageSize=100`);
  expect(listed).toEqual((await told.json()) as typeof listed);
  expect(listed.data.find(({ id }) => id === "echo-image")).toMatchObject({ inputPrice: 0, outputPrice: 0 });
});

test("one model is shown by its name, under either name of the command", async () => {
  const person = place.person();
  const shown = await person.run(["models", "show", "painter"]);
  expect([shown.code, shown.out]).toEqual([0, expect.stringMatching(/Type\s+image[\s\S]+Other USD\s+0\.04\/picture/)]);
  expect(await person.json<object>(["models", "get", "echo"])).toMatchObject({ id: "echo", provider: "echo" });
  expect((await person.run(["models", "get", "nothing"])).code).toBe(5);
});

test.each([
  ["keys get", "keys show"],
  ["keys delete", "keys remove"],
  ["teams get", "teams show"],
  ["teams delete", "teams remove"],
  ["admin users get", "admin users show"],
  ["admin users delete", "admin users remove"],
  ["admin models create", "admin models add"],
  ["admin models delete", "admin models remove"],
])("`%s` is `%s`", async (other, name) => {
  const help = await place.person().run([...other.split(" "), "--help"]);
  expect(help.out).toContain(`Usage: turnpike ${name}|`);
});

test("a file goes after the prompt, or is the prompt", async () => {
  const person = place.person();
  await person.signUp("reader@example.com");
  const key = (await person.run(["keys", "create", "mine", "--quiet"])).out.trim();
  writeFileSync(join(person.home, "notes.txt"), "two and three");
  const ask = (...more: string[]) => person.run(["chat", "-m", "echo", ...more], { env: { TURNPIKE_KEY: key } });
  expect((await ask("--file", "notes.txt")).out).toContain("two and three");
  expect((await ask("one", "--file", "notes.txt")).out).toMatch(/one\s+two and three/);
  expect((await ask("--file", "nothing.txt")).code).toBe(2);
});

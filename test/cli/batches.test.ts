import { afterAll, beforeAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BatchAnswer } from "../../src/contract/batches.ts";
import { type Person, type Place, startPlace } from "./command-line.ts";

const ENDPOINT = "/v1/chat/completions";
let place: Place;
let ann: Person;
let env: Record<string, string>;
beforeAll(async () => {
  place = await startPlace();
  ann = place.person();
  await ann.signUp("ann@example.com");
  env = { TURNPIKE_KEY: (await ann.run(["keys", "create", "mine", "--quiet"])).out.trim() };
});
afterAll(() => place.close());

const batches = (...args: string[]) => ann.run(["batches", ...args], { env });
const line = (custom_id: string, model = "echo"): string =>
  JSON.stringify({
    custom_id,
    method: "POST",
    url: ENDPOINT,
    body: { model, messages: [{ role: "user", content: `Say ${custom_id}` }] },
  });
function write(name: string, ...lines: string[]): string {
  writeFileSync(join(ann.home, name), `${lines.join("\n")}\n`);
  return name;
}
const idsIn = (text: string): string[] =>
  text
    .trim()
    .split("\n")
    .map((row) => (JSON.parse(row) as { custom_id: string }).custom_id)
    .sort();

test("a file is uploaded and carried out, its progress is told, and its results come to stdout or a file", async () => {
  const created = await batches("create", write("calls.jsonl", line("a"), line("b"), line("c", "nothing")), "--wait");
  expect([created.code, created.out, created.err]).toEqual([
    0,
    expect.stringMatching(/^Batch +batch_\w+\nStatus +completed\n/),
    expect.stringMatching(/it goes on when this command ends\.\n[\s\S]*completed: 3 of 3, 1 failed\n/),
  ]);
  const id = /batch_\w+/.exec(created.out)?.[0] ?? "";
  expect(created.err).toContain(`batches output ${id} --errors`);
  expect(idsIn((await batches("output", id)).out)).toEqual(["a", "b"]);
  expect(idsIn((await batches("output", id, "--errors")).out)).toEqual(["c"]);
  expect(await batches("download", id, "--out", "answers.jsonl", "--quiet")).toEqual({
    code: 0,
    out: "answers.jsonl\n",
    err: "",
  });
  expect(idsIn(readFileSync(join(ann.home, "answers.jsonl"), "utf8"))).toEqual(["a", "b"]);
  const shown = await ann.json<BatchAnswer>(["batches", "get", id], { env });
  expect(shown).toMatchObject({ id, status: "completed", request_counts: { total: 3, completed: 2, failed: 1 } });
});

test("what is piped in is a file too, and several batches are listed, a page or all of them", async () => {
  const ids: string[] = [];
  for (const name of ["d", "e"]) {
    const { out } = await ann.run(["batches", "create", "-", "--quiet"], { env, stdin: `${line(name)}\n` });
    ids.unshift(out.trim());
  }
  const listed = await batches("list", "--quiet", "--limit", "1");
  expect(listed).toEqual({ code: 0, out: `${ids[0]}\n`, err: "" });
  const more = await batches("list", "--limit", "1", "-o", "table");
  expect(more.out).toMatch(/^ID +STATUS +ENDPOINT +LINES +ANSWERED +FAILED +CREATED\nbatch_/);
  expect(more.err).toContain(`--after ${ids[0]} goes on`);
  expect((await batches("list", "--quiet", "--after", ids[0] ?? "", "--limit", "1")).out).toBe(`${ids[1]}\n`);
  const all = (await batches("list", "-o", "jsonl")).out.trim().split("\n");
  expect(all.map((row) => (JSON.parse(row) as BatchAnswer).id).slice(0, 2)).toEqual(ids);
  expect((await ann.json<{ object: string }>(["batches", "list"], { env })).object).toBe("list");
});

test("with --quiet the id is all that is told, also of one that was waited for", async () => {
  const made = await batches("create", write("quiet.jsonl", line("q")), "--wait", "-q");
  expect(made).toEqual({ code: 0, out: expect.stringMatching(/^batch_\w+\n$/), err: "" });
  expect(await batches("show", made.out.trim(), "--wait", "-q")).toEqual(made);
});

test("a file with faults fails, with its lines named", async () => {
  const file = write("wrong.jsonl", line("a"), "{", line("a"));
  const failed = await batches("create", file, "--wait");
  expect([failed.code, failed.out, failed.err]).toEqual([
    1,
    expect.stringMatching(/Fault 1 +line 2: [\s\S]*Fault 2 +line 3: /),
    expect.stringContaining("The batch is failed."),
  ]);
  const id = /batch_\w+/.exec(failed.out)?.[0] ?? "";
  const none = await batches("output", id);
  expect([none.code, none.out, none.err]).toEqual([5, "", expect.stringContaining(`batches show ${id}`)]);
  const late = await batches("cancel", id);
  expect([late.code, late.err]).toEqual([2, expect.stringContaining("failed")]);
});

test("what cannot be read, is nothing or has no key is said", async () => {
  for (const file of ["nowhere.jsonl", "."]) {
    const { code, err } = await batches("create", file);
    expect([code, err]).toEqual([2, expect.stringContaining(`${file} cannot be read.`)]);
  }
  expect((await batches("create", write("x.jsonl", line("a")), "--endpoint", "/v1/images")).code).toBe(2);
  expect((await batches("show", "batch_nothing")).code).toBe(5);
  expect((await batches("output", "batch_nothing", "--out", "nowhere/x.jsonl")).code).toBe(2);
  expect((await ann.run(["batches", "list"])).code).toBe(3);
  expect((await batches("--help")).out).toMatch(
    /list[\s\S]*show\|get[\s\S]*create[\s\S]*cancel[\s\S]*output\|download/,
  );
});

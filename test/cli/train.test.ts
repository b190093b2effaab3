import { afterAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ALLOWED } from "../training/hosted.ts";
import { startSmall } from "../training/small-participants.ts";
import { Person, startPlace } from "./command-line.ts";

const person = new Person("http://127.0.0.1:1");
const participants = await Promise.all(["north", "south"].map((id, at) => startSmall(id, at)));
afterAll(async () => {
  await Promise.all(participants.map((one) => one.stop()));
  person.remove();
});
const plan = (name: string, text: string) => writeFileSync(join(person.home, name), text);

test("train run shows every round, and leaves the model and a report", async () => {
  const lines = participants.map(({ id, url }) => `  - { id: ${id}, url: "${url}" }`).join("\n");
  plan("plan.yaml", `name: weather\nrounds: 3\nparticipants:\n${lines}\n`);
  const { code, out, err } = await person.run(["train", "run", "plan.yaml"]);
  expect(code).toBe(0);
  expect(err.trim().split("\n")).toHaveLength(3);
  expect(err).toContain("[########################] round 3 of 3  accuracy ");
  expect(out).toContain("weather.run/models/");
  const report = readFileSync(join(person.home, "weather.run/report.html"), "utf8");
  expect(report).toContain("<svg");
  expect(report).toContain("3 of 3 rounds");
});

test.each([
  ["a plan that is not there", "absent.yaml", null, "There is no file absent.yaml."],
  [
    "a plan with faults, all of them",
    "faults.yaml",
    "rounds: 0\nparticipants: []\n",
    "participants is not a list of one or more; rounds is not",
  ],
  [
    "a plan whose first model is not there",
    "begin.yaml",
    'initial: absent.safetensors\nparticipants: [{ url: "http://127.0.0.1:1" }]\n',
    "absent.safetensors, and there is no such file",
  ],
  ["a plan that is no YAML", "broken.yaml", "a: [", "cannot be read"],
])("train run refuses %s", async (_, file, text, words) => {
  if (text !== null) plan(file, text);
  const { code, err } = await person.run(["train", "run", file]);
  expect(code).toBe(2);
  expect(err).toContain(words);
});

test("a server carries the same plan out, and everything about it is seen and done with the command line", async () => {
  const place = await startPlace({}, ALLOWED);
  try {
    const ida = place.person();
    await ida.signUp("ida@example.com");
    const lines = participants.map(({ id, url }) => `  - { id: ${id}, url: "${url}", token_env: A_TOKEN }`).join("\n");
    writeFileSync(join(ida.home, "plan.yaml"), `name: weather\nrounds: 3\nparticipants:\n${lines}\n`);
    const missing = await ida.run(["train", "run", "plan.yaml", "--server"]);
    expect([missing.code, missing.err]).toEqual([2, expect.stringContaining("A_TOKEN is not set")]);
    const run = await ida.run(["train", "run", "plan.yaml", "--server"], { env: { A_TOKEN: "nobody-asks-for-it" } });
    expect([run.code, run.err]).toEqual([0, expect.stringContaining("round 3 of 3  accuracy ")]);
    expect(run.out).toMatch(/Status +completed/);
    const { data } = await ida.json<{ data: { id: string; name: string }[] }>([
      "train",
      "list",
      "--status",
      "completed",
    ]);
    const [{ id = "" } = {}] = data;
    expect((await ida.run(["train", "show", id])).out).toMatch(/Name +weather\nStatus +completed/);
    expect((await ida.run(["train", "rounds", id])).out.trim().split("\n")).toHaveLength(3);
    const { sha256 } = await ida.json<{ sha256: string }>(["train", "model", id, "--out", "model.safetensors"]);
    const bytes = readFileSync(join(ida.home, "model.safetensors"));
    expect(sha256).toBe(createHash("sha256").update(bytes).digest("hex"));
    expect((await ida.run(["train", "report", id, "--out", "report.html"])).code).toBe(0);
    expect(readFileSync(join(ida.home, "report.html"), "utf8")).toContain("3 of 3 rounds");

    expect((await ida.run(["train", "participants", "list"])).out).toMatch(/\tnorth\t\S+\tkept\t-\n.*\tsouth\t/);
    expect((await ida.run(["train", "participants", "probe", "north"])).out).toMatch(/Well +yes \(north\)/);
    writeFileSync(join(ida.home, "moved.yaml"), 'participants: [{ id: north, url: "http://127.0.0.1:1" }]\n');
    const moved = await ida.run(["train", "run", "moved.yaml", "--server"]);
    expect([moved.code, moved.err]).toEqual([2, expect.stringContaining("train participants update north --url")]);
    await ida.run(["train", "participants", "add", "gone", "http://127.0.0.1:1"]);
    const unwell = await ida.run(["train", "participants", "probe", "gone"]);
    expect([unwell.code, unwell.err]).toEqual([1, expect.stringContaining("gone is not well")]);

    writeFileSync(join(ida.home, "stuck.yaml"), "name: stuck\nretries: 0\nparticipants: [gone]\n");
    const stuck = await ida.run(["train", "run", "stuck.yaml", "--server"]);
    expect([stuck.code, stuck.err]).toEqual([1, expect.stringContaining("The run is paused.")]);
    expect(stuck.out).toContain("did not reach its quorum of 1");
    const [, other = ""] = /Run +(\S+)/.exec(stuck.out) ?? [];
    expect((await ida.run(["train", "resume", other])).err).toBe("The run goes on.\n");
    expect((await ida.run(["train", "cancel", other, "--yes"])).err).toBe("The run is cancelled.\n");
    expect((await ida.run(["train", "pause", other])).code).toBe(1);
    expect((await ida.run(["train", "show", other, "--quiet"])).out).toBe("cancelled\n");
    expect((await ida.run(["train", "participants", "remove", "gone", "--yes"])).code).toBe(0);
    expect((await ida.run(["train", "delete", id, "--yes"])).err).toBe("The run is deleted.\n");
    expect((await ida.run(["train", "show", id])).code).toBe(5);
    expect((await ida.run(["train", "strategies"])).out).toContain("multi_krum\t5\tf keep\t");
  } finally {
    await place.close();
  }
}, 120_000);

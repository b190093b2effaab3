import { afterAll, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startSmall } from "../training/small-participants.ts";
import { Person } from "./command-line.ts";

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
  ["a plan that is no YAML", "broken.yaml", "a: [", "cannot be read"],
])("train run refuses %s", async (_, file, text, words) => {
  if (text !== null) plan(file, text);
  const { code, err } = await person.run(["train", "run", file]);
  expect(code).toBe(2);
  expect(err).toContain(words);
});

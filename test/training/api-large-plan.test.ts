import { afterAll, beforeAll, expect, test } from "bun:test";
import { parse } from "yaml";
import { type Person, startAppOn } from "../accounts/people.ts";
import type { TestApp } from "../app.ts";
import { ALLOWED, personWith, RUNS } from "./hosted.ts";

let app: TestApp;
let person: Person;
beforeAll(async () => {
  app = await startAppOn("sqlite", ALLOWED);
  person = await personWith(app, [{ id: "north", url: "http://127.0.0.1:5000" }]);
});
afterAll(() => app.close());

const sent = (config: string) =>
  person.send("POST", RUNS, { plan: `rounds: 1\nparticipants: [north]\nconfig: ${config}\n` });

test.each([
  ["lists", (depth: number) => "[".repeat(depth) + "]".repeat(depth)],
  ["sets", (depth: number) => `${"{a: ".repeat(depth)}1${"}".repeat(depth)}`],
])(
  "a plan that is nested deeply in %s is refused, and not written again and again while calls wait",
  async (_, nested) => {
    expect(await sent(`{ x: ${nested(500)} }`)).toMatchObject({
      status: 400,
      body: { error: "plan: it is nested more than 32 deep." },
    });
    expect((await sent(`{ x: ${nested(20)} }`)).status).toBe(201);
  },
);

test("a plan with thousands of settings is read, kept and shown whole; a name that stands twice is refused", async () => {
  const names = Array.from({ length: 15_000 }, (_, at) => `k${at}`);
  const lines = (all: readonly string[]) => `\n${all.map((name) => `  ${name}: 1`).join("\n")}`;
  const { status, body } = await sent(lines(names));
  const { plan, planYaml } = body as { plan: { config: object }; planYaml: string };
  expect([status, Object.keys(plan.config)]).toEqual([201, names]);
  expect(parse(planYaml, { uniqueKeys: false })).toEqual(plan);
  expect(await sent(lines(["a", "b", "a"]))).toMatchObject({
    status: 400,
    body: { error: "plan: it is no YAML: a stands twice in one set." },
  });
});

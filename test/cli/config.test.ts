import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Person } from "./command-line.ts";

const people: Person[] = [];
afterAll(() => {
  for (const person of people) person.remove();
});
/** Without TURNPIKE_URL, as an empty variable is none. */
function newPerson(): Person {
  const person = new Person("");
  people.push(person);
  return person;
}

interface Setting {
  readonly id: string;
  readonly value: string | null;
  readonly source: string | null;
}
const settingsOf = async (person: Person, args: string[] = [], env = {}) => {
  const { data } = await person.json<{ data: Setting[] }>(["config", "list", ...args], { env });
  return Object.fromEntries(data.map(({ id, value, source }) => [id, [value, source]]));
};

test("settings are kept by profile, and flags win over variables, those over the file", async () => {
  const person = newPerson();
  expect((await settingsOf(person)).url).toEqual(["http://127.0.0.1:4000", "default"]);
  expect((await person.run(["config", "set", "url", "https://one.example.com/"])).code).toBe(0);
  await person.run(["config", "set", "url", "https://two.example.com", "--profile", "work"]);
  expect((await person.run(["config", "get", "url"])).out).toBe("https://one.example.com\n");
  expect((await person.run(["config", "get", "url", "--profile", "work"])).out).toBe("https://two.example.com\n");

  await person.run(["config", "set", "profile", "work"]);
  const kept = await settingsOf(person);
  expect([kept.profile, kept.url]).toEqual([
    ["work", "config"],
    ["https://two.example.com", "config"],
  ]);
  expect(kept.profiles).toEqual(["default, work", "config"]);
  const env = { TURNPIKE_PROFILE: "default", TURNPIKE_URL: "https://three.example.com" };
  const said = await settingsOf(person, [], env);
  expect([said.profile, said.url]).toEqual([
    ["default", "TURNPIKE_PROFILE"],
    ["https://three.example.com", "TURNPIKE_URL"],
  ]);
  expect((await settingsOf(person, ["--url", "https://four.example.com"], env)).url).toEqual([
    "https://four.example.com",
    "--url",
  ]);

  await person.run(["config", "unset", "url"]);
  await person.run(["config", "unset", "profile"]);
  expect((await person.run(["config", "get", "url"])).out).toBe("https://one.example.com\n");
  const path = (await person.run(["config", "path"])).out.trim();
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
    profiles: { default: { url: "https://one.example.com" }, work: {} },
  });
});

test("what makes no sense is not kept, and secrets are neither kept nor shown", async () => {
  const person = newPerson();
  const given = [
    ["url", "ftp://one.example.com"],
    ["url", "https://me:secret@one.example.com"],
    ["profile", "../x"],
    ["token", "x"],
    ["key", "sk-x"],
  ] as const;
  for (const [name, value] of given) expect((await person.run(["config", "set", name, value])).code).toBe(2);
  const env = { TURNPIKE_KEY: "sk-the-key", TURNPIKE_TOKEN: "the-token" };
  const { out } = await person.run(["config", "list", "-o", "csv"], { env });
  expect(out).toContain("key,set,TURNPIKE_KEY\r\n");
  expect(out).not.toMatch(/sk-the-key|the-token/);
  expect((await person.run(["config", "get", "email"])).code).toBe(5);
  expect((await person.run(["config", "get", "nonsense"])).code).toBe(2);
});

test("who is told everything needs no settings file, not even a good one", async () => {
  const person = newPerson();
  mkdirSync(join(person.home, ".config/turnpike"), { recursive: true });
  writeFileSync(join(person.home, ".config/turnpike/config.json"), "[");
  const env = { TURNPIKE_URL: "http://127.0.0.1:1", TURNPIKE_TOKEN: "x" };
  expect((await person.run(["balance"], { env })).code).toBe(7);
  const lost = await person.run(["balance"]);
  expect([lost.code, lost.err]).toEqual([1, expect.stringContaining("config.json is not a JSON object")]);
});

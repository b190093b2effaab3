// What the program tells people to type has to be there to be typed.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { addClientCommands } from "../../src/cli/client.ts";
import { createProgram } from "../../src/start/program.ts";
import { type Person, startPlace } from "./command-line.ts";

const SOURCES = join(import.meta.dir, "../../src");
const nothing = async (): Promise<never> => {
  throw new Error("nothing is run here");
};
const program = createProgram(
  new Proxy({} as Parameters<typeof createProgram>[0], { get: () => nothing }),
  () => undefined,
  () => undefined,
);
addClientCommands(program, [], () => undefined);

/** Every command line that a text of the program names, as far as it is known beforehand. */
function namedCommands(): { readonly at: string; readonly words: readonly string[] }[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) =>
    /(?<!\.test)\.ts$/.test(name),
  );
  const forms = [
    // In a text: up to what is no word of a command any more.
    /(?:\$\{COMMAND\}|[`"]turnpike) ((?:--)?[a-z0-9][a-z0-9-]*(?: (?:(?:--)?[a-z0-9][a-z0-9-]*|[A-Z]+|\$\{[^}]*\}))*)/g,
    // Handed to what puts the program's name before it.
    /requireChanges\("([a-z -]+)"/g,
    /missing\("\w+", \w+, "([a-z ]+)"\)/g,
    /EXAMPLE = '([^']+)'/g,
  ];
  return files.flatMap((name) => {
    const text = readFileSync(join(SOURCES, name), "utf8");
    // What is said about the code is for nobody who types.
    const said = text.replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, "");
    return forms.flatMap((form) =>
      [...said.matchAll(form)].map(([, words = ""]) => ({ at: `${name}: ${words}`, words: words.split(" ") })),
    );
  });
}

/** What is wrong with a command line; null where it leads to a command, and its options are there. */
function faultIn(words: readonly string[]): string | null {
  let at: Command = program;
  for (const [nth, word] of words.entries()) {
    if (word.startsWith("-")) {
      const options = [...at.options, ...program.options].flatMap(({ long, short }) => [long, short]);
      if (!options.includes(word)) return `${at.name()} has no ${word}`;
      continue;
    }
    const next = at.commands.find((one) => [one.name(), ...one.aliases()].includes(word));
    if (next) at = next;
    else if (nth === 0 || (at.commands.length > 0 && at.registeredArguments.length === 0))
      return `${at.name()} has no ${word}`;
  }
  return null;
}

test("every command that the program names exists, with the options that it names", () => {
  const named = namedCommands();
  expect(named.length).toBeGreaterThan(60);
  const faults = named.flatMap(({ at, words }) => {
    const fault = faultIn(words);
    return fault === null ? [] : [`${at} (${fault})`];
  });
  expect(faults).toEqual([]);
});

test("the help has words for every option", () => {
  const within = (command: Command): readonly Command[] => [command, ...command.commands.flatMap(within)];
  const bare = within(program).flatMap((command) =>
    command.options.filter(({ description }) => !description).map(({ flags }) => `${command.name()} ${flags}`),
  );
  expect(bare).toEqual([]);
});

describe("somebody who asks for what is not there", () => {
  let place: Awaited<ReturnType<typeof startPlace>>;
  let ann: Person;
  let env: Record<string, string>;
  beforeAll(async () => {
    place = await startPlace();
    ann = place.person();
    await ann.signUp("ann@example.com");
    env = { TURNPIKE_KEY: (await ann.run(["keys", "create", "mine", "--quiet"])).out.trim() };
  });
  afterAll(() => place.close());

  const NOTHING = "00000000-0000-7000-8000-000000000000";
  test.each([
    [["logs", "get", NOTHING], "logs"],
    [["webhooks", "rotate", NOTHING, "--yes"], "webhooks list"],
    [["train", "show", NOTHING], "train list"],
    [["train", "participants", "remove", NOTHING, "--yes"], "train participants list"],
    [["batches", "show", "batch_nothing"], "batches list"],
  ])("is told by %p which command shows what there is", async (args, list) => {
    const { code, err } = await ann.run(args, { env });
    expect(code).toBe(5);
    expect(err).toMatch(new RegExp(`\\b${list}\`? shows what there is\\.|See: .* ${list}\n$`));
    const shown = await ann.run(list.split(" "), { env });
    expect(shown.code).toBe(0);
  });

  test.each([
    [["nonsense", "--help"], ""],
    [["keys", "nonsense", "--help"], " keys"],
    [["admin", "users", "nonsense", "-h"], " admin users"],
    [["logs", "list", "--help"], " logs"],
    [["help", "nonsense"], ""],
    [["keys", "help", "nonsense"], " keys"],
    [["help", "keys", "nonsense"], " keys"],
    [["help", "admin", "users", "nonsense"], " admin users"],
    [["help", "config", "nonsense"], " config"],
    [["audit", "nonsense", "--help"], " audit"],
    [["--profile", "work", "keys", "nonsense", "--help"], " keys"],
  ])("is told by %p that there is no such command, and where those that are there are listed", async (args, group) => {
    const word = args.findLast((one) => one === "nonsense" || one === "list");
    const { code, out, err } = await ann.run(args);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(`unknown command '${word}'`);
    expect(err).toMatch(new RegExp(`\\S${group} --help\\b`));
    const json = await ann.run([...args, "--json"]);
    expect([json.code, JSON.parse(json.err).code]).toEqual([2, "USAGE_ERROR"]);
  });

  test.each([
    [["keys", "--help"], "turnpike keys"],
    [["keys", "create", "--help"], "turnpike keys create"],
    [["keys", "create", "mine", "--help"], "turnpike keys create"],
    [["chat", "hello", "--help"], "turnpike chat"],
    [["help", "keys"], "turnpike keys"],
    [["help", "keys", "create"], "turnpike keys create"],
    [["help", "ledger", "verify"], "turnpike ledger verify"],
    [["--help"], "turnpike "],
    [["help"], "turnpike "],
  ])("gets the help of a command that is there by %p", async (args, usage) => {
    const { code, out } = await ann.run(args);
    expect([code, out]).toEqual([0, expect.stringContaining(`Usage: ${usage}`)]);
  });
});

import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { Command } from "commander";
import { addClientCommands } from "../../src/cli/client.ts";
import { readUsd } from "../../src/cli/read-usd.ts";
import { Person } from "./command-line.ts";

const person = new Person("http://127.0.0.1:1");
afterAll(() => person.remove());
const root = join(import.meta.dir, "../..");

test("neither side of the program is loaded for the other", async () => {
  const scan = async (file: string) =>
    new Bun.Transpiler({ loader: "ts" }).scanImports(await Bun.file(join(root, file)).text());
  const main = await scan("src/main.ts");
  const firm = main.filter(({ kind }) => kind === "import-statement").map(({ path }) => path);
  expect(firm).toEqual(["./start/program.ts"]);
  const program = (await scan("src/start/program.ts")).map(({ path }) => path);
  expect(program.sort()).toEqual(["../contract/version.ts", "../lib/command-name.ts", "commander"]);
});

test("the server's own commands stay as they were", async () => {
  expect(JSON.parse((await person.run(["version", "--json"])).out)).toHaveProperty("api");
  expect((await person.run(["config", "check", "none.yaml", "--json"])).code).toBe(1);
  const help = (await person.run(["--help"])).out;
  for (const name of ["serve", "config", "migrate", "version", "login", "keys", "chat"])
    expect(help).toContain(`  ${name}`);
});

test("no command has an option of the name that one of all commands has, and neither takes the other's value", () => {
  const program = new Command();
  addClientCommands(program, [], () => undefined);
  const taken = new Set(program.options.flatMap(({ short, long }) => [short, long]));
  const below = ({ commands }: Command): readonly Command[] => commands.flatMap((one) => [one, ...below(one)]);
  const twice = below(program).flatMap((command) =>
    command.options
      .filter(({ short, long }) => (short && taken.has(short)) || (long && taken.has(long)))
      .map(({ flags }) => `${command.parent?.name()} ${command.name()} ${flags}`),
  );
  expect(below(program).length).toBeGreaterThan(50);
  expect(twice).toEqual([]);
});

test("the help of each group tells the options that all of its commands take", async () => {
  for (const group of [["keys"], ["train"], ["train", "list"], ["train", "participants", "add"]])
    expect((await person.run([...group, "--help"])).out).toContain("Global Options:");
});

test.each([
  [["serve", "--data-dir", ""]],
  [["serve", "-d", " "]],
  [["serve", "--config="]],
  [["ledger", "verify", "--data-dir="]],
  [["train", "run", "plan.yaml", "--folder", ""]],
  [["batches", "output", "batch_1", "--out", ""]],
  [["chat", "hello", "-m", "echo", "--file="]],
])("a path of no name is refused: %p", async (args) => {
  const { code, out, err } = await person.run(args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(/--[a-z-]+ <\w+>' needs a name/);
});

test.each([
  [
    ["serve", "--log-level", "loud"],
    "--log-level <level>' argument 'loud' is invalid. It must be debug, info, warn or error.",
  ],
  [["serve", "--workers", "0"], "--workers <number>' argument '0' is invalid. It must be 1 to 256, or auto."],
  [["serve", "--workers", "many"], "--workers <number>' argument 'many' is invalid."],
  [["serve", "--port", "65536"], "--port <number>' argument '65536' is invalid. It must be 0 to 65535."],
])("an option of the server with a wrong value is named: %p", async (args, words) => {
  const { code, out, err } = await person.run(args);
  expect([code, out]).toEqual([2, ""]);
  expect(err).toContain(words);
});

describe("completion", () => {
  const script = (shell: string) => person.run(["completion", shell]).then(({ out }) => out);

  test("in bash offers what comes next, past options and their values", async () => {
    const text = await script("bash");
    const complete = async (...words: string[]) => {
      const list = words.map((word) => `'${word}'`).join(" ");
      const asked = `${text}\nCOMP_WORDS=(turnpike ${list}); COMP_CWORD=${words.length}; _turnpike; echo "\${COMPREPLY[*]}"`;
      return (await new Response(Bun.spawn(["bash", "-c", asked]).stdout).text()).trim();
    };
    expect(await complete("ke")).toBe("keys");
    expect(await complete("--url", "http://x", "keys", "r")).toBe("rotate rename remove");
    expect(await complete("keys", "rotate", "--gr")).toBe("--grace");
    expect(await complete("admin", "users", "make")).toBe("make-admin");
  });

  test("knows zsh, fish and PowerShell, and no other shell", async () => {
    expect(await script("zsh")).toContain('"keys rotate") compadd -- --grace');
    expect(await script("fish")).toContain(`-n '__turnpike_at "keys"' -a rotate`);
    const powershell = await script("powershell");
    expect(powershell).toStartWith("Register-ArgumentCompleter -Native -CommandName turnpike");
    expect(powershell).toContain("    'keys rotate' = @('--grace', ");
    expect(powershell).toMatch(/^ {4}'' = @\(.*'doctor'/m);
    expect((await person.run(["completion", "tcsh"])).code).toBe(2);
  });
});

test.each([
  ["12.50", 12_500_000_000],
  ["$0.000000001", 1],
  ["3", 3_000_000_000],
])("%s USD are read exactly", (text, nano) => {
  expect(readUsd(text)).toBe(nano);
});

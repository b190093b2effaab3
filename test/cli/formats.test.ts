import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { Person } from "./command-line.ts";

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly modelsCount: number;
  readonly types: readonly string[];
}

const PAGE = 100;
const NASTY = '=1+1;"quoted", and\nmore';
const provider = (at: number): Listed => ({
  id: `p${at}`,
  name: at === 0 ? NASTY : `Größe 日本語 ${at}`,
  modelsCount: at,
  types: ["chat", "image"],
});
let providers = Array.from({ length: 250 }, (_, at) => provider(at));
/** What happens before a page is given, once. */
let before: Record<number, () => Response | undefined> = {};
const asked: number[] = [];

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { searchParams } = new URL(request.url);
    const [page, pageSize] = [Number(searchParams.get("page")), Number(searchParams.get("pageSize"))];
    asked.push(page);
    const happens = before[page];
    delete before[page];
    const instead = happens?.();
    if (instead) return instead;
    const data = providers.slice((page - 1) * pageSize, page * pageSize);
    const meta = { page, pageSize, total: providers.length, totalPages: Math.ceil(providers.length / pageSize) };
    return Response.json({ data, meta });
  },
});
const person = new Person(server.url.href);
afterAll(async () => {
  person.remove();
  await server.stop(true);
});

const list = (...flags: string[]) => person.run(["providers", "list", ...flags]);

test("JSON lines are every row of every page, and a named page is that page alone", async () => {
  const { code, out, err } = await list("-o", "jsonl");
  expect([code, err]).toEqual([0, ""]);
  const rows = out.trimEnd().split("\n");
  expect(rows.map((row) => JSON.parse(row) as Listed)).toEqual(providers);
  expect((await list("-o", "jsonl", "--page", "3")).out.trimEnd().split("\n")).toHaveLength(50);
  expect((await list("-o", "jsonl", "--page-size", "7")).out.trimEnd().split("\n")).toHaveLength(7);
});

test("CSV has one heading, quotes what needs it, and nothing in it is a formula", async () => {
  const { code, out } = await list("--output", "csv");
  const lines = out.split("\r\n");
  expect([code, lines.length, lines[0]]).toEqual([0, providers.length + 2, "ID,NAME,MODELS,TYPES"]);
  expect(lines[1]).toBe(`p0,"'=1+1;""quoted"", and more",0,"chat, image"`);
  expect(lines[2]).toBe(`p1,Größe 日本語 1,1,"chat, image"`);
  expect(lines.at(-1)).toBe("");
});

test("rows that come in while a list is read make no other row come twice", async () => {
  const whole = providers;
  before = {
    2() {
      providers = [provider(9_000), provider(9_001), ...whole];
      return undefined;
    },
  };
  const { out } = await list("-o", "csv");
  providers = whole;
  const ids = out
    .trimEnd()
    .split("\r\n")
    .slice(1)
    .map((line) => line.split(",")[0]);
  expect(ids).toEqual(whole.map(({ id }) => id));
});

test("a server that wants to be asked later is asked later, in the middle of a list", async () => {
  const late = () =>
    Response.json({ error: "Too many.", code: "RATE_LIMITED" }, { status: 429, headers: { "retry-after": "1" } });
  asked.length = 0;
  before = { 2: late };
  expect((await list("-o", "jsonl")).out.trimEnd().split("\n")).toHaveLength(providers.length);
  expect(asked).toEqual([1, 2, 2, 3]);
  before = { 1: late };
  expect((await list("-o", "jsonl")).code).toBe(6);
});

test("--json and -o json are the page as the server gives it; both at once are none of the two", async () => {
  const page = await list("-o", "json");
  expect(JSON.parse(page.out)).toMatchObject({ data: providers.slice(0, PAGE), meta: { total: providers.length } });
  expect((await list("--json")).out).toBe(page.out);
  const both = await list("--json", "-o", "csv");
  expect([both.code, JSON.parse(both.err)]).toEqual([2, expect.objectContaining({ code: "USAGE_ERROR" })]);
  for (const words of [["-o", "json"], ["-ojsonl"], ["--output=json"]]) {
    const wrong = await list(...words, "--nonsense");
    expect([wrong.code, JSON.parse(wrong.err)]).toEqual([2, expect.objectContaining({ code: "USAGE_ERROR" })]);
  }
  expect((await list("-o", "xml")).code).toBe(2);
});

test("a table can be had without a terminal; --quiet leaves a format that was asked for alone", async () => {
  expect((await list("-o", "table", "--page", "3")).out).toStartWith("ID    NAME");
  expect((await list("-o", "csv", "-q", "--page", "3")).out).toStartWith("ID,NAME");
  expect((await list("-q", "--page", "3")).out).toStartWith("p200\np201\n");
});

test("an empty list is a heading in CSV and nothing in JSON lines", async () => {
  const whole = providers;
  providers = [];
  const [csv, jsonl, table] = [await list("-o", "csv"), await list("-o", "jsonl"), await list("-o", "table")];
  providers = whole;
  expect([csv.out, jsonl.out, table.out, table.err]).toEqual(["ID,NAME,MODELS,TYPES\r\n", "", "", "Nothing yet.\n"]);
});

test("whoever reads only the beginning ends it without a complaint", async () => {
  for (const format of ["csv", "jsonl", "table"]) {
    const command = `"${process.execPath}" src/main.ts providers list -o ${format} | head -1; echo "\${PIPESTATUS[0]}"`;
    const child = Bun.spawn(["bash", "-c", command], {
      cwd: join(import.meta.dir, "../.."),
      env: { PATH: process.env.PATH ?? "", HOME: person.home, TURNPIKE_URL: server.url.href },
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect([out.trimEnd().split("\n").at(-1), out.split("\n").length]).toEqual(["0", 3]);
    expect(err).not.toContain("EPIPE");
  }
});

test("on a narrow terminal a row goes on in a second line between two columns, and nothing is cut", async () => {
  const shown = await person.onTerminal(
    ["providers", "list", "--page", "3", "--page-size", "1"],
    30,
    "chat, image\r\n",
  );
  const lines = shown.split("\r\n");
  expect(lines.slice(0, 4)).toEqual([
    "ID  NAME            MODELS",
    "    TYPES",
    "p2  Größe 日本語 2       2",
    "    chat, image",
  ]);
  expect(shown).not.toContain("\u001b[1m");
});

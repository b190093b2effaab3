import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { findBreaches } from "./architecture/ranks.ts";
import { findUnused } from "./architecture/unused.ts";

const root = join(import.meta.dir, "..");

const PROGRAM = ["src", "web", "sdk/typescript/src"];
const AROUND_IT = ["test", "bench", "scripts", "examples", "sdk/typescript"];

async function readSources(folders: readonly string[]): Promise<Map<string, string>> {
  const files = new Map<string, string>();
  for (const folder of folders) {
    for await (const path of new Bun.Glob(`${folder}/**/*.{ts,tsx,mjs}`).scan({ cwd: root })) {
      if (path.includes("node_modules/") || path.includes("/dist/")) continue;
      files.set(path, await Bun.file(join(root, path)).text());
    }
  }
  return files;
}

const breachesOf = (files: Record<string, string>) => findBreaches(new Map(Object.entries(files)));

describe("the program", () => {
  test("keeps the order of its folders, has no import cycle, no vague name and no file that is too long", async () => {
    const files = await readSources(PROGRAM);
    expect(files.size).toBeGreaterThan(0);
    expect(findBreaches(files)).toEqual([]);
  });

  test("exports nothing that nobody uses", async () => {
    expect(findUnused(await readSources([...PROGRAM, ...AROUND_IT]))).toEqual([]);
  });
});

describe("the check", () => {
  test("lets a folder import lower ranks, its own files and packages", () => {
    expect(
      breachesOf({
        "src/main.ts": 'import { chat } from "./gateway/chat.ts";\nimport { serve } from "./routes/serve.ts";\n',
        "src/routes/serve.ts":
          'import { chat } from "../gateway/chat.ts";\nimport manifest from "../../package.json";\n',
        "src/gateway/chat.ts": 'import type { Key } from "../accounts/key.ts";\nimport { Type } from "typebox";\n',
        "src/storage/keys.ts": 'import type { KeyStore } from "../accounts/key.ts";\n',
        "src/accounts/key.ts": 'import { hash } from "./hash.ts";\nimport { fault } from "../contract/fault.ts";\n',
        "src/accounts/key.test.ts": 'import { startRedis } from "../../test/services/redis.ts";\n',
        "src/accounts/hash.ts": 'import { clock } from "../lib/clock.ts";\n',
        "src/config/load.ts": 'import { fault } from "../contract/fault.ts";\n',
        "src/cli/keys.ts": 'import { fault } from "../contract/fault.ts";\nimport { clock } from "../lib/clock.ts";\n',
        "src/contract/fault.ts": "export const fault = 1;\n",
        "src/lib/clock.ts": '// import { x } from "../gateway/chat.ts" would be wrong.\nexport const clock = "from";\n',
        "src/cli/participant.ts": 'const sdk = () => import("../../sdk/typescript/src/index.ts");\n',
        "sdk/typescript/src/index.ts": 'import { Turns } from "./turns.ts";\n',
        "web/src/keys.ts": 'import type { Fault } from "../../src/contract/fault.ts";\n',
      }),
    ).toEqual([]);
  });

  test.each([
    ["an import of a higher rank", "src/accounts/key.ts", 'import { chat } from "../gateway/chat.ts";'],
    ["a type of a higher rank", "src/accounts/key.ts", 'import type { Chat } from "../gateway/chat.ts";'],
    ["an import of a sibling", "src/limits/window.ts", 'import { key } from "../accounts/key.ts";'],
    ["contract that uses lib", "src/contract/ids.ts", 'import { clock } from "../lib/clock.ts";'],
    ["a re-export", "src/http/route.ts", 'export { chat } from "../gateway/chat.ts";'],
    ["an import for its effect", "src/http/route.ts", 'import "../gateway/chat.ts";'],
    ["an import inside a function", "src/http/route.ts", 'const load = () => import("../gateway/chat.ts");'],
    [
      "an import over several lines",
      "src/http/route.ts",
      'import {\n  chat,\n  type Chat,\n} from "../gateway/chat.ts";',
    ],
    ["storage used by the gateway", "src/gateway/chat.ts", 'import { open } from "../storage/open.ts";'],
    ["a domain folder used by the client", "src/cli/keys.ts", 'import { key } from "../accounts/key.ts";'],
    ["the client used by a route", "src/routes/keys.ts", 'import { keys } from "../cli/keys.ts";'],
    ["a domain folder used by the configuration", "src/config/load.ts", 'import { key } from "../accounts/key.ts";'],
    ["main imported by a part", "src/routes/keys.ts", 'import { main } from "../main.ts";'],
    ["test code in the program", "src/routes/keys.ts", 'import { startRedis } from "../../test/services/redis.ts";'],
    ["the SDK used by the gateway", "src/gateway/chat.ts", 'import { run } from "../../sdk/typescript/src/index.ts";'],
    ["a file inside the SDK", "src/cli/run.ts", 'import { Turns } from "../../sdk/typescript/src/turns.ts";'],
    ["the program used by the SDK", "sdk/typescript/src/run.ts", 'import { x } from "../../../src/lib/clock.ts";'],
    ["a value taken by the web", "web/src/keys.ts", 'import { fault } from "../../src/contract/fault.ts";'],
    ["another folder used by the web", "web/src/keys.ts", 'import type { Key } from "../../src/accounts/key.ts";'],
  ])("reports %s", (_, path, text) => {
    expect(breachesOf({ [path]: `${text}\n` })).toHaveLength(1);
  });

  test("reports a folder without a rank, a stray file, a vague name and a long file", () => {
    expect(breachesOf({ "src/invoices/invoice.ts": "" })[0]).toContain('"invoices" has no rank');
    expect(breachesOf({ "src/server.ts": "" })[0]).toContain("only main.ts");
    expect(breachesOf({ "src/lib/utils.ts": "" })[0]).toContain("says nothing");
    expect(breachesOf({ "src/http/helpers/sse.ts": "" })[0]).toContain("says nothing");
    expect(breachesOf({ "src/lib/long.ts": "x;\n".repeat(401) })).toEqual([
      "src/lib/long.ts: 401 lines, more than 400",
    ]);
    expect(breachesOf({ "src/lib/fits.ts": "x;\n".repeat(400) })).toEqual([]);
  });

  test("reports a cycle between files of one folder, also when it is of types only", () => {
    expect(
      breachesOf({
        "src/lib/a.ts": 'import { b } from "./b.ts";\n',
        "src/lib/b.ts": 'import type { C } from "./c";\n',
        "src/lib/c.ts": 'export { a } from "./a.ts";\n',
      }),
    ).toEqual(["import cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts"]);
  });

  test("reports a function, a constant and a class that only their own file names, and no type", () => {
    const files = {
      "src/lib/a.ts":
        "export const used = 1;\nexport const alone = used;\nexport async function run() {}\nexport class Pot {}\nexport interface Form {}\n",
      "src/lib/b.ts": 'import { used } from "./a.ts";\nrun$(used);\n',
    };
    expect(findUnused(new Map(Object.entries(files)))).toEqual([
      "src/lib/a.ts: alone",
      "src/lib/a.ts: run",
      "src/lib/a.ts: Pot",
    ]);
  });
});

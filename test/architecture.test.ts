import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ALLOWANCES_FILE, compare, countPlaces, findPlaces, readAllowances } from "./architecture/allowances.ts";
import { findRaisesInHistory } from "./architecture/history.ts";
import { findBreaches } from "./architecture/ranks.ts";
import { reportExcess, reportRaises, reportUnused } from "./architecture/report.ts";
import { readRepository } from "./architecture/repository.ts";
import { readSources } from "./architecture/rule.ts";
import { RULES } from "./architecture/rules.ts";
import { findUnused } from "./architecture/unused.ts";

const root = join(import.meta.dir, "..");
const sources = readSources(readRepository(root));

const breachesOf = (files: Record<string, string>) => findBreaches(new Map(Object.entries(files)));

function failWith(problem: string | null): void {
  if (problem !== null) throw new Error(problem);
}

describe("the program", () => {
  const code = [...sources.texts].filter(([path]) => /\.(?:tsx?|mjs)$/.test(path));

  test("respects the order of the folders, and has no import cycle, no vague name and no file over 400 lines", () => {
    const program = new Map(code.filter(([path]) => /^(?:src|web|sdk\/typescript\/src)\//.test(path)));
    expect(program.size).toBeGreaterThan(0);
    expect(findBreaches(program, sources.imports)).toEqual([]);
  });

  test("has no unused export", () => {
    expect(findUnused(new Map(code))).toEqual([]);
  });
});

describe("the allowances", () => {
  const findings = findPlaces(RULES, sources);
  const allowances = readAllowances(readFileSync(join(root, ALLOWANCES_FILE), "utf8"));
  const differences = compare(allowances, countPlaces(findings, sources));

  test("cover every place that breaks a rule", () => {
    failWith(reportExcess(root, differences, findings));
  });

  test("are no higher than the counts", () => {
    failWith(reportUnused(differences));
  });

  test("were raised by no commit", () => {
    failWith(reportRaises(findRaisesInHistory(root, allowances)));
  });
});

describe("the check of the folders", () => {
  test("accepts imports of lower ranks, of the same folder and of packages", () => {
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
    ["an import of the same rank", "src/limits/window.ts", 'import { key } from "../accounts/key.ts";'],
    ["an import of lib in contract", "src/contract/ids.ts", 'import { clock } from "../lib/clock.ts";'],
    ["a re-export", "src/http/route.ts", 'export { chat } from "../gateway/chat.ts";'],
    ["an import without names", "src/http/route.ts", 'import "../gateway/chat.ts";'],
    ["an import inside a function", "src/http/route.ts", 'const load = () => import("../gateway/chat.ts");'],
    [
      "an import over several lines",
      "src/http/route.ts",
      'import {\n  chat,\n  type Chat,\n} from "../gateway/chat.ts";',
    ],
    ["an import of storage in the gateway", "src/gateway/chat.ts", 'import { open } from "../storage/open.ts";'],
    [
      "an import of a domain folder in the command line",
      "src/cli/keys.ts",
      'import { key } from "../accounts/key.ts";',
    ],
    ["an import of the command line in a route", "src/routes/keys.ts", 'import { keys } from "../cli/keys.ts";'],
    [
      "an import of a domain folder in the configuration",
      "src/config/load.ts",
      'import { key } from "../accounts/key.ts";',
    ],
    ["an import of main.ts", "src/routes/keys.ts", 'import { main } from "../main.ts";'],
    [
      "an import of test code in the program",
      "src/routes/keys.ts",
      'import { startRedis } from "../../test/services/redis.ts";',
    ],
    [
      "an import of the SDK in the gateway",
      "src/gateway/chat.ts",
      'import { run } from "../../sdk/typescript/src/index.ts";',
    ],
    [
      "an import of an inner file of the SDK",
      "src/cli/run.ts",
      'import { Turns } from "../../sdk/typescript/src/turns.ts";',
    ],
    [
      "an import of the program in the SDK",
      "sdk/typescript/src/run.ts",
      'import { x } from "../../../src/lib/clock.ts";',
    ],
    ["an import of a value in web", "web/src/keys.ts", 'import { fault } from "../../src/contract/fault.ts";'],
    ["an import of another folder in web", "web/src/keys.ts", 'import type { Key } from "../../src/accounts/key.ts";'],
  ])("reports %s", (_, path, text) => {
    expect(breachesOf({ [path]: `${text}\n` })).toHaveLength(1);
  });

  test("reports a folder without a rank, a stray file, a vague name and a long file", () => {
    expect(breachesOf({ "src/invoices/invoice.ts": "" })[0]).toContain('"invoices" has no rank');
    expect(breachesOf({ "src/server.ts": "" })[0]).toContain("only main.ts");
    expect(breachesOf({ "src/lib/utils.ts": "" })[0]).toContain("does not say");
    expect(breachesOf({ "src/http/helpers/sse.ts": "" })[0]).toContain("does not say");
    expect(breachesOf({ "src/lib/long.ts": "x;\n".repeat(401) })).toEqual([
      "src/lib/long.ts: 401 lines, the limit is 400",
    ]);
    expect(breachesOf({ "src/lib/fits.ts": "x;\n".repeat(400) })).toEqual([]);
  });

  test("reports a cycle between files of one folder, also of type imports", () => {
    expect(
      breachesOf({
        "src/lib/a.ts": 'import { b } from "./b.ts";\n',
        "src/lib/b.ts": 'import type { C } from "./c";\n',
        "src/lib/c.ts": 'export { a } from "./a.ts";\n',
      }),
    ).toEqual(["import cycle: src/lib/a.ts -> src/lib/b.ts -> src/lib/c.ts -> src/lib/a.ts"]);
  });

  test("reports an exported function, constant or class that no other file names, but no type", () => {
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

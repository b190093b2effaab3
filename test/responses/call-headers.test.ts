import { expect, test } from "bun:test";
import { CALL_HEADERS } from "../../src/gateway/interfaces/responses/background.ts";
import { PROGRAM_ROOT } from "../../src/lib/program-root.ts";

/** Those of other interfaces, or that are read before a response is put into the background. */
const ELSEWHERE = ["anthropic-beta", "idempotency-key"];

test("a response in the background takes every header along that a call is carried out by", async () => {
  const read = new Set<string>();
  for await (const path of new Bun.Glob("src/gateway/**/*.ts").scan({ cwd: PROGRAM_ROOT, absolute: true })) {
    for (const [, name] of (await Bun.file(path).text()).matchAll(/\.header\("([^"]+)"\)/g)) read.add(name ?? "");
  }
  expect([...read].filter((name) => !ELSEWHERE.includes(name)).sort()).toEqual([...CALL_HEADERS].sort());
});

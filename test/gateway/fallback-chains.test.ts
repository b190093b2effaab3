import { afterEach, expect, test } from "bun:test";
import { status } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

let groups: Balanced;
afterEach(() => groups.stop());

const chain = { a: {}, b: { group: "middle" }, c: { group: "end" } };
const fallbacks = [{ g: ["middle"] }, { middle: ["end"] }];

test("a group that stands in and is switched off has who stands in for it", async () => {
  groups = await balance(chain, { fallbacks, num_retries: 0 });
  groups.set(status(500), "a");
  expect(await groups.served()).toBe("b");
  await groups.admin("PATCH", "/api/admin/deployments/b", { enabled: false });
  const response = await groups.post();
  expect([response.headers.get("x-gw-model-group"), response.headers.get("x-gw-attempted-fallbacks")]).toEqual([
    "end",
    "1",
  ]);
});

test("so has one that is at its limits", async () => {
  const full = { ...chain, b: { group: "middle", params: { rpm: 1 } } };
  groups = await balance(full, { fallbacks, num_retries: 0 });
  groups.set(status(500), "a");
  expect(await groups.count(3)).toEqual({ b: 1, c: 2 });
});

test.each([true, false])("so has one that takes no prompt of that length, known before: %p", async (known) => {
  const small = { info: { max_input_tokens: 20 } };
  groups = await balance(
    { a: small, b: { ...small, group: "middle" }, c: { group: "end" } },
    { context_window_fallbacks: fallbacks, num_retries: 0, enable_pre_call_checks: known },
  );
  groups.set(status(400, { body: { error: { message: "too long", code: "context_length_exceeded" } } }), "a", "b");
  expect(await groups.served({ messages: [{ role: "user", content: "word ".repeat(500) }] })).toBe("c");
});

test("lists that lead back to where they began end", async () => {
  groups = await balance(chain, { fallbacks: [...fallbacks, { end: ["middle", "g"] }], num_retries: 0 });
  groups.set(status(500), "a");
  for (const id of ["b", "c"]) await groups.admin("PATCH", `/api/admin/deployments/${id}`, { enabled: false });
  expect(await groups.served()).toBe(502);
});

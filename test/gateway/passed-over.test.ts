import { afterEach, expect, test } from "bun:test";
import { status, WELL } from "../upstreams/moody.ts";
import { type Balanced, balance } from "./balanced.ts";

let group: Balanced;
afterEach(() => group.stop());

/** A parameter that the provider of `a` does not know. */
const UNKNOWN = { logit_bias: { 1: 1 } };
const ANTHROPIC = { params: { model: "anthropic/m", api_key: "k" } };

/** So often in vain that it rests. */
async function tire(id: string): Promise<void> {
  group.set(status(500), id);
  for (let time = 0; time < 5; time++) await group.served({ model: id, num_retries: 0 });
  const { body } = await group.admin("GET", "/api/admin/deployments?state=resting");
  expect(body).toMatchObject({ data: [{ id }] });
}

test("where the only well deployment does not know a parameter, one that rests is asked", async () => {
  group = await balance({ a: ANTHROPIC, b: {} }, {});
  expect(await group.served(UNKNOWN)).toBe("b");
  await tire("b");
  group.set(WELL, "b");
  expect(await group.served(UNKNOWN)).toBe("b");
});

test("where that one fails too, its failure is told, and it is not asked once more at once", async () => {
  group = await balance({ a: ANTHROPIC, b: {} }, { num_retries: 0 });
  await tire("b");
  const before = group.upstreams.b?.calls ?? 0;
  expect(await group.served(UNKNOWN)).toBe(502);
  expect((group.upstreams.b?.calls ?? 0) - before).toBe(1);
});

test("one that rests is no second try for a call that was sent", async () => {
  group = await balance({ a: {}, b: {} }, { num_retries: 1, retry_after: 0 });
  await tire("b");
  const before = group.upstreams.b?.calls ?? 0;
  group.set(status(500), "a");
  expect(await group.served()).toBe(502);
  expect([group.upstreams.a?.calls, (group.upstreams.b?.calls ?? 0) - before]).toEqual([2, 0]);
});

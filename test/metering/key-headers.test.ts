import { afterAll, expect, test } from "bun:test";
import { parseUsd } from "../../src/contract/money.ts";
import { KeySpends } from "../../src/usage/key-spends.ts";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { SteppedClock } from "../stepped-clock.ts";

const app = await startApp(`
model_list:
  - model_name: priced
    litellm_params: {model: echo/echo}
    model_info: {input_cost_per_token: 0.000001, output_cost_per_token: 0.000002}
`);
afterAll(() => app.close());

const chat = (key: string, stream = false) =>
  app.call("/v1/chat/completions", {
    key,
    json: { model: "priced", stream, messages: [{ role: "user", content: "hello there" }] },
  });
const usd = (text: string | null): bigint => parseUsd(text ?? "") ?? -1n;

test("answers tell what the key may spend and has spent, this answer included", async () => {
  const person = await newPerson(app);
  const { data } = (await person.send("GET", "/api/gw/teams")).body as { data: { id: string }[] };
  const settings = { name: "mine", team_id: data[0]?.id, budget: 2_500_000_000 };
  const { key } = (await person.send("POST", "/api/gw/api-keys", settings)).body as { key: string };
  const costs: bigint[] = [];
  for (let times = 0; times < 2; times++) {
    const { headers } = await chat(key);
    expect(headers.get("x-gw-key-max-budget")).toBe("2.5");
    costs.push(usd(headers.get("x-gw-response-cost")));
  }
  await (await chat(key, true)).text();
  await app.service.books.flush();
  const { headers } = await chat(key);
  const [first = 0n] = costs;
  expect(first).toBeGreaterThan(0n);
  expect(costs).toEqual([first, first]);
  expect(usd(headers.get("x-gw-key-spend"))).toBe(4n * first);
  const master = await chat(MASTER_KEY);
  expect([master.headers.get("x-gw-key-spend"), master.headers.get("x-gw-key-max-budget")]).toEqual([null, null]);
});

test("the database is asked once in a while, what ends meanwhile is counted, and it never goes down", async () => {
  const clock = new SteppedClock();
  const asked: PromiseWithResolvers<{ cost: bigint; requests: bigint; lastAt: null }>[] = [];
  const spends = new KeySpends(
    {
      spendOf: () => {
        const answer = Promise.withResolvers<{ cost: bigint; requests: bigint; lastAt: null }>();
        asked.push(answer);
        return answer.promise;
      },
    },
    clock,
  );
  const tell = async (cost: bigint) => {
    asked.at(-1)?.resolve({ cost, requests: 1n, lastAt: null });
    await Promise.resolve();
    await Promise.resolve();
  };
  spends.prepare("a");
  spends.prepare("a");
  expect([asked.length, spends.of("a")]).toEqual([1, null]);
  spends.add("a", 5n);
  await tell(100n);
  expect(spends.of("a")).toBe(105n);
  spends.add("a", 1n);
  clock.step(11 * 60_000);
  spends.prepare("a");
  await tell(90n);
  expect([asked.length, spends.of("a")]).toEqual([2, 106n]);
  clock.step(11 * 60_000);
  spends.prepare("a");
  await tell(500n);
  expect(spends.of("a")).toBe(500n);
});

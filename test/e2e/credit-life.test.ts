import { afterAll, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { newFolder, startTurnpike } from "./process.ts";

const SLOW_MS = 90_000;
const USD = 1_000_000_000;

/** A call of `dear` costs 4 USD, whatever is said. */
const MODELS = `
model_list:
  - model_name: dear
    litellm_params: { model: echo/chat, input_cost_per_query: 4, input_cost_per_token: 0, output_cost_per_token: 0 }
general_settings: { log_level: error }
`;

const folder = newFolder();
writeFileSync(join(folder.path, "turnpike.yaml"), MODELS);
const turnpike = await startTurnpike(folder.path);
afterAll(async () => {
  turnpike.kill("SIGTERM");
  await turnpike.exited;
  folder.remove();
});

let session = "";

async function ask(path: string, body?: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${turnpike.url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...(session ? { authorization: `Bearer ${session}` } : {}), "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function call(key: string): Promise<{ status: number; error: Record<string, unknown> | undefined }> {
  const response = await fetch(`${turnpike.url}/v1/chat/completions`, {
    method: "POST",
    headers: { "x-gw-api-key": key, "content-type": "application/json" },
    body: JSON.stringify({ model: "dear", messages: [{ role: "user", content: "Hello!" }] }),
  });
  const body = (await response.json()) as { error?: Record<string, unknown> };
  return { status: response.status, error: body.error };
}

/** Buys on the page of the test provider, as a person with a browser would. */
async function buy(amountUsd: string): Promise<void> {
  const { status, body } = await ask("/api/billing/checkout", { amountUsd });
  expect(status).toBe(201);
  const paid = await fetch(`${body.checkoutUrl}/pay`, { method: "POST", redirect: "manual" });
  expect(paid.status).toBe(303);
}

/** Calls are settled a moment after their answer; nothing here depends on how long that takes. */
async function quotaOf(balance: number): Promise<Record<string, unknown>> {
  for (let left = 300; left > 0; left--) {
    const { body } = await ask("/api/quota");
    if (body.balance === balance) return body;
    await Bun.sleep(50);
  }
  return (await ask("/api/quota")).body;
}

test(
  "sign up, buy, call, the quota falls; a call that the rest does not pay for is rejected until more is bought",
  async () => {
    const signUp = await ask("/api/auth/signup", { email: "ann@example.com", password: "a good long one" });
    expect(signUp.status).toBe(201);
    session = String(signUp.body.token);
    const [team] = (await ask("/api/gw/teams")).body.data as { id: string; status: string }[];
    const made = await ask("/api/gw/api-keys", { name: "first", team_id: team?.id });
    const key = String(made.body.token);

    // Without credit nothing that costs something is called.
    expect(await call(key)).toMatchObject({ status: 429, error: { code: "insufficient_quota" } });
    expect((await ask("/api/gw/messages", message(key))).body).toMatchObject({ code: "QUOTA_EXCEEDED" });

    await buy("5");
    expect(await quotaOf(5 * USD)).toMatchObject({ balance: 5 * USD, purchased: 5 * USD, used: 0, status: "active" });
    expect(await call(key)).toMatchObject({ status: 200 });
    expect(await quotaOf(1 * USD)).toMatchObject({ balance: 1 * USD, used: 4 * USD, status: "active" });

    // One dollar is left, which does not pay for a call.
    expect(await call(key)).toMatchObject({ status: 429, error: { code: "insufficient_quota" } });
    expect((await ask("/api/gw/messages", message(key))).body).toMatchObject({ code: "QUOTA_EXCEEDED" });
    expect(await quotaOf(1 * USD)).toMatchObject({ balance: 1 * USD, status: "active", blockedTeams: 0 });

    await buy("7");
    expect(await quotaOf(8 * USD)).toMatchObject({ balance: 8 * USD, status: "active", blockedTeams: 0 });
    expect(await call(key)).toMatchObject({ status: 200 });
    expect(await quotaOf(4 * USD)).toMatchObject({ balance: 4 * USD });
    expect(await call(key)).toMatchObject({ status: 200 });

    // Exactly nothing is left: not negative, so nobody is blocked, but nothing can be called.
    expect(await quotaOf(0)).toMatchObject({ balance: 0, blockedTeams: 0 });
    expect(await call(key)).toMatchObject({ status: 429, error: { code: "insufficient_quota" } });

    const { body: logs } = await ask("/api/gw/logs?status=succeeded");
    expect((logs.data as { cost: number }[]).map(({ cost }) => cost)).toEqual([4 * USD, 4 * USD, 4 * USD]);
    const { body: ledger } = await ask("/api/billing/ledger");
    const amounts = (ledger.data as { amount: number }[]).map(({ amount }) => amount / USD);
    expect(amounts.toSorted((a, b) => a - b)).toEqual([-4, -4, -4, 5, 7]);
  },
  SLOW_MS,
);

const message = (apiKey: string) => ({ model: "dear", messages: [{ role: "user", content: "Hello!" }], apiKey });

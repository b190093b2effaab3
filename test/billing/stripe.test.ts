import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import Stripe from "stripe";
import { signBody } from "../../src/billing/providers/signature.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { PurchaseRecord } from "../../src/contract/purchases.ts";
import { newPerson } from "../accounts/people.ts";
import { MASTER_KEY, startApp } from "../app.ts";
import { FakeStripe } from "./fake-stripe.ts";
import { charge, PAID, refund, session, USD } from "./shop.ts";

const stripe = new FakeStripe();
const [OLD, NEW] = ["whsec_the_old_secret", "whsec_the_new_secret"];
const app = await startApp(`
general_settings:
  signup_credits: 0
  public_url: https://turnpike.example
  billing:
    stripe:
      secret_key: sk_test_123
      webhook_secrets: [${NEW}, ${OLD}]
      api_base: ${stripe.url}
`);
afterAll(async () => {
  await app.close();
  stripe.stop();
});
beforeEach(() => {
  stripe.calls.length = 0;
});

const client = new Stripe("sk_test_123");

async function buy() {
  const person = await newPerson(app);
  const answer = await person.send("POST", "/api/billing/checkout", { amountUsd: "19.99" });
  return { person, answer, purchase: (answer.body as { purchase: PurchaseRecord }).purchase };
}

async function tell(event: object, secret = NEW) {
  const payload = JSON.stringify(event);
  const signature = await client.webhooks.generateTestHeaderStringAsync({ payload, secret });
  const headers = { "stripe-signature": signature };
  return app.call("/api/webhooks/stripe", { method: "POST", headers, body: payload });
}

describe("with Stripe", () => {
  test("a checkout is asked for with our id in it, once per purchase", async () => {
    const { purchase, answer } = await buy();
    expect(answer.status).toBe(201);
    const [call] = stripe.calls;
    expect(call).toMatchObject({
      path: "/v1/checkout/sessions",
      key: purchase.id,
      form: {
        mode: "payment",
        client_reference_id: purchase.id,
        "metadata[purchaseId]": purchase.id,
        "payment_intent_data[metadata][purchaseId]": purchase.id,
        "line_items[0][price_data][unit_amount]": "1999",
        "line_items[0][price_data][currency]": "usd",
        success_url: `https://turnpike.example/ui/billing?purchase=${purchase.id}`,
      },
    });
    expect(purchase).toMatchObject({ provider: "stripe", mode: "test", totalCents: 1999 });
    expect(purchase.checkoutUrl).toStartWith("https://pay.example/");
  });

  test("its event credits, signed with either secret, and once", async () => {
    const { person, purchase } = await buy();
    for (const secret of [OLD, NEW, NEW]) {
      const event = { id: "evt_1", object: "event", type: PAID, data: { object: session(purchase) } };
      expect((await tell({ ...event, id: `evt_${secret}` }, secret)).status).toBe(200);
    }
    expect(((await person.send("GET", "/api/balance")).body as { balance: number }).balance).toBe(19.99 * USD);
  });

  test("what another secret signed, or the offline provider would, is refused", async () => {
    const { purchase } = await buy();
    const event = { id: "evt_forged", object: "event", type: PAID, data: { object: session(purchase) } };
    expect((await tell(event, "whsec_guess")).status).toBe(400);
    const body = JSON.stringify(event);
    const headers = { "stripe-signature": signBody(body, NEW, Date.now() - 400_000) };
    expect((await app.call("/api/webhooks/stripe", { method: "POST", headers, body })).status).toBe(400);
    expect((await app.call("/api/webhooks/test", { method: "POST", headers, body })).status).toBe(404);
    expect((await app.call(`/checkout/test/${purchase.id}`)).status).toBe(404);
  });

  test("our signature and Stripe's are the same", async () => {
    const now = Date.now();
    const timestamp = Math.floor(now / 1000);
    const theirs = await client.webhooks.generateTestHeaderStringAsync({ payload: "{}", secret: NEW, timestamp });
    expect(signBody("{}", NEW, now)).toBe(theirs);
  });

  test("a refund is asked for with a key of its own, and the books follow its event", async () => {
    const { person, purchase } = await buy();
    await tell({ id: "evt_paid", object: "event", type: PAID, data: { object: session(purchase) } });
    stripe.calls.length = 0;
    const json = { amountUsd: "9.99" };
    const answer = await app.call(`/api/admin/purchases/${purchase.id}/refund`, { key: MASTER_KEY, json });
    expect(answer.status).toBe(200);
    expect(stripe.calls).toEqual([
      {
        path: "/v1/refunds",
        key: `refund:${purchase.id}:999`,
        form: { payment_intent: `pi_${purchase.id}`, amount: "999", "metadata[purchaseId]": purchase.id },
      },
    ]);
    const balance = async () => ((await person.send("GET", "/api/balance")).body as { balance: number }).balance;
    expect(await balance()).toBe(19.99 * USD);
    await tell({ id: "evt_back", object: "event", type: "charge.refunded", data: { object: charge(purchase, 999) } });
    expect(await balance()).toBe(10 * USD);
    // One that failed is asked for again as another one: under the same key Stripe would not try.
    const failed = refund(purchase, "re_999", 999, "failed");
    await tell({ id: "evt_failed", object: "event", type: "refund.failed", data: { object: failed } });
    expect(await balance()).toBe(19.99 * USD);
    await app.call(`/api/admin/purchases/${purchase.id}/refund`, { key: MASTER_KEY, json });
    expect(stripe.calls.at(-1)).toMatchObject({ path: "/v1/refunds", key: `refund:${purchase.id}:999:1` });
  });

  test("when Stripe refuses, the caller hears of it without its words, and the purchase has failed", async () => {
    stripe.refusals.push({
      status: 400,
      error: { type: "invalid_request_error", message: "account sk_test_123 closed" },
    });
    const { person, answer } = await buy();
    expect(answer.status).toBe(502);
    expect(JSON.stringify(answer.body)).not.toContain("closed");
    const { data } = (await person.send("GET", "/api/billing/purchases")).body as { data: PurchaseRecord[] };
    expect(data.map(({ status }) => status)).toEqual(["failed"]);
  });
});

describe("the settings", () => {
  const load = (yaml: string, env: Record<string, string> = {}) =>
    loadConfig({ file: "billing.yaml", env, readFile: () => yaml });
  const faultsOf = (yaml: string, env: Record<string, string> = {}): string => {
    const loaded = load(yaml, env);
    return loaded.ok ? "" : loaded.faults.map(({ message }) => message).join("; ");
  };
  const warningsOf = (yaml: string): string =>
    load(yaml)
      .warnings.map(({ message }) => message)
      .join("; ");
  const providerOf = (yaml: string, env: Record<string, string> = {}) => {
    const loaded = load(yaml, env);
    return loaded.ok ? loaded.config.payments.provider : loaded.faults;
  };
  const billing = (text: string): string => `general_settings:\n  billing: ${text}\n`;

  test("Stripe without a webhook secret, or with an empty one, does not start", () => {
    for (const stripeSettings of [
      "{secret_key: sk_live_1}",
      '{secret_key: sk_live_1, webhook_secret: ""}',
      '{secret_key: sk_live_1, webhook_secret: " "}',
      '{secret_key: sk_live_1, webhook_secrets: [whsec_1, ""]}',
      "{secret_key: sk_live_1, webhook_secrets: []}",
    ]) {
      expect(faultsOf(billing(`{stripe: ${stripeSettings}}`))).toMatch(
        /`webhook_secret` is missing or empty|none between the quotes/,
      );
    }
    expect(faultsOf(billing("{provider: stripe}"))).toContain("stripe needs");
  });

  test.each(["a", "whsec_123456789"])(
    "Stripe with the webhook secret %s, which can be guessed, does not start",
    (secret) => {
      const faults = faultsOf(billing(`{stripe: {secret_key: sk_live_1, webhook_secret: ${secret}}}`));
      expect(faults).toContain("must have 16 characters or more");
      expect(faultsOf(billing(`{stripe: {secret_key: sk_live_1, webhook_secrets: [${NEW}, ${secret}]}}`))).toBe(faults);
    },
  );

  test("the offline provider is the default, but not in production unless it is allowed", () => {
    const production = { NODE_ENV: "production" };
    expect(providerOf("{}")).toBe("test");
    expect(providerOf("{}", production)).toBe("none");
    expect(providerOf(billing("{allow_test: true}"), production)).toBe("test");
    expect(faultsOf(billing("{provider: test}"), production)).toContain("allow_test");
    expect(providerOf(billing("{stripe: {secret_key: sk_live_1, webhook_secret: whsec_0123456789}}"), production)).toBe(
      "stripe",
    );
    expect(providerOf(billing("{provider: none}"))).toBe("none");
  });

  test.each(["host: 0.0.0.0", "host: '::'", "host: 192.0.2.7", "public_url: https://models.example.com"])(
    "with %s strangers may come, who would give themselves credit with it: it is off unless it is allowed, and warned about then",
    (exposed) => {
      const file = (settings: string) => `general_settings: { ${exposed}, billing: ${settings} }`;
      expect(providerOf(file("{}"))).toBe("none");
      expect(faultsOf(file("{provider: test}"))).toContain("allow_test");
      expect(providerOf(file("{allow_test: true}"))).toBe("test");
      expect(warningsOf(file("{allow_test: true}"))).toContain("any credit they like");
    },
  );

  test.each(["host: localhost", "host: 127.0.0.2", "host: '::1'", "public_url: http://localhost:4000"])(
    "with %s it is one's own machine",
    (own) => {
      const file = `general_settings: { ${own}, billing: { allow_test: true } }`;
      expect([providerOf(file), warningsOf(file)]).toEqual(["test", ""]);
    },
  );
});

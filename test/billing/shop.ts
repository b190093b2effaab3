import { signBody } from "../../src/billing/providers/signature.ts";
import type { PurchaseRecord } from "../../src/contract/purchases.ts";
import { newId } from "../../src/lib/ids.ts";
import { testPaymentSecret } from "../../src/start/compose-billing.ts";
import { newPerson, type Person, startAppOn } from "../accounts/people.ts";
import { startApp, type TestApp } from "../app.ts";
import { ROOT_SECRET } from "../security/world.ts";
import type { DATABASES } from "../storage/databases.ts";

type Kind = (typeof DATABASES)[number]["kind"];

export interface Told {
  readonly id?: string;
  readonly type: string;
  readonly object: Readonly<Record<string, unknown>>;
  /** When it happened at the provider, in seconds. */
  readonly created?: number;
  readonly livemode?: boolean;
}

/** The program with its offline provider, and a way to say what that provider would. */
export class Shop {
  private constructor(
    readonly app: TestApp,
    readonly person: Person,
  ) {}

  /** `settings` are further lines of `general_settings`, indented as they are there; the database is a new one unless told. */
  static async open(kind: Kind, settings = "", databaseUrl: string | null = null): Promise<Shop> {
    const yaml = `general_settings:\n  signup_credits: 0\n${settings}`;
    const app = databaseUrl === null ? await startAppOn(kind, yaml) : await startApp(yaml, databaseUrl);
    return new Shop(app, await newPerson(app));
  }

  /** With an app that is there already. */
  static over(app: TestApp, person: Person): Shop {
    return new Shop(app, person);
  }

  async buy(amountUsd: number | string, person = this.person): Promise<PurchaseRecord> {
    const { status, body } = await person.send("POST", "/api/billing/checkout", { amountUsd });
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return (body as { purchase: PurchaseRecord }).purchase;
  }

  /** Posts an event to the webhook, as the provider would. */
  async tell({ id = `evt_${newId()}`, object, ...told }: Told, provider = "test"): Promise<number> {
    const body = JSON.stringify({ id, ...told, data: { object } });
    return this.post(body, signBody(body, testPaymentSecret(ROOT_SECRET), Date.now()), provider);
  }

  async post(body: string, signature: string | null, provider = "test"): Promise<number> {
    const headers: Record<string, string> = signature === null ? {} : { "stripe-signature": signature };
    const response = await this.app.call(`/api/webhooks/${provider}`, { method: "POST", headers, body });
    await response.text();
    return response.status;
  }

  /** A button of the page to pay on. */
  async press(purchase: PurchaseRecord, action: string): Promise<number> {
    return (await this.app.call(`/checkout/test/${purchase.id}/${action}`, { method: "POST" })).status;
  }

  async purchase(id: string, person = this.person): Promise<PurchaseRecord> {
    return (await person.send("GET", `/api/billing/purchases/${id}`)).body;
  }

  async balance(person = this.person): Promise<number> {
    return ((await person.send("GET", "/api/balance")).body as { balance: number }).balance;
  }

  async entries(person = this.person): Promise<readonly { kind: string; amount: number }[]> {
    const { body } = await person.send("GET", "/api/billing/ledger?pageSize=100");
    return (body as { data: { kind: string; amount: number }[] }).data.map(({ kind, amount }) => ({ kind, amount }));
  }

  async isBlocked(person = this.person): Promise<boolean> {
    const { body } = await person.send("GET", "/api/gw/teams");
    return (body as { data: { blocked: boolean }[] }).data.every(({ blocked }) => blocked);
  }

  async events(
    status = "",
  ): Promise<readonly { id: string; status: string; error: string | null; attempts: number }[]> {
    const filter = status === "" ? {} : { status: status as never };
    const order = { by: "updatedAt", direction: "desc" } as const;
    return (await this.app.storage.billing.events.list(filter, { page: 1, pageSize: 100 }, order)).rows;
  }

  close(): Promise<void> {
    return this.app.close();
  }
}

export const USD = 1_000_000_000;

/** A checkout in the provider's words; what is given goes before what is true. */
export const session = ({ id, totalCents }: PurchaseRecord, given: Readonly<Record<string, unknown>> = {}) => ({
  id: `cs_${id}`,
  mode: "payment",
  client_reference_id: id,
  metadata: { purchaseId: id },
  payment_intent: `pi_${id}`,
  payment_status: "paid",
  amount_total: totalCents,
  currency: "usd",
  livemode: false,
  ...given,
});

export const charge = ({ id, totalCents }: PurchaseRecord, refunded: number, given: object = {}) => ({
  id: `ch_${id}`,
  payment_intent: `pi_${id}`,
  metadata: { purchaseId: id },
  amount: totalCents,
  amount_refunded: refunded,
  currency: "usd",
  livemode: false,
  ...given,
});

export const dispute = ({ id, totalCents }: PurchaseRecord, status: string, given: object = {}) => ({
  id: `dp_${id}`,
  payment_intent: `pi_${id}`,
  amount: totalCents,
  currency: "usd",
  status,
  livemode: false,
  ...given,
});

/** One giving back of money; it does not say whether it is for play. */
export const refund = ({ id }: PurchaseRecord, refundId: string, cents: number, status: string) => ({
  id: refundId,
  object: "refund",
  payment_intent: `pi_${id}`,
  metadata: {},
  amount: cents,
  currency: "usd",
  status,
});

export const PAID = "checkout.session.completed";

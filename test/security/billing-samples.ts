import { signBody } from "../../src/billing/providers/signature.ts";
import { newPurchase } from "../../src/billing/purchases.ts";
import type { Purchase } from "../../src/billing/records.ts";
import { hashVoucher, newVoucherCode, readVoucherCode } from "../../src/billing/voucher-code.ts";
import { hmacHex } from "../../src/lib/hmac.ts";
import { newId } from "../../src/lib/ids.ts";
import { testPaymentSecret } from "../../src/start/compose-billing.ts";
import type { MakeSample } from "./samples.ts";
import { ROOT_SECRET, type Tenant, type World } from "./world.ts";

const AMOUNT = 20_000_000_000n;

async function freshPurchase(world: World, { organizationId }: Tenant, given: Partial<Purchase> = {}): Promise<string> {
  const provider = { name: "test", mode: "test" } as const;
  const input = { organizationId, userId: null, kind: "checkout", amount: AMOUNT, provider, now: Date.now() } as const;
  const purchase = { ...newPurchase(input as Parameters<typeof newPurchase>[0]), ...given };
  await world.app.storage.billing.purchases.insert(purchase);
  return purchase.id;
}

/** Accounts exist from their first use on, and a blocked team is unblocked once: both would tell two calls apart. */
async function fillWallet(world: World, { organizationId }: Tenant): Promise<void> {
  for (const cash of ["test", null]) await topUp(world, organizationId, newId(), cash);
}

const topUp = (world: World, organizationId: string, purchaseId: string, cash: string | null) =>
  world.app.storage.billing.ledger.post({
    key: `topup:${purchaseId}`,
    kind: "topup",
    organizationId,
    amount: AMOUNT,
    cash,
    atMs: Date.now(),
    userId: null,
    reason: "For a sample",
    details: { purchaseId },
  });

async function freshVoucher(world: World): Promise<{ readonly id: string; readonly code: string }> {
  const code = world.secret("voucher", newVoucherCode());
  const pepper = hmacHex(ROOT_SECRET, "turnpike:voucher-pepper");
  const voucher = {
    id: newId(),
    hash: hashVoucher(pepper, readVoucherCode(code) ?? ""),
    last4: code.slice(-4),
    amount: AMOUNT,
    note: null,
    expiresAt: null,
    createdBy: null,
    createdAt: Date.now(),
    revokedAt: null,
    redeemedAt: null,
    redeemedBy: null,
    organizationId: null,
  };
  await world.app.storage.billing.vouchers.insert(voucher);
  return { id: voucher.id, code };
}

async function freshEndpoint(world: World, { organizationId }: Tenant, event = "balance.low"): Promise<string> {
  const now = Date.now();
  const id = newId();
  await world.app.storage.billing.endpoints.insert({
    id,
    organizationId,
    url: "https://hooks.example.com/turnpike",
    description: null,
    events: [event],
    status: "active",
    secretVersion: 1,
    createdBy: null,
    createdAt: now,
    updatedAt: now,
  });
  return id;
}

const endpoint: MakeSample = async (world, tenant) => ({ params: { id: await freshEndpoint(world, tenant) } });

/** A notice to a fresh endpoint makes a delivery. */
async function freshDelivery(world: World, tenant: Tenant): Promise<Readonly<Record<string, string>>> {
  const { notices, deliveries, endpoints } = world.app.storage.billing;
  const id = await freshEndpoint(world, tenant, "purchase.paid");
  const { organizationId } = tenant;
  await notices.tell({ type: "purchase.paid", organizationId, data: {}, atMs: Date.now() });
  const { rows } = await deliveries.list(id, { page: 1, pageSize: 1 });
  // The next notice is not for this one too.
  await endpoints.update(id, { status: "disabled" });
  return { id, deliveryId: rows[0]?.id ?? "" };
}

async function saveMethod(world: World, { organizationId }: Tenant): Promise<void> {
  const now = Date.now();
  const method = {
    id: newId(),
    organizationId,
    provider: "test",
    mode: "test",
    status: "pending",
    customerRef: null,
    methodRef: null,
    label: null,
    createdBy: null,
    createdAt: now,
    updatedAt: now,
  } as const;
  const { methods } = world.app.storage.billing;
  await methods.insert(method);
  await methods.activate(method, { customerRef: "c", methodRef: "m", label: "card" }, now);
}

const PAID = { status: "paid", paidAt: Date.now() } as const;

export const BILLING_SAMPLES: Readonly<Record<string, MakeSample>> = {
  "POST /api/billing/checkout": (_, { organizationId }) => ({ body: { amountUsd: 20, organizationId } }),
  "GET /api/billing/purchases": () => ({}),
  "GET /api/billing/purchases/{id}": async (world, tenant) => ({ params: { id: await freshPurchase(world, tenant) } }),
  "GET /api/billing/purchases/{id}/receipt": async (world, tenant) => {
    const id = await freshPurchase(world, tenant, PAID);
    await topUp(world, tenant.organizationId, id, "test");
    return { params: { id } };
  },
  "GET /api/billing/statements/{month}": () => ({ params: { month: new Date().toISOString().slice(0, 7) } }),
  "POST /api/billing/vouchers/redeem": async (world, tenant) => {
    await fillWallet(world, tenant);
    return { body: { code: (await freshVoucher(world)).code, organizationId: tenant.organizationId } };
  },
  "GET /api/billing/alerts": () => ({}),
  "PUT /api/billing/alerts": async (world, tenant) => {
    await fillWallet(world, tenant);
    const thresholds = [5_000_000_000, 1_000_000_000];
    const stored = [...thresholds, 1].map(BigInt);
    await world.app.storage.billing.alerts.replace(tenant.organizationId, stored, AMOUNT, Date.now());
    return { body: { thresholds } };
  },
  "GET /api/billing/auto-top-up": () => ({}),
  "PUT /api/billing/auto-top-up": async (world, { organizationId }) => {
    const settings = { threshold: 5_000_000_000n, amount: AMOUNT, monthlyCap: null, declines: 0, epoch: 0 };
    const times = { retryAt: null, updatedAt: 1 };
    await world.app.storage.billing.topUps.put({ organizationId, status: "off", ...settings, ...times });
    return { body: { enabled: false, threshold: 5_000_000_000, amount: Number(AMOUNT) } };
  },
  "POST /api/billing/payment-method": () => ({}),
  "DELETE /api/billing/payment-method": async (world, tenant) => {
    await saveMethod(world, tenant);
    return {};
  },
  "GET /api/webhook-endpoints": () => ({}),
  "POST /api/webhook-endpoints": () => ({ body: { url: "https://hooks.example.com/made" } }),
  "GET /api/webhook-endpoints/{id}": endpoint,
  "PATCH /api/webhook-endpoints/{id}": async (world, tenant) => ({
    params: { id: await freshEndpoint(world, tenant) },
    body: { description: `Renamed ${newId()}` },
  }),
  "DELETE /api/webhook-endpoints/{id}": endpoint,
  "POST /api/webhook-endpoints/{id}/rotate": endpoint,
  "GET /api/webhook-endpoints/{id}/deliveries": endpoint,
  "POST /api/webhook-endpoints/{id}/deliveries/{deliveryId}/replay": async (world, tenant) => ({
    params: await freshDelivery(world, tenant),
  }),
  "POST /api/webhooks/{provider}": async (world, tenant) => {
    const object = { client_reference_id: await freshPurchase(world, tenant) };
    const body = { id: newId(), type: "checkout.session.expired", data: { object } };
    const signature = signBody(JSON.stringify(body), testPaymentSecret(ROOT_SECRET), Date.now());
    return { params: { provider: "test" }, body, headers: { "stripe-signature": signature } };
  },
  "POST /api/admin/purchases/{id}/refund": async (world, tenant) => {
    await fillWallet(world, tenant);
    return { params: { id: await freshPurchase(world, tenant, PAID) }, body: { amountUsd: 5 } };
  },
  "GET /api/admin/webhook-events": () => ({}),
  "POST /api/admin/vouchers": () => ({ body: { amountUsd: "12.50", count: 1 } }),
  "GET /api/admin/vouchers": () => ({}),
  "DELETE /api/admin/vouchers/{id}": async (world) => ({ params: { id: (await freshVoucher(world)).id } }),
};

import Type from "typebox";
import type { Voucher } from "../../billing/records.ts";
import type { Vouchers } from "../../billing/vouchers.ts";
import { GatewayError } from "../../contract/errors.ts";
import { formatUsd } from "../../contract/money.ts";
import { Done, eitherOf } from "../../contract/organizations.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { CreateVouchersBody, FreshVouchers, getAmount, RedeemBody, VoucherRecord } from "../../contract/purchases.ts";
import { sortingOf, sortQuery } from "../../contract/sorting.ts";
import { isoTime, isoTimeOrNull } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { namedOrganization } from "../organizations/named-organization.ts";

const NOT_STORED = { "cache-control": "no-store" };
const NEWEST_FIRST = { by: "createdAt", direction: "desc" } as const;

export const redeemVoucher = (vouchers: Vouchers) =>
  route({
    method: "POST",
    paths: ["/api/billing/vouchers/redeem"],
    tag: "Billing",
    summary: "Redeem a voucher",
    description:
      "Its amount goes to the organization of `organizationId`, of the `x-organization-id` header, or the active one. Needs " +
      "the role admin or owner there. A code works once; wrong ones are slowed down.",
    auth: "session",
    body: RedeemBody,
    success: Type.Object({ organizationId: Type.String(), amount: Type.Integer(), amountUsd: Type.String() }),
    errors: ["permission", "not_found", "rate_limit"],
    async handle({ caller, body, request, connection }) {
      const named = eitherOf(body.organizationId, body.organization_id) ?? namedOrganization(request);
      const { amount, organizationId } = await vouchers.redeem(caller, connection.remoteAddress, named, body.code);
      return json({ organizationId, amount: Number(amount), amountUsd: formatUsd(amount) });
    },
  });

export const createVouchers = (vouchers: Vouchers) =>
  route({
    method: "POST",
    paths: ["/api/admin/vouchers"],
    tag: "Administration",
    summary: "Make vouchers",
    description: "Each `code` of the answer is shown this once, because only its hash is kept.",
    auth: "admin",
    body: CreateVouchersBody,
    success: FreshVouchers,
    successStatus: 201,
    errors: ["invalid_request"],
    async handle({ caller, body, connection }) {
      const expires = eitherOf(body.expiresAt, body.expires_at) ?? null;
      const made = await vouchers.create(
        { caller, address: connection.remoteAddress },
        {
          amount: getAmount(body),
          count: body.count ?? 1,
          expiresAt: expires === null ? null : readExpiry(expires),
          note: body.note ?? null,
        },
      );
      const data = made.map(({ voucher, code }) => ({ ...voucherRecord(voucher), code }));
      return json({ data }, 201, NOT_STORED);
    },
  });

export const listVouchers = (vouchers: Vouchers) =>
  route({
    method: "GET",
    paths: ["/api/admin/vouchers"],
    tag: "Administration",
    summary: "List vouchers",
    auth: "admin",
    query: Type.Object({
      ...PageQuery.properties,
      ...sortQuery(["createdAt", "amount", "expiresAt", "redeemedAt"], "the newest first"),
    }),
    success: PagedList(VoucherRecord),
    errors: [],
    async handle({ query }) {
      const page = pageOf(query);
      const { rows, total } = await vouchers.list(page, sortingOf(query, NEWEST_FIRST));
      return json(paged(rows.map(voucherRecord), page, total));
    },
  });

export const revokeVoucher = (vouchers: Vouchers) =>
  route({
    method: "DELETE",
    paths: ["/api/admin/vouchers/{id}"],
    tag: "Administration",
    summary: "Revoke a voucher that nobody has redeemed",
    auth: "admin",
    params: Type.Object({ id: Type.String() }),
    success: Done,
    errors: ["not_found", "conflict"],
    async handle({ caller, params, connection }) {
      await vouchers.revoke({ caller, address: connection.remoteAddress }, params.id);
      return json({ success: true });
    },
  });

/** A leap second and a zone in brackets are times as well, but none that a `Date` knows. */
function readExpiry(text: string): number {
  const at = Date.parse(text);
  if (!Number.isNaN(at)) return at;
  throw new GatewayError("invalid_request", "expiresAt: use a time such as `2030-01-31T12:00:00Z`.", {
    param: "expiresAt",
  });
}

const voucherRecord = (voucher: Voucher) => ({
  id: voucher.id,
  last4: voucher.last4,
  amount: Number(voucher.amount),
  amountUsd: formatUsd(voucher.amount),
  note: voucher.note,
  status: statusOf(voucher),
  expiresAt: isoTimeOrNull(voucher.expiresAt),
  createdAt: isoTime(voucher.createdAt),
  redeemedAt: isoTimeOrNull(voucher.redeemedAt),
  redeemedBy: voucher.redeemedBy,
  organizationId: voucher.organizationId,
});

function statusOf({ redeemedAt, revokedAt, expiresAt }: Voucher): "redeemed" | "revoked" | "expired" | "active" {
  if (redeemedAt !== null) return "redeemed";
  if (revokedAt !== null) return "revoked";
  return expiresAt !== null && expiresAt <= Date.now() ? "expired" : "active";
}

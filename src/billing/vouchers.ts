import type { AdminCaller, SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { PageNumbers } from "../contract/paging.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { PURCHASE_MAX } from "./amount.ts";
import type { BillingAccess } from "./billing-access.ts";
import { GuessThrottle } from "./guess-throttle.ts";
import type { Voucher } from "./records.ts";
import type { BillingStores, Paged, VoucherOrder } from "./store.ts";
import { hashVoucher, newVoucherCode, readVoucherCode } from "./voucher-code.ts";

export interface VoucherDeps {
  readonly stores: BillingStores;
  readonly access: BillingAccess;
  readonly clock: Clock;
  /** Keys the hash under which codes are kept. */
  readonly pepper: string;
  readonly forgetTeam: (teamId: string) => void;
}

interface Operator {
  readonly caller: AdminCaller;
  readonly address: string | null;
}

interface NewVouchers {
  readonly amount: bigint;
  readonly count: number;
  readonly expiresAt: number | null;
  readonly note: string | null;
}

/** A voucher with its code, which is seen this once. */
export interface FreshVoucher {
  readonly voucher: Voucher;
  readonly code: string;
}

/** Codes that are worth credits. Only their hashes are kept. */
export class Vouchers {
  readonly throttle: GuessThrottle;

  constructor(private readonly deps: VoucherDeps) {
    this.throttle = new GuessThrottle(deps.clock);
  }

  async create({ caller, address }: Operator, wanted: NewVouchers): Promise<readonly FreshVoucher[]> {
    const { stores, clock, pepper } = this.deps;
    const now = clock.nowMs();
    if (wanted.amount > PURCHASE_MAX)
      throw new GatewayError("invalid_request", "amount: that is too much for a voucher.");
    if (wanted.expiresAt !== null && wanted.expiresAt <= now) {
      throw new GatewayError("invalid_request", "expiresAt: that time has passed.");
    }
    const createdBy = caller.kind === "session" ? caller.userId : null;
    const made = Array.from({ length: wanted.count }, () => {
      const code = newVoucherCode();
      const hash = hashVoucher(pepper, readVoucherCode(code) ?? "");
      return { code, voucher: newVoucher(wanted, code, hash, createdBy, now) };
    });
    await stores.transaction(async (tx) => {
      for (const { voucher } of made) {
        await tx.vouchers.insert(voucher);
        const details = { amount: String(voucher.amount) };
        const by = { userId: createdBy, address };
        await tx.audit.note({ action: "voucher.create", ...targetOf(voucher), organizationId: null, details, by }, now);
      }
    });
    return made;
  }

  list(page: PageNumbers, order: VoucherOrder): Promise<Paged<Voucher>> {
    return this.deps.stores.vouchers.list(page, order);
  }

  /** What was redeemed stays redeemed. */
  async revoke({ caller, address }: Operator, id: string): Promise<void> {
    const { stores, clock } = this.deps;
    const now = clock.nowMs();
    await stores.transaction(async (tx) => {
      const voucher = await tx.vouchers.find(id);
      if (!voucher) throw new GatewayError("not_found", "There is no such voucher.");
      if (!(await tx.vouchers.revoke(id, now))) {
        throw new GatewayError("conflict", "The voucher has been redeemed or revoked already.");
      }
      const by = { userId: caller.kind === "session" ? caller.userId : null, address };
      await tx.audit.note({ action: "voucher.revoke", ...targetOf(voucher), organizationId: null, by }, now);
    });
  }

  /** Once in all, whoever else tries at the same time. */
  async redeem(caller: SessionCaller, address: string | null, named: string | null, text: string): Promise<Voucher> {
    const { stores, access, clock, pepper, forgetTeam } = this.deps;
    const { id: organizationId } = await access(caller, named, "admin");
    const takeBack = this.throttle.attempt(caller.userId, address);
    const plain = readVoucherCode(text);
    const now = clock.nowMs();
    const use = { organizationId, redeemedBy: caller.userId, redeemedAt: now };
    const redeemed =
      plain &&
      (await stores.transaction(async (tx) => {
        const voucher = await tx.vouchers.redeem(hashVoucher(pepper, plain), use);
        if (!voucher) return null;
        const { changedTeams } = await tx.ledger.post({
          key: `voucher:${voucher.id}`,
          kind: "voucher",
          organizationId,
          amount: voucher.amount,
          cash: null,
          atMs: now,
          userId: caller.userId,
          reason: "Voucher redeemed",
          details: { voucherId: voucher.id },
        });
        const by = { userId: caller.userId, address };
        const details = { amount: String(voucher.amount) };
        await tx.audit.note({ action: "voucher.redeem", ...targetOf(voucher), organizationId, details, by }, now);
        return { voucher, changedTeams };
      }));
    if (!redeemed) {
      throw new GatewayError("not_found", "There is no such voucher, or it has been used or has expired.");
    }
    takeBack();
    for (const teamId of redeemed.changedTeams) forgetTeam(teamId);
    return redeemed.voucher;
  }
}

const newVoucher = (
  { amount, expiresAt, note }: NewVouchers,
  code: string,
  hash: string,
  createdBy: number | null,
  now: number,
): Voucher => ({
  id: newId(),
  hash,
  last4: code.slice(-4),
  amount,
  note,
  expiresAt,
  createdBy,
  createdAt: now,
  revokedAt: null,
  redeemedAt: null,
  redeemedBy: null,
  organizationId: null,
});

const targetOf = ({ id }: Voucher) => ({ targetType: "voucher", targetId: id });

import { GatewayError } from "../contract/errors.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { type Actor, change } from "./change.ts";
import type { AccountStores, CreditOutcome } from "./store.ts";

export interface CreditDeps {
  readonly stores: AccountStores;
  readonly clock: Clock;
  /** What is known of the team's keys may no longer be so. */
  readonly forgetTeam: (teamId: string) => void;
  /** There is more credit than calls that are refused may believe. */
  readonly credited: (organizationId: string) => void;
}

interface GrantInput {
  readonly actor: Actor;
  readonly organizationId: string;
  readonly amount: bigint;
  readonly reason: string;
  /** A second grant with the same key is the first one again; null: each call is a grant of its own. */
  readonly key: string | null;
}

/** Credit that is given rather than bought. */
export class Credits {
  constructor(private readonly deps: CreditDeps) {}

  async grant({ actor, organizationId, amount, reason, key }: GrantInput): Promise<CreditOutcome> {
    const { stores, clock, forgetTeam, credited } = this.deps;
    const outcome = await change(
      stores,
      clock,
      actor,
      async (tx) => {
        if (!(await tx.organizations.find(organizationId))) {
          throw new GatewayError("not_found", "There is no such organization.");
        }
        return tx.credits.post({
          ...grantOf(organizationId, amount, clock.nowMs()),
          key: `grant:${organizationId}:${key ?? newId()}`,
          actor: nameOf(actor.caller),
          reason,
        });
      },
      ({ posted, entryId, balance }) =>
        posted
          ? {
              action: "credits.grant",
              organizationId,
              targetType: "organization",
              targetId: organizationId,
              details: { amount: amount.toString(), balance: balance.toString(), reason, entryId },
            }
          : null,
    );
    for (const teamId of outcome.changedTeams) forgetTeam(teamId);
    credited(organizationId);
    return outcome;
  }
}

/** What the installation gives a new organization: once, whoever asks. */
export async function giveFirstCredit(
  tx: AccountStores,
  organizationId: string,
  amount: bigint,
  { at, reason }: { readonly at: number; readonly reason: string },
): Promise<void> {
  if (amount <= 0n) return;
  await tx.credits.post({ ...grantOf(organizationId, amount, at), key: `first:${organizationId}`, reason });
}

const grantOf = (organizationId: string, amount: bigint, at: number) => ({
  kind: "grant" as const,
  organizationId,
  amount,
  against: "grants",
  at,
  actor: "system",
  details: {},
});

function nameOf(given: Actor["caller"]): string {
  const caller = given?.kind === "operator" ? given.caller : given;
  return caller === null ? "system" : caller.kind === "session" ? `user:${caller.userId}` : "master_key";
}

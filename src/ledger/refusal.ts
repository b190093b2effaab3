import { GatewayError } from "../contract/errors.ts";
import { type BudgetScope, readBudgetPot } from "./budget-credit.ts";
import type { PotState } from "./credit-state.ts";
import { isWallet } from "./entry.ts";

const NO_RETRY = { "x-should-retry": "false" };

const WHOSE: Readonly<Record<BudgetScope, string>> = {
  organization: "The organization's budget",
  team: "The team's budget",
  user: "What the person who made this key may spend",
  member: "The budget of this key's maker in the team",
  key: "The key's budget",
  end_user: "The budget of the end user whom the call is made for",
};

/** Why a pot that has run out lets nobody through, and from when on it will. */
export function refusalOf({ id, pot, isOpen }: Pick<PotState, "id" | "pot" | "isOpen">, nowMs: number): GatewayError {
  if (isWallet(id)) {
    const message = isOpen
      ? "The organization's credit is used up; buy credits to go on."
      : "There is no credit yet; buy credits to begin.";
    return new GatewayError("insufficient_quota", message, { headers: NO_RETRY });
  }
  const { scope, model } = ownerOf(id);
  const whose = model === null ? WHOSE[scope] : `${WHOSE[scope]} for the model \`${model}\``;
  return budgetRefusal(whose, pot?.endMs ?? Number.POSITIVE_INFINITY, nowMs);
}

export function budgetRefusal(whose: string, endMs: number, nowMs: number): GatewayError {
  if (endMs === Number.POSITIVE_INFINITY) {
    const message = `${whose} is used up, and does not begin anew; an administrator can raise it.`;
    return new GatewayError("budget_exceeded", message, { headers: NO_RETRY });
  }
  // The SDKs do not try again of themselves: most windows end too late for that.
  const seconds = Math.max(1, Math.ceil((endMs - nowMs) / 1000));
  const message = `${whose} is used up; it begins anew at ${new Date(endMs).toISOString()}, or an administrator raises it.`;
  return new GatewayError("budget_exceeded", message, { headers: { ...NO_RETRY, "retry-after": String(seconds) } });
}

function ownerOf(id: string): { readonly scope: BudgetScope; readonly model: string | null } {
  const source = readBudgetPot(id);
  const [scope = ""] = source?.subject.split(":") ?? [];
  if (!(scope in WHOSE)) throw new TypeError(`there is no kind of budget ${scope}`);
  return { scope: scope as BudgetScope, model: source?.model ?? null };
}

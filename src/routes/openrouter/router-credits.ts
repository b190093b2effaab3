import Type from "typebox";
import { activeOrganization } from "../../accounts/access.ts";
import type { AccountStores } from "../../accounts/store.ts";
import { RouterCredits } from "../../contract/openrouter.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { LedgerStore } from "../../ledger/store.ts";
import { namedOrganization } from "../organizations/named-organization.ts";
import { usd } from "../spend/usd.ts";
import { ROUTER_BASE } from "./under-api.ts";

export interface CreditDeps {
  readonly stores: AccountStores;
  readonly ledger: Pick<LedgerStore, "wallet">;
}

/** What is left is what OpenRouter's programs make of it: the one without the other. */
export const routerCredits = ({ stores, ledger }: CreditDeps) =>
  route({
    method: "GET",
    paths: [`${ROUTER_BASE}/credits`],
    tag: "OpenRouter",
    summary: "Show the credit of the organization, as OpenRouter does",
    description:
      "With a management token, as there with a management key. Of its organization; a session's is the one that it works " +
      "in, or the one that `x-organization-id` names. `GET /api/balance` tells the same in nano-USD.",
    auth: "session",
    scope: "billing:read",
    success: Type.Object({ data: RouterCredits }),
    errors: ["not_found"],
    async handle({ caller, request }) {
      const { organization } = await activeOrganization(stores, caller, namedOrganization(request), "viewer");
      const { balance, used } = await ledger.wallet(organization.id);
      return json({ data: { total_credits: usd(balance + used), total_usage: usd(used) } });
    },
  });

import Type from "typebox";
import type { SeenKey } from "../../../accounts/keys.ts";
import { ResetSpendBody } from "../../../contract/gateway-admin/keys.ts";
import { json } from "../../../http/reply.ts";
import { route } from "../../../http/route.ts";
import { referenceOf } from "../../keys/key-path.ts";
import { spendingOf } from "../../keys/key-spending.ts";
import type { GatewayAdminDeps } from "../admin-deps.ts";
import { actorOf } from "../authority-of.ts";
import { ANY } from "../shared.ts";
import { nanoOf, usdOf } from "../wire-values.ts";
import { keyRow } from "./key-row.ts";

export const resetSpend = (deps: GatewayAdminDeps) =>
  route({
    ...ANY,
    method: "POST",
    paths: ["/key/{key}/reset_spend"],
    tag: "Keys",
    summary: "Set what a key has spent",
    description:
      "By the hash or the id. `spend` and `budget_spend` of the key count on from `reset_to`, and so does its budget until its window " +
      "ends; budgets of its team and others, the usage log and the books stay as they are.",
    params: Type.Object({ key: Type.String({ maxLength: 512 }) }),
    body: ResetSpendBody,
    errors: ["invalid_request", "permission", "not_found"],
    async handle({ params, body, caller, connection }) {
      let before = 0n;
      const seen = await deps.keys.resetSpend({
        actor: actorOf({ caller, connection }),
        reference: referenceOf({ id: params.key }),
        to: BigInt(nanoOf(body.reset_to) ?? 0),
        async spendingOf(key: SeenKey) {
          const [spending = NOTHING] = await spendingOf(deps, [key]);
          before = spending.spentInWindow;
          return spending;
        },
      });
      const { token, spend, max_budget, budget_reset_at } = await keyRow(deps, seen);
      return json({ key_hash: token, spend, previous_spend: usdOf(before), max_budget, budget_reset_at });
    },
  });

const NOTHING = { spend: 0n, spentInWindow: 0n, windowAt: 0 };

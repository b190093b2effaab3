import { FOREIGN_SETTINGS } from "../../contract/foreign-guardrails.ts";
import { GuardrailParams } from "../../contract/guardrails.ts";
import { keyTable } from "./key-table.ts";

export const GUARDRAIL_ENTRY = keyTable({
  served: "guardrail_name litellm_params guardrail_info",
  known: "guardrail_id policy_template",
});

export const GUARDRAIL_PARAMS = keyTable({
  served: Object.keys(GuardrailParams.properties).join(" "),
  refused: Object.fromEntries(FOREIGN_SETTINGS),
});

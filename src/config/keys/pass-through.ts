import { keyTable } from "./key-table.ts";

export const PASS_THROUGH = keyTable({
  served: `
    path target headers default_query_params include_subpath cost_per_request auth methods forward_headers timeout`,
  known: "id is_from_config",
  instead: {
    merge_query_params: "parameters of the target, of `default_query_params` and of the call are always put together",
  },
  protecting: { guardrails: "no guardrail looks at what is passed on" },
});

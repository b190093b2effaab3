import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import type { Run, Step } from "./records.ts";

const ENDPOINT = "/v1/threads/{thread_id}/runs";
type LoggedCall = Pick<CallRecord, "endpoint" | "requestedModel" | "promptTokens" | "completionTokens" | "cost">;

/** Each call of the model is one step's: the one with the same tokens. */
export function costsOf(
  calls: readonly LoggedCall[],
  run: Pick<Run, "model">,
  steps: readonly Pick<Step, "id" | "usage">[],
): ReadonlyMap<string, number> {
  const left = calls.filter(({ endpoint, requestedModel }) => endpoint === ENDPOINT && requestedModel === run.model);
  const costs = new Map<string, number>();
  for (const { id, usage } of steps) {
    const at = left.findIndex(
      ({ promptTokens, completionTokens }) =>
        promptTokens === usage?.prompt_tokens && completionTokens === usage.completion_tokens,
    );
    const [found] = at < 0 ? [] : left.splice(at, 1);
    if (found) costs.set(id, found.cost);
  }
  return costs;
}

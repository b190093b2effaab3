import type { Operation } from "../../contract/params.ts";
import { modelBehind } from "../../contract/upstream-form.ts";
import type { Target } from "../dialect.ts";
import { type Body, renameField } from "../openai/body.ts";
import { limitsCompletionTokens, openAiParams } from "../openai/models.ts";

/** A deployment may be called anything, so that a word before its name can say what kind of model it is. */
const SERIES: readonly (readonly [prefix: string, model: string])[] = [
  ["o_series/", "o3"],
  ["gpt5_series/", "gpt-5"],
];

/** The name of the deployment at Azure. */
export function deploymentName(name: string): string {
  const series = SERIES.find(([prefix]) => name.startsWith(prefix));
  return series ? name.slice(series[0].length) : name;
}

/** The model that a deployment most likely is. */
const modelOf = (name: string): string => SERIES.find(([prefix]) => name.startsWith(prefix))?.[1] ?? name;

export const azureParams = (operation: Operation, model: string): readonly string[] =>
  openAiParams(operation, modelOf(model));

export const modelAt = (target: Target): string => modelOf(modelBehind(target));

export function adaptToDeployment(operation: Operation, body: Body, target: Target): void {
  body.model = deploymentName(target.upstreamModel);
  if (operation === "chat" && limitsCompletionTokens(modelAt(target)))
    renameField(body, "max_tokens", "max_completion_tokens");
}

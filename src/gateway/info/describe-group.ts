import { basePrice, type ModelFacts } from "../../catalog/model-facts.ts";
import { toUsd } from "../../catalog/price.ts";
import type { Deployment } from "../../contract/deployment.ts";
import type { ModelGroupEntry } from "../../contract/models.ts";
import type { GroupHealth } from "../routing/group-health.ts";
import { commonParams, operationOfMode, supportedParams } from "./supported-params.ts";

export interface Member {
  readonly deployment: Deployment;
  readonly facts: ModelFacts;
}

/** A group as one model: the most that a member allows or costs, and what any of them can do. */
export function describeGroup(name: string, members: readonly Member[], health: GroupHealth): ModelGroupEntry {
  const any = (test: (member: Member) => boolean | null): boolean => members.some((member) => test(member) === true);
  const deployments = members.map(({ deployment }) => deployment);
  const authParams = deployments.map(({ params }) => params.configurable_clientside_auth_params).find(Array.isArray);
  return {
    model_group: name,
    providers: [...new Set(deployments.map(({ provider }) => provider))].filter((provider) => provider !== "*"),
    max_input_tokens: most(members.map(({ facts }) => facts.maxInputTokens)),
    max_output_tokens: most(members.map(({ facts }) => facts.maxOutputTokens)),
    input_cost_per_token: dearest(members, "input"),
    output_cost_per_token: dearest(members, "output"),
    mode: members[0]?.facts.mode ?? null,
    tpm: sum(deployments, "tpm"),
    rpm: sum(deployments, "rpm"),
    supports_parallel_function_calling: any(callsInParallel),
    supports_vision: any(({ facts }) => facts.supportsVision),
    supports_function_calling: any(callsFunctions),
    supports_reasoning: any(({ facts }) => facts.supportsReasoning),
    supports_web_search: any(({ facts }) => facts.supportsWebSearch),
    supports_url_context: any(({ facts }) => facts.supportsUrlContext),
    supported_openai_params: commonParams(deployments) ?? [],
    configurable_clientside_auth_params: authParams ?? null,
    is_public_model_group: false,
    ...health,
  };
}

/** Of a model that no list knows, its provider tells whether it takes tools. */
const callsFunctions = ({ deployment, facts }: Member): boolean =>
  facts.supportsFunctionCalling ?? (isChat(facts.mode) && takes(deployment, "tools"));

const isChat = (mode: string): boolean => operationOfMode(mode) === "chat";

const callsInParallel = (member: Member): boolean =>
  member.facts.supportsParallelFunctionCalling ??
  (callsFunctions(member) && takes(member.deployment, "parallel_tool_calls"));

const takes = (deployment: Deployment, param: string): boolean => supportedParams(deployment)?.includes(param) ?? false;

const most = (values: readonly (number | null)[]): number | null => {
  const known = values.filter((value) => value !== null);
  return known.length > 0 ? Math.max(...known) : null;
};

function dearest(members: readonly Member[], component: "input" | "output"): number | null {
  const known = members.map(({ facts }) => basePrice(facts.prices, component)).filter((price) => price !== null);
  const [first, ...others] = known;
  if (first === undefined) return null;
  return toUsd(others.reduce((high, price) => (price > high ? price : high), first));
}

function sum(deployments: readonly Deployment[], name: "tpm" | "rpm"): number | null {
  const known = deployments.map(({ params, info }) => params[name] ?? info[name]).filter(Number.isFinite) as number[];
  return known.length > 0 ? known.reduce((total, value) => total + value, 0) : null;
}

import { GatewayError } from "../../contract/errors.ts";
import type { Member } from "./group-snapshot.ts";

/** What a call needs of the deployment that serves it. */
export interface Needs {
  readonly group: string;
  promptTokens(): number;
  /** Not more than there are; the same as about so many where nothing else is said. */
  promptTokensAtLeast?(): number;
  readonly tags: readonly string[];
  readonly region: string | null;
  /** The answer has to fit a JSON schema. */
  readonly schema?: boolean;
}

/** What is known about a deployment's model; null is not known, and never speaks against it. */
export interface ModelLimits {
  readonly maxInputTokens: number | null;
  readonly supportsResponseSchema: boolean | null;
}

/** A call that names a region goes nowhere else. */
export function stayInRegion(members: readonly Member[], { region, group }: Needs): readonly Member[] {
  if (region === null) return members;
  const near = members.filter((member) => member.region === region);
  if (near.length === 0) throw refusal(`No deployment of \`${group}\` is in the region \`${region}\`.`);
  return near;
}

/** `enable_pre_call_checks`: those that cannot serve the call are not asked. */
export function checkBefore(
  members: readonly Member[],
  needs: Needs,
  limitsOf: (member: Member) => ModelLimits,
): readonly Member[] {
  const near = stayInRegion(members, needs);
  const able = needs.schema ? near.filter((member) => limitsOf(member).supportsResponseSchema !== false) : near;
  if (able.length === 0) throw refusal(`No deployment of \`${needs.group}\` can answer by a JSON schema.`);
  if (!able.some((member) => limitsOf(member).maxInputTokens !== null)) return able;
  const tokens = needs.promptTokens();
  const large = able.filter((member) => tokens <= (limitsOf(member).maxInputTokens ?? Number.POSITIVE_INFINITY));
  if (large.length > 0) return large;
  const roomiest = Math.max(...able.map((member) => limitsOf(member).maxInputTokens ?? 0));
  // What is about as long as that may fit after all: who has the most room knows, and says so where it does not.
  if ((needs.promptTokensAtLeast?.() ?? tokens) <= roomiest) {
    return able.filter((member) => limitsOf(member).maxInputTokens === roomiest);
  }
  throw new GatewayError(
    "context_window",
    `The prompt has about ${tokens} tokens, more than any deployment of \`${needs.group}\` takes.`,
  );
}

/** Serves calls without tags, and those whose tags nobody has. */
const DEFAULT_TAG = "default";

/** `enable_tag_filtering`: calls go to deployments with their tags, others to those for everybody. */
export function matchTags(members: readonly Member[], { tags, group }: Needs, any: boolean): readonly Member[] {
  const forAll = members.filter((member) => member.tags.includes(DEFAULT_TAG));
  if (tags.length === 0) return forAll.length > 0 ? forAll : members;
  const wanted = members.filter((member) => {
    const has = (tag: string) => member.tags.includes(tag);
    return any ? tags.some(has) : tags.every(has);
  });
  if (wanted.length > 0) return wanted;
  if (forAll.length > 0) return forAll;
  throw refusal(`No deployment of \`${group}\` has the tags of this call.`);
}

const refusal = (message: string): GatewayError => new GatewayError("invalid_request", message);

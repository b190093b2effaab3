import type { Provider, Target } from "../dialect.ts";
import { findKey, findText, findVariable, missingBase, missingKey } from "../openai/credentials.ts";
import { buildProvider, type Family } from "../openai/family.ts";
import type { MessageRules } from "../openai/messages.ts";
import { joinPath, PATHS } from "../openai/paths.ts";
import { adapt } from "./adapt.ts";
import { decodeTotalUsage } from "./embedding.ts";
import { rowParams } from "./params.ts";
import type { Row } from "./row.ts";
import { decodeThinkingAnswer } from "./thinking-parts.ts";
import { ThinkingStream } from "./thinking-stream.ts";

/** Fields that OpenAI puts into its answers; the stricter of the others refuse them when they come back. */
const OF_OPENAI_ANSWERS = ["annotations", "refusal", "audio"];

export function buildRow(row: Row): Provider {
  const quirks = row.quirks ?? {};
  const messages: MessageRules = { developerAsSystem: true, drops: OF_OPENAI_ANSWERS, ...quirks.messages };
  return buildProvider({
    id: row.id,
    title: row.title,
    operations: row.operations ?? ["chat"],
    url: (operation, target) => joinPath(baseOf(row, target), PATHS[operation]),
    headers: (target) => ({ ...keyHeader(row, target), ...furtherHeaders(row, target) }),
    messages,
    knowsStreamOptions: () => !quirks.refusesStreamOptions,
    adapt: (operation, body) => adapt(quirks, operation, body),
    ...(quirks.renameDelta && { relay: { renameDelta: quirks.renameDelta } }),
    ...(quirks.thinkingParts && { chatAnswers: thinkingAnswers(row.title) }),
    ...(quirks.totalTokensOnly && { decodeEmbedding: (body, facts) => decodeTotalUsage(body, facts, row.title) }),
    supportedParams: (operation, model) => rowParams(row, operation, model),
  });
}

const thinkingAnswers = (title: string): NonNullable<Family["chatAnswers"]> => ({
  decode: (body, _request, facts) => decodeThinkingAnswer(body, facts, title),
  stream: { framing: "sse", decoder: ({ n }, facts) => new ThinkingStream(facts, title, n ?? 1) },
});

/** `NANO_GPT_API_BASE` for `nano-gpt`. */
export const baseVariable = (row: Row): string => `${row.id.toUpperCase().replaceAll("-", "_")}_API_BASE`;

function baseOf(row: Row, target: Target): string {
  const given = target.apiBase ?? findVariable(target, [baseVariable(row)]);
  if (given !== undefined) return given;
  if (row.base === undefined) throw missingBase(row.title, baseVariable(row));
  return row.base.replace(/\{(\w+)\}/g, (_, name: string) => fillBlank(row, name, target));
}

function fillBlank(row: Row, name: string, target: Target): string {
  const blank = row.blanks?.[name];
  const value =
    (blank?.param && findText(target, blank.param)) || findVariable(target, blank?.variables ?? []) || blank?.otherwise;
  if (value === undefined) throw missingBase(row.title, blank?.variables[0] ?? baseVariable(row));
  return value;
}

/** A server at an address of the operator's own may want no key. */
function keyHeader(row: Row, target: Target): Record<string, string> {
  const key = findKey(target, row.key);
  if (key !== undefined) return row.keyHeader ? { [row.keyHeader]: key } : { authorization: `Bearer ${key}` };
  if (row.keyless || target.apiBase !== null) return {};
  throw missingKey(row.title, row.key);
}

function furtherHeaders(row: Row, target: Target): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, { variable, otherwise }] of Object.entries(row.quirks?.headers ?? {})) {
    const value = (variable && findVariable(target, [variable])) || otherwise;
    if (value) headers[name] = value;
  }
  return headers;
}

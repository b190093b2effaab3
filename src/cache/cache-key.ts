import { GATEWAY_FIELDS, type Operation } from "../contract/params.ts";
import { isRecord } from "../lib/json.ts";
import { canonicalFields } from "./canonical.ts";

/** Who may be given each other's answers. */
export const CACHE_SCOPES = ["organization", "team", "key", "global"] as const;
export type CacheScope = (typeof CACHE_SCOPES)[number];

/** Everything by which two calls are told apart. */
export interface CacheQuestion {
  /** Who shares answers with whom: nothing is found across tenants. */
  readonly tenant: string;
  readonly namespace: string;
  readonly operation: Operation;
  /** The group that serves it, and the name that the caller used for it: answers carry that name. */
  readonly group: string;
  readonly model: string;
  /** What else decides which deployments may answer: a meaning of the name that is the key's own, a region, tags. */
  readonly route: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface Tenant {
  readonly organizationId: string | null;
  readonly teamId: string | null;
  readonly keyId: string;
}

/** The master key belongs to nobody: it shares with itself alone. */
export function tenantOf(scope: CacheScope, { organizationId, teamId, keyId }: Tenant): string {
  if (scope === "global") return "global";
  if (scope === "organization" && organizationId !== null) return `organization:${organizationId}`;
  if (scope === "team" && teamId !== null) return `team:${teamId}`;
  return `key:${keyId}`;
}

/** Steers the gateway and leaves the answer as it is; the other fields of the gateway's are part of the question. */
const WITHOUT_EFFECT: ReadonlySet<string> = new Set(
  [...GATEWAY_FIELDS].filter(
    (name) =>
      !/^(anthropic_form|reasoning_summary|drop_params|additional_drop|allowed_openai|enable_json|mock_|guard)/.test(
        name,
      ),
  ),
);
const ALL_BUT_MESSAGES: ReadonlySet<string> = new Set([...WITHOUT_EFFECT, "messages"]);

/** The name of an answer: SHA-256 of all that can change it, after its namespace where it has one. */
export function cacheKey(question: CacheQuestion): string {
  return named(question, canonicalFields(question.fields, WITHOUT_EFFECT));
}

/** What a question by meaning is about: its last words, and the name of everything else. */
export interface SemanticKey {
  readonly text: string;
  /** Only within one of these are questions compared. */
  readonly bucket: string;
}

/** Null for what cannot be compared by its meaning: only chats that end with somebody's text can. */
export function topicOf(question: CacheQuestion, embeddingModel: string): SemanticKey | null {
  const { messages } = question.fields;
  if (question.operation !== "chat" || !Array.isArray(messages)) return null;
  const last: unknown = messages.at(-1);
  if (!isRecord(last) || last.role !== "user") return null;
  const text = textOf(last.content);
  if (text === null || text.trim() === "") return null;
  const before = { messages: [...messages.slice(0, -1), { ...last, content: null }] };
  const rest = canonicalFields(question.fields, ALL_BUT_MESSAGES) + canonicalFields(before, new Set());
  // Vectors of two models cannot be compared, though they may be of one size.
  return { text, bucket: named(question, `${JSON.stringify(embeddingModel)}\n${rest}`) };
}

/** The text of a message; null where it holds anything else. */
function textOf(content: unknown): string | null {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => (isRecord(part) && part.type === "text" ? part.text : null));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : null;
}

function named({ tenant, namespace, operation, group, model, route }: CacheQuestion, fields: string): string {
  let place = `${sized(tenant)}${sized(namespace)}${sized(operation)}${sized(group)}${sized(model)}`;
  for (const part of route) place += sized(part);
  const hash = Bun.SHA256.hash(`${place}\n${fields}`, "hex");
  return namespace === "" ? hash : `${namespace}:${hash}`;
}

/** No two lists of texts are the same one after the other. As JSON the place took 0.13 µs of 0.87 in place of 0.03. */
const sized = (text: string): string => `${text.length}:${text}`;

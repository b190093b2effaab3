import { isRecord } from "../../lib/json.ts";

type Fields = Readonly<Record<string, unknown>>;

/** How an upstream's messages differ from ours. With no rule given they are as OpenAI takes them. */
export interface MessageRules {
  /** The role `developer` becomes `system`. */
  readonly developerAsSystem?: boolean;
  /** The only messages that may have a `name`; by default all. */
  readonly nameOn?: readonly string[];
  /** Fields of our answers that the upstream wants back, such as its reasoning. */
  readonly keeps?: readonly string[];
  /** Further fields that the upstream does not know. */
  readonly drops?: readonly string[];
  /** Fields of our answers that the upstream wants back under names of its own. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Marks of what to cache, which OpenAI refuses. */
  readonly keepsCacheControl?: boolean;
  /** Content that is all text is sent as one string. */
  readonly flattensText?: boolean;
  /** A content part in the upstream's form, where it has one of its own. */
  part?(part: Fields): Fields;
  /** Ids of tool calls, where the upstream takes only a certain form. */
  toolId?(id: string): string;
}

/** Fields that our answers have and OpenAI refuses when a client sends them back. */
const OF_OUR_ANSWERS: ReadonlySet<string> = new Set([
  "reasoning_content",
  "thinking_blocks",
  "provider_specific_fields",
]);

/** Gives the messages as the upstream takes them; the request's own are left alone. */
export function tidyMessages(messages: unknown, rules: MessageRules): unknown {
  if (!Array.isArray(messages) || messages.every((message) => isTidy(message, rules))) return messages;
  return messages.map((message: unknown) => (isRecord(message) ? tidyMessage(message, rules) : message));
}

/** Most messages are: they go as they came, which spares 5 µs for two of them. */
function isTidy(message: unknown, rules: MessageRules): boolean {
  if (!isRecord(message)) return true;
  for (const field in message) {
    const value = message[field];
    if (field === "content") {
      if (Array.isArray(value)) return false;
    } else if (field === "role") {
      if (value === "developer" && rules.developerAsSystem) return false;
    } else if (field === "tool_calls" && hasOurFields(value, rules)) return false;
    else if (value === null || rules.toolId || rules.renames || isDropped(field, message, rules)) return false;
  }
  return true;
}

function tidyMessage(message: Fields, rules: MessageRules): Fields {
  const tidy: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(message)) {
    if (field === "content") tidy.content = tidyContent(value, rules);
    // Clients that send back an answer as they parsed it fill in every field; upstreams refuse a null list of calls.
    else if (value === null || isDropped(field, message, rules)) continue;
    else if (field === "role") tidy.role = value === "developer" && rules.developerAsSystem ? "system" : value;
    else if (field === "tool_calls") tidy.tool_calls = tidyToolCalls(value, rules);
    else if (field === "tool_call_id") tidy.tool_call_id = tidyToolId(value, rules);
    else tidy[renamed(field, rules)] = value;
  }
  return tidy;
}

const renamed = (field: string, { renames = {} }: MessageRules): string =>
  (Object.hasOwn(renames, field) && renames[field]) || field;

function isDropped(field: string, message: Fields, rules: MessageRules): boolean {
  if (field === "name") return rules.nameOn !== undefined && !rules.nameOn.some((role) => role === message.role);
  if (field === "cache_control") return !rules.keepsCacheControl;
  if (rules.renames && Object.hasOwn(rules.renames, field)) return false;
  if (OF_OUR_ANSWERS.has(field)) return isOurs(field, rules);
  return rules.drops?.includes(field) ?? false;
}

const isOurs = (field: string, { keeps }: MessageRules): boolean =>
  OF_OUR_ANSWERS.has(field) && !keeps?.includes(field);

function tidyContent(content: unknown, rules: MessageRules): unknown {
  if (!Array.isArray(content)) return content;
  const parts = content.map((part: unknown) => (isRecord(part) ? tidyPart(part, rules) : part));
  if (!rules.flattensText) return parts;
  const texts = parts.map((part: unknown) => (isRecord(part) && part.type === "text" ? part.text : null));
  return texts.every((text) => typeof text === "string") ? texts.join("\n") : parts;
}

function tidyPart(given: Fields, rules: MessageRules): Fields {
  const part = rules.part?.(given) ?? given;
  const marked = "cache_control" in part && !rules.keepsCacheControl;
  // We take a picture's address as plain text too; OpenAI wants it inside an object.
  const bare = typeof part.image_url === "string";
  if (!marked && !bare) return part;
  const { cache_control: mark, ...rest } = part;
  return {
    ...rest,
    ...(mark !== undefined && !marked && { cache_control: mark }),
    ...(bare && { image_url: { url: part.image_url } }),
  };
}

function tidyToolCalls(calls: unknown, rules: MessageRules): unknown {
  if (!Array.isArray(calls) || !(rules.toolId || hasOurFields(calls, rules))) return calls;
  return calls.map((call: unknown) => {
    if (!isRecord(call)) return call;
    const kept = Object.entries(call).filter(([field]) => !isOurs(field, rules));
    return { ...Object.fromEntries(kept), id: tidyToolId(call.id, rules) };
  });
}

/** A call, too, may have what one provider wants back and all others refuse, such as a seal of its reasoning. */
function hasOurFields(calls: unknown, rules: MessageRules): boolean {
  if (!Array.isArray(calls)) return false;
  return calls.some((call: unknown) => isRecord(call) && Object.keys(call).some((field) => isOurs(field, rules)));
}

const tidyToolId = (id: unknown, rules: MessageRules): unknown =>
  typeof id === "string" && rules.toolId ? rules.toolId(id) : id;

/** Marks of what to cache may stand on tools as well, or on the function inside. */
export function tidyTools(tools: unknown, rules: MessageRules): unknown {
  if (!Array.isArray(tools) || rules.keepsCacheControl) return tools;
  return tools.map((tool: unknown) => {
    if (!isRecord(tool)) return tool;
    const unmarked = withoutMark(tool);
    const { function: offered } = unmarked;
    return isRecord(offered) && isMarked(offered) ? { ...unmarked, function: withoutMark(offered) } : unmarked;
  });
}

const isMarked = (fields: Fields): boolean => "cache_control" in fields;

function withoutMark(fields: Fields): Fields {
  if (!isMarked(fields)) return fields;
  const { cache_control: _mark, ...rest } = fields;
  return rest;
}

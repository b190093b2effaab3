import { type ChatApi, INPUT_FIELDS, isApiField, isOpenAiParam, type Operation } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import type { Provider } from "../../providers/dialect.ts";
import type { Fields } from "../call/gateway.ts";
import { isGeminiRequest } from "../interfaces/gemini/marker.ts";

/**
 * Marks the chat that a request of the Responses interface became, with the names of what no chat has. Copies of the
 * chat include it, JSON does not.
 */
const FROM_RESPONSES = Symbol("from the Responses interface");

export const markResponse = (chat: object, dropped: readonly string[]): void => {
  Object.assign(chat, { [FROM_RESPONSES]: dropped });
};

const droppedBefore = (request: object): readonly string[] | undefined =>
  (request as { [FROM_RESPONSES]?: readonly string[] })[FROM_RESPONSES];

/** Names of the fields that a request lost in translation, next to the fields that are sent. */
const DROPPED = Symbol("dropped");

export const droppedOf = (fields: object): readonly string[] => (fields as { [DROPPED]?: string[] })[DROPPED] ?? NONE;

const NONE: readonly string[] = [];

/** Fields that every interface of the gateway reads by itself before a provider gets the others. */
const READ_BY_GATEWAY: ReadonlySet<string> = new Set(["extra_body", "extra_headers", "reasoning", "usage"]);

/** Clients of these interfaces send sampling parameters without being asked to, whatever the model is. */
const SAMPLING: ReadonlySet<string> = new Set("temperature top_p top_k presence_penalty frequency_penalty".split(" "));

/** Parameters that Codex sends for a model of a known name, whichever model has that name. */
const OF_CODEX: ReadonlySet<string> = new Set(["web_search_options", "reasoning_effort", "verbosity"]);

/** Servers with OpenAI's chat interface that accept `top_k`. Others refuse it. */
const TAKES_TOP_K: ReadonlySet<string> = new Set(
  "hosted_vllm vllm openrouter together_ai fireworks_ai deepinfra".split(" "),
);

/** APIs of OpenAI's chat interface. */
const OPENAI_FORM: ReadonlySet<ChatApi> = new Set<ChatApi>(["openai", "compatible", "echo"]);

/** The interface that a request came in by. */
type Source = "chat" | "responses" | "anthropic" | "gemini";

function sourceOf(request: Fields): Source {
  if (request.anthropic_form === true) return "anthropic";
  if (isGeminiRequest(request)) return "gemini";
  return droppedBefore(request) ? "responses" : "chat";
}

/** Decides which fields of a request reach a provider, where its API or its models may not accept all of them. */
export class Translation {
  private readonly dropped: string[] = [];

  private constructor(
    private readonly source: Source,
    private readonly target: ChatApi,
    private readonly operation: Operation,
    private readonly providerId: string,
  ) {}

  /** Null for a chat completion to an interface like OpenAI's: its unknown fields pass, its parameters are checked. */
  static of(operation: Operation, request: Fields, provider: Provider, model: string): Translation | null {
    const isText = operation === "completion" && !provider.completion;
    if (operation !== "chat" && !isText) return null;
    const source = sourceOf(request);
    const target = provider.chatApi?.(model) ?? "compatible";
    if (source === "chat" && OPENAI_FORM.has(target)) return null;
    const translation = new Translation(source, target, operation, provider.id);
    for (const name of droppedBefore(request) ?? NONE) translation.note(name);
    return translation;
  }

  /** Whether the provider's API has a field of the request. A request of the same API keeps all of its fields. */
  knows(name: string): boolean {
    if (this.source === this.target) return true;
    if (isOpenAiParam(this.operation, name) || INPUT_FIELDS.has(name) || READ_BY_GATEWAY.has(name)) return true;
    if (name === "top_k" && this.target === "compatible") return TAKES_TOP_K.has(this.providerId);
    // Responses and Anthropic's interface have fields of one name and another form.
    if (this.source === "responses" && this.target !== "openai" && isApiField("responses", name)) return false;
    return isApiField(this.target, name);
  }

  /** Whether a parameter is dropped, not refused: sampling of a reasoning model, or what Codex sends by default. */
  drops(name: string, reasons: boolean): boolean {
    if (this.source === "chat") return false;
    return (reasons && SAMPLING.has(name)) || (this.source === "responses" && OF_CODEX.has(name));
  }

  note(name: string): void {
    this.dropped.push(name);
  }

  /** Removes what a search of Responses has and one of a chat has not, and leaves the dropped names for `droppedOf`. */
  finish(fields: Record<string, unknown>): void {
    const search = fields.web_search_options;
    if (this.source === "responses" && this.target !== "responses" && isRecord(search)) {
      const { search_context_size, user_location } = search;
      fields.web_search_options = { search_context_size, user_location };
    }
    if (this.dropped.length > 0) Object.assign(fields, { [DROPPED]: this.dropped });
  }
}

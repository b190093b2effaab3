import type { ChatRequest } from "../../contract/chat.ts";
import { OLLAMA_OPTION_FIELDS } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";
import { stopList, tokensMax } from "../openai-form/wishes.ts";

interface Settings {
  /** Undefined when there are none. */
  readonly options: Readonly<Record<string, unknown>> | undefined;
  /** The provider's own fields that stand at the top: `keep_alive`, `think`, `format`, `truncate` and others. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** OpenAI's parameters as options, under the same settings by Ollama's own names, under the caller's own `options`. */
export function chatSettings(request: ChatRequest): Settings {
  return settings(extraFields("chat", request), {
    num_predict: tokensMax(request),
    temperature: request.temperature ?? undefined,
    top_p: request.top_p ?? undefined,
    seed: request.seed ?? undefined,
    stop: stopList(request),
    frequency_penalty: request.frequency_penalty ?? undefined,
    presence_penalty: request.presence_penalty ?? undefined,
  });
}

export function settings(extra: Readonly<Record<string, unknown>>, derived: Record<string, unknown>): Settings {
  const options = Object.fromEntries(Object.entries(derived).filter(([, value]) => value !== undefined));
  const fields: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(extra)) {
    if (OLLAMA_OPTION_FIELDS.has(name)) options[name] = value;
    else if (name !== "options") fields[name] = value;
  }
  if (isRecord(extra.options)) Object.assign(options, extra.options);
  return { options: Object.keys(options).length === 0 ? undefined : options, fields };
}

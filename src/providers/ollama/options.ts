import type { ChatRequest } from "../../contract/chat.ts";
import { isRecord } from "../../lib/json.ts";
import { extraFields } from "../extra-fields.ts";
import { stopList, tokensMax } from "../openai-form/wishes.ts";

/** Settings of Ollama that live under `options`; people write them beside the others. */
const OPTION_NAMES = new Set(
  `num_keep num_predict top_k min_p typical_p tfs_z repeat_last_n repeat_penalty mirostat mirostat_tau mirostat_eta
   penalize_newline num_ctx num_batch num_gpu main_gpu low_vram f16_kv vocab_only use_mmap use_mlock num_thread numa
   draft_num_predict`.split(/\s+/),
);

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
    if (OPTION_NAMES.has(name)) options[name] = value;
    else if (name !== "options") fields[name] = value;
  }
  if (isRecord(extra.options)) Object.assign(options, extra.options);
  return { options: Object.keys(options).length === 0 ? undefined : options, fields };
}

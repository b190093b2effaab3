import { faultOfTools } from "../../components/tools-json.ts";

/** What can be set for a chat; empty fields are not sent. */
export interface ChatSettings {
  readonly system: string;
  readonly temperature: number | string;
  readonly topP: number | string;
  readonly maxTokens: number | string;
  readonly frequencyPenalty: number | string;
  readonly presencePenalty: number | string;
  readonly seed: number | string;
  readonly stop: readonly string[];
  readonly effort: string;
  readonly isJson: boolean;
  readonly isStreamed: boolean;
  /** JSON text: a list of tools. */
  readonly tools: string;
}

export const PLAIN_SETTINGS: ChatSettings = {
  system: "",
  temperature: "",
  topP: "",
  maxTokens: "",
  frequencyPenalty: "",
  presencePenalty: "",
  seed: "",
  stop: [],
  effort: "",
  isJson: false,
  isStreamed: true,
  tools: "",
};

export function chatBody(
  model: string,
  messages: readonly unknown[],
  settings: ChatSettings,
): Readonly<Record<string, unknown>> {
  const number = (name: string, value: number | string) => (value === "" ? {} : { [name]: Number(value) });
  const tools = settings.tools.trim() === "" || faultOfTools(settings.tools) !== null ? [] : JSON.parse(settings.tools);
  return {
    model,
    messages,
    ...number("temperature", settings.temperature),
    ...number("top_p", settings.topP),
    ...number("max_tokens", settings.maxTokens),
    ...number("frequency_penalty", settings.frequencyPenalty),
    ...number("presence_penalty", settings.presencePenalty),
    ...number("seed", settings.seed),
    ...(settings.stop.length === 0 ? {} : { stop: settings.stop }),
    ...(settings.effort === "" ? {} : { reasoning_effort: settings.effort }),
    ...(settings.isJson ? { response_format: { type: "json_object" } } : {}),
    ...(tools.length === 0 ? {} : { tools }),
    ...(settings.isStreamed ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

import { faultOfTools } from "../../components/tools-json.ts";
import type { Assistant, Tool } from "./records.ts";

export interface AssistantValues extends Record<string, unknown> {
  readonly name: string;
  readonly description: string;
  readonly model: string;
  readonly instructions: string;
  readonly temperature: number | string;
  readonly searches: boolean;
  readonly store: string | null;
  /** JSON text: a list of functions. */
  readonly tools: string;
}

export function valuesOf(assistant: Assistant | null, model: string): AssistantValues {
  const functions = assistant?.tools.filter(({ type }) => type === "function") ?? [];
  return {
    name: assistant?.name ?? "",
    description: assistant?.description ?? "",
    model: assistant?.model ?? model,
    instructions: assistant?.instructions ?? "",
    temperature: assistant?.temperature ?? "",
    searches: assistant?.tools.some(({ type }) => type === "file_search") ?? false,
    store: assistant?.tool_resources?.file_search?.vector_store_ids?.[0] ?? null,
    tools: functions.length === 0 ? "" : JSON.stringify(functions, null, 2),
  };
}

export const VALIDATE = {
  name: (name: string) => (name.trim() === "" ? "Give it a name." : null),
  model: (model: string) => (model.trim() === "" ? "Choose a model." : null),
  tools: faultOfTools,
};

/** As the server takes it. How a search was set up by other means stays as it is. */
export function bodyOf(values: AssistantValues, before: Assistant | null): Readonly<Record<string, unknown>> {
  const search = before?.tools.find(({ type }) => type === "file_search") ?? { type: "file_search" };
  const functions = values.tools.trim() === "" ? [] : (JSON.parse(values.tools) as Tool[]);
  const storeIds = values.searches && values.store !== null ? [values.store] : [];
  return {
    name: values.name.trim(),
    description: values.description.trim() || null,
    model: values.model.trim(),
    instructions: values.instructions.trim() || null,
    temperature: values.temperature === "" ? null : Number(values.temperature),
    tools: [...(values.searches ? [search] : []), ...functions],
    tool_resources: { file_search: { vector_store_ids: storeIds } },
  };
}

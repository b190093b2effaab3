import type { Operation } from "../../contract/params.ts";
import { isRecord } from "../../lib/json.ts";
import { type Body, renameField } from "../openai/body.ts";
import { insistence } from "../openai-form/tools.ts";
import { OLDER_LIMIT } from "./limit-names.ts";
import type { Quirks } from "./row.ts";

/** Makes a request what the row's upstream takes, in place. */
export function adapt(quirks: Quirks, operation: Operation, body: Body): void {
  const { modelPrefix, rename, values, clamp } = quirks;
  if (modelPrefix && typeof body.model === "string" && !body.model.includes("/")) body.model = modelPrefix + body.model;
  for (const [from, to] of Object.entries({ ...OLDER_LIMIT, ...rename })) if (to !== null) renameField(body, from, to);
  for (const path of quirks.withholds ?? []) withhold(body, path.split("."));
  if (values) mapValues(body, values);
  for (const [name, [min, max]] of Object.entries(clamp ?? {})) {
    const value = body[name];
    if (typeof value === "number") body[name] = Math.min(Math.max(value, min), max);
  }
  if (operation !== "chat") return;
  if (quirks.schemaInWords) tellSchema(body);
  if (quirks.insistsInWords) retryUntil(body);
}

/** Below the first field everything is the caller's, who may have it sent again: it is copied. */
function withhold(body: Body, [name = "", ...rest]: readonly string[]): void {
  const value = body[name];
  if (rest.length === 0) delete body[name];
  else if (isRecord(value)) {
    const copy = { ...value };
    withhold(copy, rest);
    body[name] = copy;
  }
}

function mapValues(body: Body, values: NonNullable<Quirks["values"]>): void {
  for (const [name, map] of Object.entries(values)) {
    const value = body[name];
    if (typeof value !== "string" || !Object.hasOwn(map, value)) continue;
    const mapped = map[value];
    if (mapped === null) delete body[name];
    else body[name] = mapped;
  }
}

/** A tool that has to be called is the only one on offer. A choice of nothing, or in another form, is the upstream's to judge. */
function retryUntil(body: Body): void {
  const choice = demandIn(body.tool_choice);
  if (choice === null || !Array.isArray(body.messages)) return;
  const offered: readonly unknown[] = Array.isArray(body.tools) ? body.tools : [];
  const tools = choice === "required" ? offered : offered.filter((tool) => nameOf(tool) === choice.name);
  if (tools.length === 0) return;
  body.tools = tools;
  body.tool_choice = "auto";
  body.messages = [...body.messages, insistence(choice)];
}

function demandIn(choice: unknown): "required" | { name: string } | null {
  if (choice === "required") return choice;
  const name = nameOf(choice);
  return typeof name === "string" ? { name } : null;
}

const nameOf = (tool: unknown): unknown => (isRecord(tool) && isRecord(tool.function) ? tool.function.name : undefined);

/** JSON mode keeps the answer well-formed; the schema itself can only be asked for. */
function tellSchema(body: Body): void {
  const format = body.response_format;
  if (!isRecord(format) || format.type !== "json_schema" || !Array.isArray(body.messages)) return;
  const schema = isRecord(format.json_schema) ? format.json_schema.schema : undefined;
  body.response_format = { type: "json_object" };
  const content = `Answer with JSON that fits this JSON schema, and with nothing else:\n${JSON.stringify(schema ?? {})}`;
  body.messages = [{ role: "system", content }, ...body.messages];
}

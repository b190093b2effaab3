import { isRecord, textOf } from "../../../lib/json.ts";
import { shortName } from "../../../lib/short-name.ts";
import type { Fields } from "../../call/gateway.ts";
import { isClosed } from "../anthropic/closed-schema.ts";
import { listOf, normalizeNames, refused } from "./field-names.ts";
import { jsonSchema } from "./json-schema.ts";

/** Tools as chats have them; Google's own stay as they are, for its own models. */
export function chatTools(given: unknown): Fields[] {
  return listOf(given).flatMap((tool, at) => {
    const place = `tools[${at}]`;
    const { functionDeclarations, ...own } = normalizeNames(tool, place);
    const functions = listOf(functionDeclarations).map((one, n) =>
      asFunction(one, `${place}.functionDeclarations[${n}]`),
    );
    const others = Object.entries(own).map(([name, value]) => ({ [name]: value }));
    return [...functions, ...others];
  });
}

function asFunction(given: unknown, place: string): Fields {
  const { name, description, parameters, parametersJsonSchema, response, responseJsonSchema, behavior, ...more } =
    normalizeNames(given, place);
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw refused(place, `\`${shortName(unknown)}\` is not served.`);
  if (behavior !== undefined && !PLAIN_BEHAVIOR.has(behavior))
    throw refused(`${place}.behavior`, "only BLOCKING is served.");
  if (!textOf(name)) throw refused(`${place}.name`, "the name of the function is needed.");
  const schema = schemaOf(parameters, parametersJsonSchema, `${place}.parameters`);
  const returned = schemaOf(response, responseJsonSchema, `${place}.response`);
  // Chats have no place for what a function gives back.
  const told = returned ? `It returns: ${JSON.stringify(returned)}` : null;
  const words = [textOf(description), told].filter((text) => text).join("\n");
  return {
    type: "function",
    function: {
      name,
      ...(words !== "" && { description: words }),
      parameters: schema ?? { type: "object", properties: {} },
    },
  };
}

const PLAIN_BEHAVIOR: ReadonlySet<unknown> = new Set(["UNSPECIFIED", "BLOCKING"]);

/** A schema in Google's own form, or in JSON Schema; null where there is neither. */
export function schemaOf(own: unknown, json: unknown, place: string): Fields | null {
  if (json !== undefined) {
    if (isRecord(json)) return json;
    throw refused(`${place}JsonSchema`, "a schema is wanted here.");
  }
  return own === undefined ? null : jsonSchema(own, place);
}

/** How answers are asked for that fit a schema. */
export const answerFormat = (schema: Fields): Fields => ({
  type: "json_schema",
  json_schema: { name: "answer", schema, strict: isClosed(schema) },
});

/** What is said of calling functions: the choice of a chat, and the functions that alone may be called. */
export function calledTools(toolConfig: unknown): { choice: string | null; names: ReadonlySet<unknown> } {
  const given = normalizeNames(toolConfig, "toolConfig").functionCallingConfig;
  const { mode, allowedFunctionNames } = normalizeNames(given, "toolConfig.functionCallingConfig");
  const names = new Set(listOf(allowedFunctionNames));
  if (mode === undefined) return { choice: null, names };
  const choice = typeof mode === "string" && Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (choice) return { choice, names };
  throw refused("toolConfig.functionCallingConfig.mode", `it is one of ${Object.keys(MODES).join(", ")}.`);
}

const MODES: Readonly<Record<string, string>> = {
  AUTO: "auto",
  ANY: "required",
  NONE: "none",
  VALIDATED: "auto",
  MODE_UNSPECIFIED: "auto",
};

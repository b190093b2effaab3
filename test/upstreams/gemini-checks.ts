// What Google refuses, in its words.

import { isRecord } from "../../src/lib/json.ts";

export type Fields = Readonly<Record<string, unknown>>;

export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly Fields[] = [],
  ) {
    super(message);
  }

  get body(): Fields {
    const { status, code, message, details } = this;
    return { error: { code: status, message, status: code, ...(details.length > 0 ? { details } : {}) } };
  }
}

const refusal = (message: string): Refusal => new Refusal(400, "INVALID_ARGUMENT", message);

export const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

const BODY = words(
  "contents systemInstruction tools toolConfig safetySettings generationConfig cachedContent labels model",
);
const CONFIG =
  words(`temperature topP topK maxOutputTokens stopSequences candidateCount seed presencePenalty frequencyPenalty
  responseMimeType responseSchema responseJsonSchema responseLogprobs logprobs thinkingConfig responseModalities
  speechConfig mediaResolution imageConfig audioTimestamp routingConfig`);
const DECLARATION = words("name description parameters parametersJsonSchema response behavior");
const OWN_SCHEMA =
  words(`type format title description nullable enum items maxItems minItems properties required minimum
  maximum minLength maxLength pattern anyOf propertyOrdering example default minProperties maxProperties`);
const PART = words("text inlineData fileData functionCall functionResponse thought thoughtSignature videoMetadata");

function checkKnown(fields: Fields, known: ReadonlySet<string>, at: string): void {
  for (const name of Object.keys(fields)) {
    if (!known.has(name)) {
      throw refusal(`Invalid JSON payload received. Unknown name "${name}" at '${at}': Cannot find field.`);
    }
  }
}

/** A body of `generateContent`. */
export function checkGenerate(body: Fields, model: string): void {
  checkKnown(body, BODY, "");
  checkContents(body, model);
  checkInstruction(body.systemInstruction);
  const declared = checkTools(body);
  checkCalling(body.toolConfig, declared);
  checkConfig(body.generationConfig, declared.length > 0, model);
}

/** The request whose tokens are counted: wrapped with its model, or the contents alone. */
export function checkCount(body: Fields, { resource, model }: { resource: string; model: string }): Fields {
  const inner = body.generateContentRequest;
  if (inner === undefined) {
    checkKnown(body, words("contents systemInstruction tools generationConfig model instances"), "");
    checkContents(body, model);
    return body;
  }
  if (!isRecord(inner) || inner.model !== resource)
    throw refusal("generateContentRequest.model: unexpected model name");
  checkGenerate(inner, model);
  return inner;
}

export interface Turn {
  readonly role: string;
  readonly parts: readonly Fields[];
}

export function checkContents(body: Fields, model: string): readonly Turn[] {
  const contents = list(body.contents);
  if (contents.length === 0) throw refusal("GenerateContentRequest.contents: contents is not specified");
  let open: readonly unknown[] = [];
  return contents.map((content, at) => {
    if (!isRecord(content)) throw refusal(`contents[${at}] is not an object`);
    checkKnown(content, words("role parts"), `contents[${at}]`);
    if (content.role !== "user" && content.role !== "model") throw refusal("Please use a valid role: user, model.");
    const parts = list(content.parts).filter(isRecord);
    if (parts.length === 0)
      throw refusal(`GenerateContentRequest.contents[${at}].parts: contents.parts must not be empty.`);
    for (const [place, part] of parts.entries()) checkPart(part, `contents[${at}].parts[${place}]`);
    checkAnswers(parts, open);
    open = content.role === "model" ? callsOf(parts) : [];
    if (open.length > 0 && at === 0)
      throw refusal("Please ensure that function call turn comes immediately after a user turn");
    if (open.length > 0 && /^gemini-3/.test(model)) checkSeal(parts);
    return { role: content.role, parts };
  });
}

const callsOf = (parts: readonly Fields[]): unknown[] =>
  parts.flatMap(({ functionCall }) => (isRecord(functionCall) ? [functionCall.name] : []));

/** Results answer the calls of the turn before, each of them, in a turn that follows at once. */
function checkAnswers(parts: readonly Fields[], open: readonly unknown[]): void {
  const answered = parts.flatMap(({ functionResponse: given }) => (isRecord(given) ? [given.name] : []));
  if (answered.length !== open.length) {
    throw refusal(
      "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    );
  }
  if (answered.some((name, at) => name !== open[at]))
    throw refusal("The function response name does not match the call.");
}

function checkSeal(parts: readonly Fields[]): void {
  const first = parts.find(({ functionCall }) => functionCall !== undefined);
  if (typeof first?.thoughtSignature !== "string") {
    throw refusal("Function call is missing a thought_signature in functionCall parts.");
  }
}

function checkPart(part: Fields, at: string): void {
  checkKnown(part, PART, at);
  const data = ["text", "inlineData", "fileData", "functionCall", "functionResponse"].filter(
    (name) => part[name] !== undefined,
  );
  if (data.length !== 1 || part.text === "") {
    throw refusal(`GenerateContentRequest.${at}.data: required oneof field 'data' must have one initialized field`);
  }
  const { text, inlineData, fileData, functionCall: call, functionResponse: response } = part;
  if (text !== undefined && typeof text !== "string") throw refusal(`Invalid value at '${at}.text'`);
  if (inlineData !== undefined && !isBlob(inlineData)) throw refusal(`${at}.inline_data: invalid`);
  if (fileData !== undefined && !(isRecord(fileData) && typeof fileData.fileUri === "string"))
    throw refusal(`${at}.file_data`);
  if (call !== undefined && !(isNamed(call) && isRecord(call.args))) throw refusal(`${at}.function_call: invalid`);
  if (response !== undefined && !(isNamed(response) && isRecord(response.response))) {
    throw refusal(`${at}.function_response: invalid`);
  }
}

const isBlob = (blob: unknown): boolean =>
  isRecord(blob) &&
  /^[a-z]+\/[\w.+-]+$/.test(String(blob.mimeType)) &&
  /^[A-Za-z0-9+/_-]+={0,2}$/.test(String(blob.data));
const isNamed = (value: unknown): value is Fields =>
  isRecord(value) && /^[A-Za-z_][\w.:-]{0,127}$/.test(String(value.name));

function checkInstruction(instruction: unknown): void {
  if (instruction === undefined) return;
  const parts = isRecord(instruction) ? list(instruction.parts) : [];
  if (
    parts.length === 0 ||
    !parts.every((part) => isRecord(part) && typeof part.text === "string" && part.text !== "")
  ) {
    throw refusal("system_instruction: only text is supported");
  }
}

/** The names of the declared functions. */
function checkTools(body: Fields): readonly unknown[] {
  const names = list(body.tools).flatMap((tool, at) => {
    if (!isRecord(tool)) throw refusal(`tools[${at}] is not an object`);
    checkKnown(tool, words("functionDeclarations googleSearch codeExecution urlContext googleMaps"), `tools[${at}]`);
    return list(tool.functionDeclarations).map((func, place) => {
      const where = `tools[${at}].function_declarations[${place}]`;
      if (!isNamed(func)) throw refusal(`${where}.name: Invalid function name.`);
      checkKnown(func, DECLARATION, where);
      if (func.parameters !== undefined) checkOwnSchema(func.parameters, `${where}.parameters`);
      const json = func.parametersJsonSchema;
      if (json !== undefined && !(isRecord(json) && func.parameters === undefined)) throw refusal(`${where}: schema`);
      return func.name;
    });
  });
  if (new Set(names).size < names.length) throw refusal("Duplicate function declaration found.");
  return names;
}

function checkOwnSchema(schema: unknown, at: string): void {
  if (!isRecord(schema)) throw refusal(`${at} is not an object`);
  checkKnown(schema, OWN_SCHEMA, at);
  if (schema.type === undefined && schema.anyOf === undefined) throw refusal(`${at}.type: must be specified`);
  if (schema.type === "ARRAY" && schema.items === undefined) throw refusal(`${at}.items: missing field.`);
  if (schema.items !== undefined) checkOwnSchema(schema.items, `${at}.items`);
  for (const [name, inner] of Object.entries(isRecord(schema.properties) ? schema.properties : {})) {
    checkOwnSchema(inner, `${at}.properties[${name}]`);
  }
  for (const choice of list(schema.anyOf)) checkOwnSchema(choice, `${at}.any_of`);
}

function checkCalling(config: unknown, declared: readonly unknown[]): void {
  if (config === undefined) return;
  const calling = isRecord(config) ? config.functionCallingConfig : null;
  if (!isRecord(calling) || !/^(?:AUTO|ANY|NONE|VALIDATED)$/.test(String(calling.mode)))
    throw refusal("tool_config: mode");
  if (declared.length === 0) throw refusal("Function calling config is set without function_declarations.");
  if (!list(calling.allowedFunctionNames).every((name) => declared.includes(name))) {
    throw refusal("allowed_function_names must be declared functions");
  }
}

function checkConfig(config: unknown, hasFunctions: boolean, model: string): void {
  if (config === undefined) return;
  if (!isRecord(config)) throw refusal("Invalid value at 'generation_config'");
  checkKnown(config, CONFIG, "generation_config");
  const ranges = [
    ["temperature", 0, 2],
    ["topP", 0, 1],
    ["candidateCount", 1, 8],
    ["maxOutputTokens", 1, 2 ** 31],
  ] as const;
  for (const [name, least, most] of ranges) {
    const value = config[name];
    const isGood = value === undefined || (typeof value === "number" && value >= least && value <= most);
    if (!isGood) throw refusal(`Invalid value at 'generation_config.${name}'`);
  }
  const isJson = config.responseMimeType === "application/json";
  if ((config.responseSchema ?? config.responseJsonSchema) !== undefined && !isJson) {
    throw refusal("response_mime_type must be application/json when a response schema is set");
  }
  if (isJson && hasFunctions && !/^gemini-3/.test(model)) {
    throw refusal("Function calling with a response mime type: 'application/json' is unsupported");
  }
  if (config.responseSchema !== undefined) checkOwnSchema(config.responseSchema, "generation_config.response_schema");
  const thinking = config.thinkingConfig;
  if (isRecord(thinking) && thinking.thinkingBudget !== undefined && thinking.thinkingLevel !== undefined) {
    throw refusal("You can only set only one of thinking budget and thinking level.");
  }
}

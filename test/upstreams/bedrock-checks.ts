import { type Block, isObject, Refusal } from "./bedrock-wire.ts";

function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Refusal(400, "ValidationException", message);
}

const FIELDS = new Set(
  `messages system inferenceConfig toolConfig guardrailConfig additionalModelRequestFields promptVariables
   additionalModelResponseFieldPaths requestMetadata performanceConfig serviceTier outputConfig`.split(/\s+/),
);
const ID = /^[a-zA-Z0-9_.:-]{1,64}$/;
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const DOCUMENT_NAME = /^(?!.*\s\s)[A-Za-z0-9\s\-()[\]]{1,200}$/;
const MEDIA: Readonly<Record<string, readonly string[]>> = {
  image: ["png", "jpeg", "gif", "webp"],
  document: ["pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"],
  video: ["mkv", "mov", "mp4", "webm", "flv", "mpeg", "mpg", "wmv", "three_gp"],
  audio: [
    "mp3",
    "opus",
    "wav",
    "aac",
    "flac",
    "mp4",
    "ogg",
    "mkv",
    "mka",
    "x-aac",
    "m4a",
    "mpeg",
    "mpga",
    "pcm",
    "webm",
  ],
};

/** What Bedrock checks before a model sees anything. */
export function checkConverse(body: Block): void {
  for (const field of Object.keys(body)) check(FIELDS.has(field), `extraneous key [${field}] is not permitted`);
  check(Array.isArray(body.messages) && body.messages.length > 0, "The messages field is empty.");
  const turns: readonly unknown[] = body.messages;
  checkSystem(body.system);
  checkInference(body.inferenceConfig);
  const documents = new Set<string>();
  let pending: readonly string[] = [];
  for (const [index, turn] of turns.entries()) {
    check(isObject(turn), "A message has to be an object.");
    check(turn.role === (index % 2 === 0 ? "user" : "assistant"), "A conversation must alternate, the user first.");
    check(Array.isArray(turn.content) && turn.content.length > 0, "The content field of a message is empty.");
    pending = checkTurn(turn.content, turn.role === "user", pending, documents);
  }
  const hasTools = JSON.stringify(turns).match(/"tool(?:Use|Result)":/) !== null;
  check(
    !hasTools || isObject(body.toolConfig),
    "The toolConfig field must be defined when using toolUse and toolResult content blocks.",
  );
  if (body.toolConfig !== undefined) checkTools(body.toolConfig);
  checkConflicts(body);
}

function checkSystem(system: unknown): void {
  if (system === undefined) return;
  check(Array.isArray(system) && system.length > 0, "The system field is empty.");
  for (const block of system as readonly unknown[]) {
    check(isObject(block) && ("cachePoint" in block || isFilled(block.text)), "A system block is blank.");
  }
}

const isFilled = (text: unknown): boolean => typeof text === "string" && text.trim() !== "";

function checkInference(config: unknown): void {
  if (config === undefined) return;
  check(isObject(config), "inferenceConfig has to be an object.");
  const { maxTokens, temperature, topP, stopSequences, ...others } = config;
  check(Object.keys(others).length === 0, `Unknown inferenceConfig: ${Object.keys(others)}`);
  check(
    maxTokens === undefined || (Number.isInteger(maxTokens) && Number(maxTokens) > 0),
    "maxTokens is out of range.",
  );
  for (const share of [temperature, topP]) {
    check(share === undefined || (typeof share === "number" && share >= 0 && share <= 1), "A setting is out of range.");
  }
  check(
    stopSequences === undefined || (Array.isArray(stopSequences) && stopSequences.every(isFilled)),
    "stopSequences",
  );
}

/** The ids of the calls that this turn leaves open. */
function checkTurn(
  content: readonly unknown[],
  isUser: boolean,
  pending: readonly string[],
  documents: Set<string>,
): readonly string[] {
  const calls: string[] = [];
  const results: string[] = [];
  let hasText = false;
  let hasDocument = false;
  for (const block of content) {
    check(isObject(block) && Object.keys(block).length === 1, "A content block has to have exactly one member.");
    const [kind, value] = Object.entries(block)[0] ?? ["", null];
    if (kind === "text") {
      check(isFilled(value), "The text field in the ContentBlock object is blank.");
      hasText = true;
    } else if (kind === "toolUse") calls.push(checkCall(value, isUser));
    else if (kind === "toolResult") results.push(checkResult(value, isUser));
    else if (kind === "reasoningContent") check(!isUser && isObject(value), "Reasoning belongs to the assistant.");
    else if (kind === "cachePoint") check(isObject(value) && value.type === "default", "The cache point has no type.");
    else {
      checkMedia(kind, value, documents);
      check(isUser, `A ${kind} belongs to the user.`);
      hasDocument ||= kind === "document";
    }
  }
  check(!hasDocument || hasText, "A text block is required beside documents.");
  if (isUser) {
    check(
      results.length === pending.length && pending.every((id) => results.includes(id)),
      "Expected toolResult blocks at messages.content for exactly the toolUse blocks of the previous turn.",
    );
  }
  check(new Set(calls).size === calls.length, "The toolUseId values are not unique.");
  return calls;
}

function checkCall(value: unknown, isUser: boolean): string {
  check(!isUser && isObject(value), "A toolUse belongs to the assistant.");
  const { toolUseId, name, input } = value;
  check(typeof toolUseId === "string" && ID.test(toolUseId), "The toolUseId is invalid.");
  check(typeof name === "string" && NAME.test(name), "The name of a toolUse is invalid.");
  check(isObject(input), "The format of the value at toolUse.input is invalid. Provide a json object.");
  return toolUseId;
}

function checkResult(value: unknown, isUser: boolean): string {
  check(isUser && isObject(value), "A toolResult belongs to the user.");
  const { toolUseId, content } = value;
  check(typeof toolUseId === "string" && ID.test(toolUseId), "The toolUseId is invalid.");
  check(Array.isArray(content) && content.length > 0, "The content of a toolResult is empty.");
  for (const block of content as readonly unknown[]) {
    check(isObject(block) && Object.keys(block).length === 1, "A result block has to have exactly one member.");
    if ("text" in block) check(isFilled(block.text), "The text of a result is blank.");
  }
  return toolUseId;
}

function checkMedia(kind: string, value: unknown, documents: Set<string>): void {
  const formats = Object.hasOwn(MEDIA, kind) ? MEDIA[kind] : undefined;
  check(formats !== undefined && isObject(value), `Unknown content block: ${kind}`);
  check(formats.includes(String(value.format)), `The format ${value.format} of a ${kind} is not known.`);
  const bytes = isObject(value.source) ? value.source.bytes : null;
  check(typeof bytes === "string" && bytes !== "" && isBase64(bytes), `The bytes of a ${kind} are not base64.`);
  if (kind !== "document") return;
  check(typeof value.name === "string" && DOCUMENT_NAME.test(value.name), "The document file name is invalid.");
  check(!documents.has(value.name), "Two documents have the same name.");
  documents.add(value.name);
}

function isBase64(text: string): boolean {
  try {
    return Uint8Array.fromBase64(text).length > 0;
  } catch {
    return false;
  }
}

function checkTools(config: unknown): void {
  check(isObject(config) && Array.isArray(config.tools) && config.tools.length > 0, "toolConfig.tools is empty.");
  const names = new Set<string>();
  for (const tool of config.tools as readonly unknown[]) {
    check(isObject(tool), "A tool has to be an object.");
    if ("cachePoint" in tool) continue;
    const spec = tool.toolSpec;
    check(isObject(spec) && typeof spec.name === "string" && NAME.test(spec.name), "The name of a tool is invalid.");
    check(!names.has(spec.name), "Two tools have the same name.");
    check(spec.description === undefined || isFilled(spec.description), "The description of a tool is empty.");
    const schema = isObject(spec.inputSchema) ? spec.inputSchema.json : null;
    check(isObject(schema) && schema.type === "object", "The inputSchema of a tool must be of type object.");
    names.add(spec.name);
  }
  checkChoice(config.toolChoice, names);
}

function checkChoice(choice: unknown, names: ReadonlySet<string>): void {
  if (choice === undefined) return;
  check(isObject(choice) && Object.keys(choice).length === 1, "toolChoice has to have exactly one member.");
  const [kind, value] = Object.entries(choice)[0] ?? ["", null];
  check(["auto", "any", "tool"].includes(kind) && isObject(value), `toolChoice ${kind} is not known.`);
  if (kind === "tool") check(names.has(String(value.name)), "The tool of toolChoice is not among the tools.");
}

/** Fields of the model that Converse has already are refused. */
function checkConflicts({ additionalModelRequestFields: fields, toolConfig, inferenceConfig }: Block): void {
  if (fields === undefined) return;
  check(isObject(fields), "additionalModelRequestFields has to be an object.");
  for (const name of ["messages", "system", "tools", "max_tokens", "temperature", "top_p", "stop_sequences"]) {
    check(!(name in fields), `The additional field ${name} conflicts with an existing field.`);
  }
  const hasChoice = isObject(toolConfig) && "toolChoice" in toolConfig;
  check(!hasChoice || !("tool_choice" in fields), "The additional field tool_choice conflicts with an existing field.");
  const { thinking } = fields;
  if (!isObject(thinking) || thinking.type !== "enabled") return;
  const limit = isObject(inferenceConfig) ? inferenceConfig.maxTokens : undefined;
  check(
    typeof limit !== "number" || limit > Number(thinking.budget_tokens),
    "max_tokens must be greater than the budget.",
  );
  check(!hasChoice, "Thinking may not be enabled when tool_choice forces tool use.");
}

export function checkEmbedding(model: string, body: Block): readonly string[] {
  if (model.includes("titan-embed")) {
    check(isFilled(body.inputText), "Malformed input request: #: required key [inputText] not found");
    return [String(body.inputText)];
  }
  if (!model.includes("cohere.embed")) {
    throw new Refusal(404, "ResourceNotFoundException", "Could not resolve the foundation model.");
  }
  check(typeof body.input_type === "string", "Malformed input request: #: required key [input_type] not found");
  check(Array.isArray(body.texts) && body.texts.length > 0 && body.texts.length <= 96, "texts: 1 to 96 are taken.");
  return body.texts.map(String);
}

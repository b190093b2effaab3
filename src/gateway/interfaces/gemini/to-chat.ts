import type { ChatRequest } from "../../../contract/chat.ts";
import { CREDENTIAL_FIELDS, GATEWAY_FIELDS } from "../../../contract/params.ts";
import { isRecord } from "../../../lib/json.ts";
import { shortName } from "../../../lib/short-name.ts";
import type { Fields } from "../../call/gateway.ts";
import { calledTools, chatTools } from "./chat-tools.ts";
import { chatTurns, instructionParts, simplest } from "./chat-turns.ts";
import { camelName, normalizeNames, refused, unknownName } from "./field-names.ts";
import { generation } from "./generation-config.ts";
import { markOfGoogle } from "./marker.ts";

/** Fields beside the conversation that only Google's models understand; `google-form.ts` says what becomes of them elsewhere. */
const OWN: ReadonlySet<string> = new Set([
  "cachedContent",
  "labels",
  "modelArmorConfig",
  "safetySettings",
  "serviceTier",
]);

/** A call of Google's interface as the chat that the gateway carries out. What no chat has goes along in `google_form`. */
export function toChat(model: string, body: Fields, stream: boolean): ChatRequest {
  const request: Record<string, unknown> = { model };
  const google: Record<string, unknown> = {};
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue;
    const camel = camelName(name);
    if (TRANSLATED.has(camel)) google[camel] = value;
    else if (OWN.has(camel)) own[camel] = value;
    else if (isOurs(name)) request[name] = value;
    else throw unknownName("request", name);
  }
  const instructions = instructionParts(google.systemInstruction);
  const turns = chatTurns(google.contents);
  if (turns.length === 0) throw refused("contents", "there is nothing to answer.");
  request.messages = instructions.length > 0 ? [{ role: "system", content: simplest(instructions) }, ...turns] : turns;
  const { chat, own: ownGeneration } = generation(google.generationConfig);
  Object.assign(request, chat);
  if (Object.keys(ownGeneration).length > 0) own.generationConfig = ownGeneration;
  addTools(request, own, google);
  if (stream) Object.assign(request, { stream, stream_options: { include_usage: true } });
  return Object.assign(request, markOfGoogle(own)) as ChatRequest;
}

const TRANSLATED: ReadonlySet<string> = new Set([
  ...["model", "contents", "systemInstruction", "tools", "toolConfig", "generationConfig"],
]);

/** What steers the gateway has the names that it has in chats; an address or a key of the caller's is refused where it is in a chat. */
const isOurs = (name: string): boolean =>
  name === "user" || (GATEWAY_FIELDS.has(name) && name !== "anthropic_form") || CREDENTIAL_FIELDS.has(name);

/** In one spelling: Google refuses a field that comes in both. */
function spelledConfig(given: unknown): Fields {
  const { functionCallingConfig: calling, ...rest } = normalizeNames(given, "toolConfig");
  return calling === undefined ? rest : { ...rest, functionCallingConfig: normalizeNames(calling, "toolConfig") };
}

function addTools(request: Record<string, unknown>, own: Record<string, unknown>, { tools, toolConfig }: Fields): void {
  const offered = chatTools(tools);
  const { choice, names } = calledTools(toolConfig);
  if (choice === "required" && names.size > 0) requireOffered(names, offered);
  if (offered.length > 0) request.tools = offered;
  // A choice where nothing is offered means nothing.
  if (choice !== null && offered.some((tool) => isRecord(tool.function))) request.tool_choice = choice;
  if (toolConfig !== undefined && offered.length > 0) own.toolConfig = spelledConfig(toolConfig);
}

/** To call one of none is what no model can do, and others than Google's would not be told to. */
function requireOffered(names: ReadonlySet<unknown>, offered: readonly Fields[]): void {
  if (offered.some((tool) => isRecord(tool.function) && names.has(tool.function.name))) return;
  const [first] = names;
  throw refused(
    "toolConfig.functionCallingConfig.allowedFunctionNames",
    `there is no function \`${shortName(String(first))}\` among the tools.`,
  );
}

import type { Message as ChatMessage, ChatRequest, ContentPart, ToolCall } from "../contract/chat.ts";
import { GatewayError } from "../contract/errors.ts";
import type { FilesPort } from "./files-port.ts";
import { PromptRoom } from "./prompt-room.ts";
import type { Message, MessagePart } from "./records.ts";
import type { Run, RunSettings, Step, StepCall } from "./run-records.ts";
import { SEARCH_NAME, searchTool, tellResults } from "./search-tool.ts";
import type { AssistantStores } from "./store.ts";

export interface PromptDeps {
  readonly stores: AssistantStores;
  readonly files: FilesPort;
  readonly countTokens: (text: string) => Promise<number>;
  /** How many tokens the model takes in; null where nobody knows. */
  readonly contextOf: (model: string) => number | null;
}

const PAGE = 100;
/** Of the model's context, what is left free for its answer. */
const ANSWER_SHARE = 0.25;

/** What the model is asked next in a run; null where not even the last message fits into what the run may read. */
export async function buildPrompt(deps: PromptDeps, run: Run): Promise<ChatRequest | null> {
  const steps = await deps.stores.steps.listAll(run.id);
  const { settings } = run;
  const left = settings.maxPromptTokens === null ? null : settings.maxPromptTokens - run.progress.used.promptTokens;
  const context = deps.contextOf(settings.model);
  const room = new PromptRoom(smaller(left, context === null ? null : context * (1 - ANSWER_SHARE)), deps.countTokens);
  const system: ChatMessage[] =
    settings.instructions === "" ? [] : [{ role: "system", content: settings.instructions }];
  const own = await ownSteps(deps, run, steps);
  for (const message of [...system, ...own]) await room.take(textOf(message), true);
  const said = await thread(deps, run, room);
  if (left !== null && room.isOver) return null;
  const messages = [...system, ...said, ...own];
  if (messages.length === 0) {
    throw new GatewayError("invalid_request", "There is nothing in the thread that could be answered.");
  }
  return { model: settings.model, messages: messages as ChatRequest["messages"], ...answerFields(run, steps) };
}

const smaller = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** What was said before the run, the newest first until there is no room; the last message always. */
async function thread(deps: PromptDeps, run: Run, room: PromptRoom): Promise<ChatMessage[]> {
  const { stores, files } = deps;
  const { truncation } = run.settings;
  const most = truncation.type === "last_messages" ? (truncation.lastMessages ?? 1) : Number.POSITIVE_INFINITY;
  const said: ChatMessage[] = [];
  for (let after: string | null = null; ; ) {
    const page = await stores.messages.list(run.threadId, { order: "desc", limit: PAGE, after, before: null });
    for (const message of page.rows) {
      if (message.runId === run.id || !saysAnything(message)) continue;
      if (said.length >= most) return said.reverse();
      const shown = await show(files, run, message);
      if (!(await room.take(textOf(shown), said.length === 0))) return said.reverse();
      said.push(shown);
    }
    after = page.rows.at(-1)?.id ?? null;
    if (!page.more || after === null) return said.reverse();
  }
}

/** An answer that was broken off before its first word is none, and providers refuse empty ones. */
const saysAnything = ({ content }: Message): boolean =>
  content.some((part) => part.type !== "text" || part.text.value.trim() !== "");

async function show(files: FilesPort, run: Run, { role, content }: Message): Promise<ChatMessage> {
  if (content.every(({ type }) => type === "text")) return { role, content: content.map(partText).join("\n\n") };
  const parts: ContentPart[] = [];
  for (const part of content) parts.push(await showPart(files, run, part));
  return { role, content: parts };
}

const partText = (part: MessagePart): string => (part.type === "text" ? part.text.value : "");

async function showPart(files: FilesPort, run: Run, part: MessagePart): Promise<ContentPart> {
  if (part.type === "text") return { type: "text", text: part.text.value };
  const { detail } = part.type === "image_url" ? part.image_url : part.image_file;
  const url = part.type === "image_url" ? part.image_url.url : await files.imageUrl(run, part.image_file.file_id);
  return { type: "image_url", image_url: { url, ...(detail ? { detail } : {}) } };
}

/** What the run itself has said and asked for so far. Calls and the texts before and behind them are one turn of the model. */
async function ownSteps({ stores }: PromptDeps, run: Run, steps: readonly Step[]): Promise<ChatMessage[]> {
  const own: ChatMessage[] = [];
  const textIn = async (messageId: string): Promise<string | null> =>
    (await stores.messages.find(run.threadId, messageId))?.content.map(partText).join("\n\n") ?? null;
  for (const { details, status } of steps) {
    if (status !== "completed") continue;
    if (details.type === "message_creation") {
      const content = await textIn(details.messageId);
      if (content !== null) own.push({ role: "assistant", content });
      continue;
    }
    const last = own.at(-1);
    const before = last?.role === "assistant" && !last.tool_calls ? own.pop()?.content : null;
    const texts = [before, details.messageId ? await textIn(details.messageId) : null].filter((text) => text);
    const content = texts.length === 0 ? null : texts.join("\n\n");
    own.push({ role: "assistant", content, tool_calls: details.calls.map(toToolCall) });
    details.calls.forEach((call, index) => {
      own.push({ role: "tool", tool_call_id: call.id, content: resultOf(call, index) });
    });
  }
  return own;
}

const toToolCall = (call: StepCall): ToolCall => ({
  id: call.id,
  type: "function",
  function: { name: call.type === "function" ? call.name : SEARCH_NAME, arguments: call.arguments },
});

const resultOf = (call: StepCall, index: number): string =>
  call.type === "function" ? (call.output ?? "") : tellResults(call.results ?? [], index);

/** How the model is to answer. A tool that must be called has been, once one was. */
function answerFields({ settings, progress }: Run, steps: readonly Step[]): Partial<ChatRequest> {
  const called = steps.some(({ details }) => details.type === "tool_calls");
  const { responseFormat, temperature, topP, reasoningEffort, maxCompletionTokens } = settings;
  const left = maxCompletionTokens === null ? null : maxCompletionTokens - progress.used.completionTokens;
  return {
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === null ? {} : { temperature }),
    ...(topP === null ? {} : { top_p: topP }),
    ...(responseFormat === null || responseFormat === "auto" ? {} : { response_format: responseFormat }),
    ...(reasoningEffort === null ? {} : { reasoning_effort: reasoningEffort }),
    ...(left === null ? {} : { max_completion_tokens: left }),
    ...toolFields(settings, called),
  };
}

function toolFields({ tools, toolChoice, parallelToolCalls }: RunSettings, called: boolean): Partial<ChatRequest> {
  if (tools.length === 0) return {};
  const forced = toolChoice !== null && toolChoice !== "auto" && toolChoice !== "none";
  const choice = forced && called ? null : choiceField(toolChoice);
  return {
    tools: tools.map((tool) => (tool.type === "function" ? tool : searchTool())) as NonNullable<ChatRequest["tools"]>,
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(parallelToolCalls ? {} : { parallel_tool_calls: false }),
  };
}

const choiceField = (choice: RunSettings["toolChoice"]): NonNullable<ChatRequest["tool_choice"]> | null =>
  typeof choice === "object" && choice?.type === "file_search"
    ? { type: "function", function: { name: SEARCH_NAME } }
    : choice;

const IMAGE_TEXT = "x ".repeat(1000);

/** What a message takes up: its words, and for a picture about as much as models count for one. */
function textOf({ content, tool_calls: calls }: ChatMessage): string {
  const said =
    typeof content === "string" ? content : (content ?? []).map((part) => part.text ?? IMAGE_TEXT).join("\n");
  return calls ? said + JSON.stringify(calls) : said;
}

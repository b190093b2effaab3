import type { Conversations } from "../../../assistants/conversations.ts";
import type { KeptResponses } from "../../../assistants/kept-responses.ts";
import type { ChatRequest } from "../../../contract/chat.ts";
import type { Owner } from "../../../contract/cursor.ts";
import { GatewayError } from "../../../contract/errors.ts";
import type { ResponseAnswer, ResponseItem, ResponseRequest } from "../../../contract/responses.ts";
import { conversationOf } from "./create-response.ts";
import { messagesOf } from "./input.ts";
import { refuse } from "./refuse.ts";
import { chatOf } from "./to-chat.ts";

export interface SaidDeps {
  readonly kept: KeptResponses;
  readonly conversations: Conversations;
}

/** The chat that a request makes with all that was said before it. */
export async function withHistory(
  deps: SaidDeps,
  owner: Owner,
  request: Omit<ResponseRequest, "input">,
  input: readonly ResponseItem[],
): Promise<ChatRequest> {
  const previousId = request.previous_response_id ?? null;
  const conversation = conversationOf(request);
  if (previousId !== null && conversation !== null)
    refuse("conversation", "A response goes on from a conversation or from a response: give one of the two.");
  let said: readonly ResponseItem[] = [];
  if (previousId !== null) said = await saidUpTo(deps, owner, previousId);
  if (conversation !== null) said = await deps.conversations.said(owner, conversation);
  return chatOf({ ...request, input: [...input] }, said);
}

/** All that was said up to and with a response; the first one may have been made in a conversation. */
async function saidUpTo({ kept, conversations }: SaidDeps, owner: Owner, id: string): Promise<readonly ResponseItem[]> {
  const chain = await kept.chain(owner, id);
  const items = chain.flatMap(({ input, answer }) => [...input, ...answer.output]);
  const [first] = chain;
  if (!first?.answer.conversation) return items;
  return [...(await conversations.saidBefore(owner, first.answer.conversation.id, first.id)), ...items];
}

/** What was asked in a conversation, and the answer, are part of it. */
export async function putBehind(
  { conversations, owner }: { readonly conversations: Conversations; readonly owner: Owner },
  request: Omit<ResponseRequest, "input">,
  input: readonly ResponseItem[],
  answer: ResponseAnswer,
): Promise<ResponseAnswer> {
  const conversation = conversationOf(request);
  return conversation === null ? answer : conversations.take(owner, conversation, input, answer);
}

/** What no model could be told is refused when it is put into a conversation, not when that is gone on from. */
export function checkItems(items: readonly ResponseItem[]): void {
  try {
    messagesOf(null, items);
  } catch (thrown) {
    throw thrown instanceof GatewayError ? new GatewayError(thrown.kind, thrown.message, { param: "items" }) : thrown;
  }
}

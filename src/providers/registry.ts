import type { ChatDialect, Classified, UpstreamFailure } from "./dialect.ts";
import { openAiChat } from "./openai/chat.ts";
import { classifyOpenAi } from "./openai/failure.ts";
import { type OpenAiRequests, openAiRequests } from "./openai/requests.ts";

/** An upstream that speaks OpenAI's interface: a row of the table below. */
export interface OpenAiLike extends OpenAiRequests {
  readonly chat: ChatDialect;
  classify(failure: UpstreamFailure): Classified;
}

/** Base addresses by provider. The offline models are reached through the transport like any upstream. */
const OPENAI_LIKE = new Map<string, OpenAiLike>(
  Object.entries({
    echo: "echo://offline/v1",
    openai: "https://api.openai.com/v1",
  }).map(([provider, base]) => {
    const requests = openAiRequests(base);
    return [provider, { ...requests, chat: openAiChat(requests), classify: classifyOpenAi }];
  }),
);

export const findOpenAiLike = (provider: string): OpenAiLike | null => OPENAI_LIKE.get(provider) ?? null;

export const findChatDialect = (provider: string): ChatDialect | null => findOpenAiLike(provider)?.chat ?? null;

import type { ChatDialect } from "../dialect.ts";
import { decodeChat } from "./decode-chat.ts";
import { encodeChat } from "./encode-chat.ts";
import { StreamDecoder } from "./stream.ts";

/** The Converse interface, which is one for the chat models of all makers. */
export const bedrockChat: ChatDialect = {
  encode: encodeChat,
  decode: decodeChat,
  stream: { framing: "aws-event-stream", decoder: (request, facts) => new StreamDecoder(request, facts) },
  inlineMedia: true,
};

import type { ChatChunk } from "../../contract/chat.ts";
import type { Provider } from "../../providers/dialect.ts";
import { requireAnswer } from "../../providers/openai-form/inner-failure.ts";
import { requireRecord } from "../attempts/read-response.ts";
import { choicesOf } from "../operations/choices.ts";
import type { EncodedChat } from "../operations/send-chat.ts";
import { ChunkSource, OwnChunkDecoder } from "./chunk-reader.ts";
import type { ChunkFastPath } from "./fast-path.ts";
import { responseToChunks } from "./response-to-chunks.ts";
import type { UpstreamReader } from "./upstream-reader.ts";

/** The chunks of a chat that was sent, in whatever form its upstream answers. */
export function openChunks(
  reader: UpstreamReader,
  { dialect, fields, facts }: Pick<EncodedChat, "dialect" | "fields" | "facts">,
  provider: Pick<Provider, "classify">,
  shortcut: ChunkFastPath | null = null,
): ChunkSource {
  const decoder = dialect.stream?.decoder(fields, facts) ?? new OwnChunkDecoder(choicesOf(fields), provider);
  const readWhole = (body: unknown): readonly ChatChunk[] => {
    const answer = dialect.decode ? dialect.decode(body, fields, facts) : requireRecord(body);
    if (!dialect.decode) requireAnswer(answer, "choices", provider);
    return responseToChunks({ id: facts.id, created: facts.createdSeconds, ...answer }) as unknown as ChatChunk[];
  };
  return new ChunkSource(reader, dialect.stream?.framing ?? "sse", decoder, readWhole, shortcut);
}

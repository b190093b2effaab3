import { isRecord } from "../../lib/json.ts";
import type { ChatDialect } from "../dialect.ts";
import { resourceName } from "./address.ts";
import { decodeAnswer } from "./answer.ts";
import { encodeBody } from "./body.ts";
import { broken } from "./candidate.ts";
import type { Platform } from "./platform.ts";
import { GeminiStream } from "./stream.ts";

/** Chat with a Gemini model, at either of the places where Google serves them. */
export const googleChat = (platform: Platform): ChatDialect => ({
  encode(request, target) {
    const body = encodeBody(request, target.upstreamModel, platform.takesCallIds);
    const method = request.stream === true ? "streamGenerateContent?alt=sse" : "generateContent";
    return platform.request(target, method, body);
  },
  decode: (body, request, facts) => decodeAnswer(body, request, facts, platform.title),
  stream: {
    framing: "sse",
    decoder: (request, facts) => new GeminiStream(request, facts, platform.title),
  },
  // The Gemini API fetches no addresses on the web, and Vertex AI not those of every host.
  inlineMedia: true,
  countTokens: {
    encode(request, target) {
      const body = encodeBody(request, target.upstreamModel, platform.takesCallIds);
      const wrapped = { generateContentRequest: { model: resourceName(target.upstreamModel), ...body } };
      return platform.request(target, "countTokens", platform.wrapsCountTokens ? wrapped : counted(body));
    },
    decode(body) {
      const total = isRecord(body) ? body.totalTokens : null;
      if (typeof total === "number" && Number.isSafeInteger(total) && total >= 0) return total;
      throw broken(platform.title, "has no count of tokens");
    },
  },
});

/** What Vertex AI counts; the rest of a request has no tokens and is refused. */
function counted(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { contents, systemInstruction, tools } = body;
  return { contents, ...(systemInstruction ? { systemInstruction } : {}), ...(tools ? { tools } : {}) };
}

import { ApiError } from "../../api/api-error.ts";
import { readEvents } from "../../api/read-events.ts";
import type { Answer, ToolCall } from "./conversation.ts";

/** A part of an answer, streamed or whole. */
interface Piece {
  readonly choices?: readonly {
    readonly delta?: Said;
    readonly message?: Said;
    readonly finish_reason?: string | null;
  }[];
  readonly usage?: { readonly prompt_tokens?: number; readonly completion_tokens?: number } | null;
  readonly error?: unknown;
}
interface Said {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly reasoning?: string | null;
  readonly tool_calls?: readonly {
    readonly index?: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** Each event of a stream as it comes; a whole answer as one. */
export async function* readPieces(response: Response): AsyncGenerator<Piece> {
  if (!(response.headers.get("content-type") ?? "").startsWith("text/event-stream")) {
    yield (await response.json()) as Piece;
    return;
  }
  for await (const { data } of readEvents(response)) {
    if (data !== "[DONE]") yield JSON.parse(data) as Piece;
  }
}

/** The answer with one more piece of it. */
export function withPiece(answer: Answer, piece: Piece, response: Response): Answer {
  // A stream that fails half-way says so in an event.
  if (piece.error !== undefined) throw new ApiError({ status: 502, headers: response.headers }, piece);
  const [choice] = piece.choices ?? [];
  const said = choice?.delta ?? choice?.message ?? {};
  return {
    ...answer,
    state: "streaming",
    text: answer.text + (said.content ?? ""),
    reasoning: answer.reasoning + (said.reasoning_content ?? said.reasoning ?? ""),
    toolCalls: (said.tool_calls ?? []).reduce(withCall, answer.toolCalls),
    finish: choice?.finish_reason ?? answer.finish,
    timing: {
      ...answer.timing,
      promptTokens: piece.usage?.prompt_tokens ?? answer.timing.promptTokens,
      completionTokens: piece.usage?.completion_tokens ?? answer.timing.completionTokens,
    },
  };
}

type SaidCall = NonNullable<Said["tool_calls"]>[number];

function withCall(calls: readonly ToolCall[], said: SaidCall): readonly ToolCall[] {
  const at = said.index ?? calls.length;
  const before = calls[at] ?? { id: "", name: "", input: "" };
  const next = {
    id: said.id ?? before.id,
    name: before.name + (said.function?.name ?? ""),
    input: before.input + (said.function?.arguments ?? ""),
  };
  return at < calls.length ? calls.with(at, next) : [...calls, next];
}

export const isAnythingSaid = ({ text, reasoning, toolCalls }: Answer): boolean =>
  text !== "" || reasoning !== "" || toolCalls.length > 0;

import type { ChatAnswer, ChatChunk, ChatRequest, Usage } from "../contract/chat.ts";
import type { Deployment } from "../contract/deployment.ts";
import type { EmbeddingAnswer, EmbeddingRequest } from "../contract/embeddings.ts";
import type { ErrorKind } from "../contract/errors.ts";
import type { ChatApi, Operation } from "../contract/params.ts";
import type { RerankAnswer, RerankRequest } from "../contract/rerank.ts";
import type { EntraApp } from "./entra-token.ts";

/** Where a call goes: the part of a deployment that a dialect needs. */
export interface Target extends Omit<Deployment, "id" | "group" | "info"> {
  /** What the operator says of the model; nothing is known of one at an address that a caller named. */
  readonly info?: Deployment["info"];
  /** Environment variables, for keys and addresses that the deployment leaves to its provider's usual variable. */
  readonly env: (name: string) => string | undefined;
}

export interface UpstreamRequest {
  readonly method?: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | FormData | ReadableStream<Uint8Array> | null;
  /** A signature that needs the clock or another call; the transport adds it just before sending. */
  readonly sign?: Signing;
}

export type Signing =
  | {
      readonly kind: "aws";
      readonly service: string;
      readonly region: string;
      readonly accessKeyId: string;
      readonly secretAccessKey: string;
      readonly sessionToken: string | null;
    }
  /** An access token for a service account or a stored login; `credentials` is the key file's JSON text. */
  | { readonly kind: "google"; readonly credentials: string }
  /** An access token for an app of Microsoft's directory. */
  | { readonly kind: "entra"; readonly app: EntraApp };

export interface UpstreamFailure {
  readonly status: number;
  readonly headers: Headers;
  /** At most the first kilobytes, as text; it may be anything. */
  readonly body: string;
}

/** What an upstream's failure means to our caller. */
export interface Classified {
  readonly kind: ErrorKind;
  readonly message: string;
  /** `error.details` of Anthropic's interface, for clients that speak it. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

/** What an answer needs besides the upstream's own words. */
export interface AnswerFacts {
  /** For upstreams that give none; begins with `chatcmpl-` or what fits. */
  readonly id: string;
  readonly createdSeconds: number;
  /** The name that the caller asked for. */
  readonly model: string;
  /** Whom it comes from, for what nobody else can read. */
  readonly target?: Target;
}

/** One operation at one provider. Pure: no I/O, no clock, no randomness. */
export interface Dialect<Request, Answer> {
  encode(request: Request, target: Target): UpstreamRequest;
  /** Absent: the upstream answers in our own form, and its bytes are relayed. */
  decode?(body: unknown, request: Request, facts: AnswerFacts): Answer;
  /** The tokens of the input, for upstreams that tell them beside the body alone; null where they do not. */
  countedInput?(headers: Headers): number | null;
}

/** How an upstream cuts its stream into events. */
export type Framing = "sse" | "ndjson" | "aws-event-stream";

export interface StreamEvent {
  /** The event's name where the framing has one (`event:` of SSE, `:event-type` of AWS). */
  readonly name: string | null;
  readonly data: string;
}

/**
 * Turns an upstream's events into our chunks; one per answer. The first chunk of a choice has the role, the last an empty
 * delta and the finish reason; a chunk with usage and no choices follows as soon as the usage is known. An error event is
 * thrown as a `GatewayError`.
 */
export interface ChunkDecoder {
  push(event: StreamEvent): readonly ChatChunk[];
  /** The upstream has ended. Throws when it ended before the answer was whole. */
  end(): readonly ChatChunk[];
  /** Every choice has said how it ended: what is still to come is a count at most. */
  readonly isWhole: boolean;
  /** A piece of text that follows another one changes nothing here: what comes later does not depend on it. */
  readonly textLeavesNoTrace?: true;
  /** What has been told of the tokens of an answer that is not whole; absent where nothing is told before its end. */
  readonly usageSoFar?: Usage | null;
}

export interface ChatDialect extends Dialect<ChatRequest, ChatAnswer> {
  /** Absent: the upstream streams our own chunks. */
  readonly stream?: {
    readonly framing: Framing;
    decoder(request: ChatRequest, facts: AnswerFacts): ChunkDecoder;
  };
  /** What has to change in chunks that are otherwise relayed as they come. */
  readonly relay?: {
    /** The upstream's name of a delta's field -> ours; the same holds for the message of a plain answer. */
    readonly renameDelta?: Readonly<Record<string, string>>;
  };
  /** The upstream takes pictures and files only inside the request: addresses are fetched by the gateway before `encode`. */
  readonly inlineMedia?: boolean;
  /** The provider's own token counter, where it has one. */
  readonly countTokens?: {
    encode(request: ChatRequest, target: Target): UpstreamRequest;
    decode(body: unknown): number;
  };
}

/** A request that only passes: its fields, its path, and where the answer's bytes go. */
export type PassedOn = Dialect<Readonly<Record<string, unknown>>, never>;

/** The same with files. */
export type FormDialect = Dialect<SentForm, never>;

/** An upstream family: what it can be asked, how, and what its failures mean. */
export interface Provider {
  readonly id: string;
  /** For people: `Amazon Bedrock`. */
  readonly title: string;
  readonly chat?: ChatDialect;
  /** Absent: a text completion goes through `chat`. */
  readonly completion?: PassedOn;
  readonly embedding?: Dialect<EmbeddingRequest, EmbeddingAnswer>;
  readonly rerank?: Dialect<RerankRequest, RerankAnswer>;
  readonly moderation?: PassedOn;
  readonly speech?: PassedOn;
  readonly image?: PassedOn;
  readonly image_edit?: FormDialect;
  readonly transcription?: FormDialect;
  readonly translation?: FormDialect;
  /** Where its realtime sessions are opened: a request without a body to an address of WebSockets. */
  readonly realtime?: PassedOn;
  /** OpenAI parameters that are honoured, renamed where need be. Those that are not listed are refused or dropped. */
  supportedParams(operation: Operation, model: string): readonly string[];
  /** Of the parameters that are honoured, one whose value is not: its name and what is wrong. Such a value is refused or dropped, too. */
  unsupportedValue?(fields: Readonly<Record<string, unknown>>, model: string): UnsupportedValue | null;
  /** The API that a model's chats are sent in. Absent: an interface like OpenAI's, which passes unknown fields. */
  chatApi?(model: string): ChatApi;
  /** Parameters that the model refuses next to other fields: sampling with reasoning, a search with functions. */
  conflicting?(fields: Readonly<Record<string, unknown>>, model: string): readonly string[];
  /**
   * What it takes of requests in the form of Anthropic's Messages: all of them as they are, or their `thinking`. Absent, or
   * null for the model: they come as chats.
   */
  messagesForm?(model: string): "whole" | "thinking" | null;
  /** Whether the model takes what Google's interface has beside a chat, in Google's own words. */
  googleForm?(model: string): boolean;
  /** It tells what its models thought in words where `reasoning_summary` asks for them. */
  readonly hasSummaries?: true;
  classify(failure: UpstreamFailure): Classified;
}

export interface UnsupportedValue {
  readonly param: string;
  /** The rest of a sentence that begins with the provider's title. */
  readonly reason: string;
}

/** A multipart form: the fields in their order, then the files in theirs, as streams. */
export interface SentForm {
  readonly fields: readonly FormField[];
  readonly files: readonly SentFile[];
}

export type FormField = readonly [name: string, value: string];

export interface SentFile {
  /** The name of its part. */
  readonly field: string;
  readonly name: string;
  readonly type: string;
  /** The bytes from the beginning; again where the call is sent again. */
  read(): ReadableStream<Uint8Array>;
}

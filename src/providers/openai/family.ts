import type { EmbeddingAnswer } from "../../contract/embeddings.ts";
import type { FormOperation, Operation } from "../../contract/params.ts";
import { textOf } from "../../lib/json.ts";
import { rewritten } from "../../lib/source-text.ts";
import type {
  AnswerFacts,
  ChatDialect,
  Classified,
  FormDialect,
  Provider,
  SentForm,
  Signing,
  Target,
  UpstreamFailure,
  UpstreamRequest,
} from "../dialect.ts";
import { perTarget } from "../worked-out-once.ts";
import { askForUsage, type Body, isPassedOn, passedFields, tidyChat } from "./body.ts";
import { classifyOpenAi } from "./failure.ts";
import type { MessageRules } from "./messages.ts";
import { streamMultipart } from "./multipart.ts";
import { decodeRerank } from "./rerank.ts";

/** What tells one upstream that speaks OpenAI's interface from another. */
export interface Family {
  readonly id: string;
  readonly title: string;
  readonly operations: readonly Operation[];
  url(operation: Operation, target: Target): string;
  /** The key and what else the upstream wants to see; not the content type. */
  headers(target: Target): Readonly<Record<string, string>>;
  /** How a request is signed that carries no key; null for one that does. */
  sign?(target: Target): Signing | null;
  readonly messages?: MessageRules;
  /** Whether a stream can be asked for its usage; by default it can. Those that cannot be asked tell it anyway. */
  knowsStreamOptions?(target: Target): boolean;
  /** The last word on a JSON body, which is changed in place. */
  adapt?(operation: Operation, body: Body, target: Target): void;
  readonly relay?: NonNullable<ChatDialect["relay"]>;
  /** For chat answers that come in another form than OpenAI's. */
  readonly chatAnswers?: Pick<ChatDialect, "decode" | "stream">;
  /** For embeddings that come in another form than OpenAI's. */
  decodeEmbedding?(body: unknown, facts: AnswerFacts): EmbeddingAnswer;
  supportedParams(operation: Operation, model: string): readonly string[];
  /** OpenAI's own models, with the fields and rules that only these have. */
  readonly ownModels?: Pick<Provider, "chatApi" | "conflicting">;
  classify?(failure: UpstreamFailure): Classified;
}

type Fields = Readonly<Record<string, unknown>>;

/** A provider of OpenAI's interface: requests pass with few changes, answers are relayed as they come. */
export function buildProvider(family: Family): Provider {
  const { title, relay, decodeEmbedding } = family;
  const has = (operation: Operation) => family.operations.includes(operation);
  // One object for all calls to a target: whoever sends them can then keep what it makes of it.
  const headers = perTarget((target) => ({ "content-type": "application/json", ...family.headers(target) }));
  const json = (operation: Operation) => {
    const url = perTarget((target) => family.url(operation, target));
    return {
      encode: (request: Fields, target: Target): UpstreamRequest => {
        const body = jsonBody(family, operation, request, target);
        return { url: url(target), headers: headers(target), body, ...signed(family, target) };
      },
    };
  };
  const form = (operation: FormOperation): FormDialect => ({
    encode: (request, target) => encodeForm(family, operation, request, target),
  });
  return {
    id: family.id,
    title,
    ...(has("chat") && { chat: { ...json("chat"), ...family.chatAnswers, ...(relay && { relay }) } }),
    ...(has("completion") && { completion: json("completion") }),
    ...(has("embedding") && {
      embedding: {
        ...json("embedding"),
        ...(decodeEmbedding && {
          decode: (body: unknown, _: unknown, facts: AnswerFacts) => decodeEmbedding(body, facts),
        }),
      },
    }),
    ...(has("rerank") && {
      rerank: {
        ...json("rerank"),
        decode: (body: unknown, _: unknown, facts: AnswerFacts) => decodeRerank(body, facts, title),
      },
    }),
    ...(has("moderation") && { moderation: json("moderation") }),
    ...(has("speech") && { speech: json("speech") }),
    ...(has("image") && { image: json("image") }),
    ...(has("image_edit") && { image_edit: form("image_edit") }),
    ...(has("transcription") && { transcription: form("transcription") }),
    ...(has("translation") && { translation: form("translation") }),
    ...(has("realtime") && { realtime: { encode: (_: Fields, target: Target) => encodeSocket(family, target) } }),
    supportedParams: (operation, model) => family.supportedParams(operation, model),
    ...family.ownModels,
    classify: (failure) => family.classify?.(failure) ?? classifyOpenAi(failure, title),
  };
}

function signed(family: Family, target: Target): { readonly sign: Signing } | null {
  const sign = family.sign?.(target) ?? null;
  return sign && { sign };
}

/** The same address as a WebSocket's; the model is named in it, where nothing else names it. */
function encodeSocket(family: Family, target: Target): UpstreamRequest {
  const url = family.url("realtime", target).replace(/^http/, "ws");
  const named = /[?&](model|deployment)=/.test(url)
    ? url
    : `${url}${url.includes("?") ? "&" : "?"}model=${encodeURIComponent(socketModel(family, target))}`;
  return { method: "GET", url: named, headers: family.headers(target), body: null, ...signed(family, target) };
}

/** As other operations name it in their bodies. */
function socketModel(family: Family, target: Target): string {
  const body: Body = { model: target.upstreamModel };
  family.adapt?.("realtime", body, target);
  return textOf(body.model) ?? target.upstreamModel;
}

function jsonBody(family: Family, operation: Operation, request: Fields, target: Target): string {
  const body = passedFields(request, target);
  if (operation === "chat") tidyChat(body, family.messages ?? {});
  askForUsage(operation, body, family.knowsStreamOptions?.(target) ?? true);
  family.adapt?.(operation, body, target);
  return rewritten(request, body) ?? JSON.stringify(body);
}

function encodeForm(family: Family, operation: FormOperation, form: SentForm, target: Target): UpstreamRequest {
  const fields = form.fields.filter(([name]) => isPassedOn(name) && name !== "model");
  const body: Body = { model: target.upstreamModel };
  family.adapt?.(operation, body, target);
  const { contentType, body: stream } = streamMultipart({
    fields: [["model", textOf(body.model) ?? target.upstreamModel], ...fields],
    files: form.files,
  });
  return {
    url: family.url(operation, target),
    headers: { "content-type": contentType, ...family.headers(target) },
    body: stream,
    ...signed(family, target),
  };
}

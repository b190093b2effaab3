import { createHash } from "node:crypto";
import type { AnswerFacts, Provider, Target } from "../dialect.ts";
import { classifyOpenAi } from "../openai/failure.ts";
import type { Family } from "../openai/family.ts";
import { perTarget } from "../worked-out-once.ts";
import { type Answerer, decodeResponse } from "./answer.ts";
import { responsesParams } from "./params.ts";
import { type Place, responsesBody } from "./request.ts";
import { ResponseStream } from "./stream.ts";

/** What a provider of the family has of its own where its models are called through OpenAI's Responses. */
interface ResponsesForm {
  url(target: Target): string;
  model(target: Target): Pick<Place, "model" | "reasons">;
}

/** A provider of OpenAI's family whose chats are responses. Whatever else it serves has models of its own. */
export function buildResponses(family: Family, form: ResponsesForm): Provider {
  const { id, title } = family;
  const classify: Provider["classify"] = (failure) => family.classify?.(failure) ?? classifyOpenAi(failure, title);
  const url = perTarget((target) => form.url(target));
  const headers = perTarget((target) => ({ "content-type": "application/json", ...family.headers(target) }));
  const account = perTarget((target) => markOf(url(target), headers(target)));
  const place = perTarget((target): Place => ({ title, ...form.model(target), account: account(target) }));
  const answerer = ({ target }: AnswerFacts): Answerer => ({ classify, account: target ? account(target) : "" });
  return {
    id,
    title,
    chat: {
      encode(request, target) {
        const sign = family.sign?.(target) ?? null;
        const body = JSON.stringify(responsesBody(request, place(target)));
        return { url: url(target), headers: headers(target), body, ...(sign && { sign }) };
      },
      decode: (body, _request, facts) => decodeResponse(body, facts, answerer(facts)),
      stream: { framing: "sse", decoder: (_request, facts) => new ResponseStream(facts, answerer(facts)) },
    },
    supportedParams: (operation, name) => responsesParams(operation, family.supportedParams("chat", name), name),
    ...family.ownModels,
    chatApi: () => "responses",
    hasSummaries: true,
    classify,
  };
}

/** Tells accounts apart, and nothing about a key: callers see it. */
const markOf = (url: string, headers: object): string =>
  createHash("sha256")
    .update(`${url} ${JSON.stringify(headers)}`)
    .digest("hex")
    .slice(0, 8);

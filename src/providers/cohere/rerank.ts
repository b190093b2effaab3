import { stringify } from "yaml";
import type { RerankAnswer, RerankRequest } from "../../contract/rerank.ts";
import { isRecord, ownField } from "../../lib/json.ts";
import type { AnswerFacts, Dialect } from "../dialect.ts";
import { extraFields } from "../extra-fields.ts";
import { malformed } from "./answer.ts";
import { cohereRequest } from "./requests.ts";

export const cohereRerank: Dialect<RerankRequest, RerankAnswer> = {
  encode: (request, target) =>
    cohereRequest(target, "rerank", {
      query: request.query,
      documents: request.documents.map((document) => documentText(document, request.rank_fields)),
      top_n: request.top_n ?? undefined,
      max_tokens_per_doc: request.max_tokens_per_doc ?? undefined,
      ...extraFields("rerank", request),
    }),

  decode(body: unknown, request: RerankRequest, facts: AnswerFacts): RerankAnswer {
    if (!isRecord(body) || !Array.isArray(body.results)) throw malformed("has no results");
    return {
      id: typeof body.id === "string" ? body.id : facts.id,
      results: body.results.map((result: unknown) => resultOf(result, request)),
      ...(isRecord(body.meta) ? { meta: body.meta } : {}),
    };
  },
};

/** Cohere ranks texts. Of a record it is given the fields to rank by, as YAML, which its models read best. */
function documentText(document: string | object, fields: readonly string[] | null | undefined): string {
  if (typeof document === "string") return document;
  const record: Readonly<Record<string, unknown>> = { ...document };
  if (fields)
    return stringify(Object.fromEntries(fields.map((name) => [name, ownField(record, name)])), { lineWidth: 0 });
  const { text, ...others } = record;
  const isText = typeof text === "string" && Object.keys(others).length === 0;
  return isText ? text : stringify(record, { lineWidth: 0 });
}

/** The second version of the interface gives no documents back, so those that were asked for are put in here. */
function resultOf(result: unknown, request: RerankRequest): RerankAnswer["results"][number] {
  if (!isRecord(result)) throw malformed("has a result that is not an object");
  const { index, relevance_score: score } = result;
  if (typeof index !== "number" || typeof score !== "number") throw malformed("has a result without index or score");
  const document = request.documents[index];
  if (document === undefined) throw malformed("ranks a document that was not sent");
  if (request.return_documents !== true) return { index, relevance_score: score };
  return { index, relevance_score: score, document: documentOf(document, request) };
}

function documentOf(document: string | object, request: RerankRequest): { readonly text: string } {
  const text = documentText(document, request.rank_fields);
  if (typeof document === "string") return { text };
  const record: Readonly<Record<string, unknown>> = { ...document };
  return { ...record, text: typeof record.text === "string" ? record.text : text };
}

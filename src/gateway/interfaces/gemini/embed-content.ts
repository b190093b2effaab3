import type { EmbeddingRequest } from "../../../contract/embeddings.ts";
import { GATEWAY_FIELDS } from "../../../contract/params.ts";
import { isRecord } from "../../../lib/json.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../../call/gateway.ts";
import { embed } from "../../operations/embeddings.ts";
import { camelName, listOf, normalizeNames, refused, unknownName } from "./field-names.ts";
import { markOfGoogle } from "./marker.ts";

/** Makes the vector of one text, asked for and answered in Google's form. */
export async function embedContent(deps: GatewayDeps, call: InferenceCall, body: Fields): Promise<Response> {
  const { own, rest } = split(body);
  const { vectors, usage, headers } = await embedTexts(deps, call, [readOne(own, "")], rest);
  return Response.json({ embedding: vectors[0], usageMetadata: usage }, { headers });
}

/** Makes the vectors of several texts. Other providers take one setting for all texts, so the settings must agree. */
export async function batchEmbedContents(deps: GatewayDeps, call: InferenceCall, body: Fields): Promise<Response> {
  const { requests, ...rest } = body;
  const asked = listOf(requests).map((one, at) => readOne(normalizeNames(one, `requests[${at}]`), `requests[${at}].`));
  if (asked.length === 0) throw refused("requests", "there is nothing to embed.");
  const { vectors, usage, headers } = await embedTexts(deps, call, asked, split(rest).rest);
  return Response.json({ embeddings: vectors, usageMetadata: usage }, { headers });
}

/** A text with what is asked of its vector. */
interface Embedded {
  readonly text: string;
  readonly dimensions: number | undefined;
  /** Fields that only Google's models have. */
  readonly form: Fields;
}

const OWN: ReadonlySet<string> = new Set([
  ...["model", "content", "taskType", "title", "outputDimensionality", "autoTruncate"],
]);

/** Google's fields, and those that steer the gateway. */
function split(body: Fields): { readonly own: Fields; readonly rest: Fields } {
  const own: Record<string, unknown> = {};
  const rest: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(body)) {
    if (value === null || value === undefined) continue;
    const camel = camelName(name);
    if (OWN.has(camel)) own[camel] = value;
    else if (name === "user" || GATEWAY_FIELDS.has(name)) rest[name] = value;
    else throw unknownName("request", name);
  }
  return { own, rest };
}

function readOne(given: Fields, place: string): Embedded {
  const { content, outputDimensionality: dimensions, taskType, title } = given;
  if (dimensions !== undefined && !(Number.isSafeInteger(dimensions) && Number(dimensions) > 0))
    throw refused(`${place}outputDimensionality`, "it must be a whole number above 0.");
  return {
    text: textIn(content, `${place}content`),
    dimensions: dimensions as number | undefined,
    form: { ...(taskType !== undefined && { task_type: taskType }), ...(title !== undefined && { title }) },
  };
}

/** Google joins the parts of a content to one text, and so does this. */
function textIn(content: unknown, place: string): string {
  if (typeof content === "string") return content;
  const { parts } = normalizeNames(content, place);
  const texts = listOf(parts).map((part) => (isRecord(part) ? part.text : part));
  if (texts.length > 0 && texts.every((text) => typeof text === "string")) return texts.join("");
  throw refused(place, "it must have parts with text.");
}

interface Vectors {
  readonly vectors: readonly { readonly values: unknown }[];
  readonly usage: { readonly promptTokenCount: unknown };
  readonly headers: Headers;
}

async function embedTexts(
  deps: GatewayDeps,
  call: InferenceCall,
  asked: readonly Embedded[],
  rest: Fields,
): Promise<Vectors> {
  const [{ dimensions, form } = { dimensions: undefined, form: {} }] = asked;
  const settings = JSON.stringify([dimensions, form]);
  if (asked.some((one) => JSON.stringify([one.dimensions, one.form]) !== settings))
    throw refused("requests", "all of them must have the same taskType, title and outputDimensionality.");
  const request = {
    ...{ ...rest, model: call.model, input: asked.map(({ text }) => text) },
    ...(dimensions !== undefined && { dimensions }),
    ...markOfGoogle(form),
  } as EmbeddingRequest;
  const response = await embed(deps, call, request);
  const { data, usage } = (await response.json()) as { data: Fields[]; usage?: Fields };
  const headers = new Headers(response.headers);
  headers.delete("content-length");
  const vectors = [...data].sort((one, other) => Number(one.index) - Number(other.index));
  return {
    vectors: vectors.map(({ embedding }) => ({ values: embedding })),
    usage: { promptTokenCount: usage?.prompt_tokens ?? 0 },
    headers,
  };
}

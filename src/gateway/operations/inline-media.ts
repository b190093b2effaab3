import type { ChatRequest, ContentPart, Message } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import { parseDataUrl } from "../../providers/anthropic/data-url.ts";
import type { Transport } from "../../providers/transport.ts";

const MEDIA_BYTES_MAX = 20 * 1024 * 1024;
const FETCH_TIMEOUT_MS = 20_000;
const MEDIA_MAX = 32;
/** A file that lies at the provider already is named to it, not fetched. */
const GOOGLE_FILE = /^https:\/\/generativelanguage\.googleapis\.com\/.*\/files\//;

/**
 * Fetches the pictures that a request names by address and puts them into the request, for upstreams that take them only
 * so. The addresses come from the caller: they go through the guarded door.
 */
export function inlineMedia(
  transport: Transport,
  request: ChatRequest,
  client: AbortSignal,
): ChatRequest | Promise<ChatRequest> {
  const messages = request.messages as readonly Message[];
  // Most requests are text alone, and have no part that could name an address.
  if (!messages.some(hasParts)) return request;
  const addresses = new Set(
    messages.flatMap((message) => partsOf(message).map(addressOf)).filter((url) => url !== null),
  );
  return addresses.size === 0 ? request : inlined(transport, request, addresses, client);
}

async function inlined(
  transport: Transport,
  request: ChatRequest,
  addresses: ReadonlySet<string>,
  client: AbortSignal,
): Promise<ChatRequest> {
  const messages = request.messages as readonly Message[];
  if (addresses.size > MEDIA_MAX) {
    throw new GatewayError("invalid_request", `At most ${MEDIA_MAX} pictures can be fetched.`, { param: "messages" });
  }
  const signal = AbortSignal.any([client, AbortSignal.timeout(FETCH_TIMEOUT_MS)]);
  const fetched = new Map<string, string>();
  await Promise.all([...addresses].map(async (url) => fetched.set(url, await fetchDataUrl(transport, url, signal))));
  const changed = messages.map((message) => ({
    ...message,
    ...(Array.isArray(message.content) ? { content: partsOf(message).map((part) => inline(part, fetched)) } : {}),
  }));
  return { ...request, messages: changed as ChatRequest["messages"] };
}

const hasParts = ({ content }: Message): boolean => Array.isArray(content);

const partsOf = (message: Message): readonly ContentPart[] =>
  Array.isArray(message.content) ? (message.content as readonly ContentPart[]) : [];

/** The address of a picture that has to be fetched; data: addresses carry it already. */
function addressOf(part: ContentPart): string | null {
  if (part.type === "image") return isRecord(part.source) ? fetchable(part.source.url) : null;
  if (part.type !== "image_url" || part.image_url === undefined || part.image_url === null) return null;
  const url = typeof part.image_url === "string" ? part.image_url : part.image_url.url;
  return fetchable(url);
}

const fetchable = (url: unknown): string | null =>
  typeof url === "string" && /^https?:/i.test(url) && !GOOGLE_FILE.test(url) ? url : null;

function inline(part: ContentPart, fetched: ReadonlyMap<string, string>): ContentPart {
  const address = addressOf(part);
  const url = address === null ? undefined : fetched.get(address);
  if (url === undefined) return part;
  if (part.type === "image") {
    const { mediaType: media_type, base64: data } = parseDataUrl(url) ?? {};
    return { ...part, source: { type: "base64", media_type, data } };
  }
  const before = typeof part.image_url === "object" ? part.image_url : {};
  return { ...part, image_url: { ...before, url } };
}

async function fetchDataUrl(transport: Transport, url: string, signal: AbortSignal): Promise<string> {
  try {
    return await fetchPicture(transport, url, signal);
  } catch (thrown) {
    if (thrown instanceof GatewayError && thrown.kind !== "connection") throw thrown;
    throw unusable(url, "it did not arrive");
  }
}

async function fetchPicture(transport: Transport, url: string, signal: AbortSignal): Promise<string> {
  const response = await transport.sendGuarded(
    { method: "GET", url, headers: { accept: "image/*" }, body: null },
    signal,
  );
  const type = (response.headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  if (!response.ok || !type.startsWith("image/"))
    throw unusable(url, `it answered ${response.status} with ${type || "no type"}`);
  const bytes = await readBounded(response, url);
  return `data:${type};base64,${Buffer.from(bytes).toString("base64")}`;
}

async function readBounded(response: Response, url: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > MEDIA_BYTES_MAX) throw unusable(url, `it is larger than ${MEDIA_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

const unusable = (url: string, reason: string): GatewayError =>
  new GatewayError("invalid_request", `The picture at ${url.slice(0, 200)} cannot be used: ${reason}.`, {
    param: "messages",
  });

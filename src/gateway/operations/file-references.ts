import type { ChatRequest, ContentPart, Message } from "../../contract/chat.ts";
import type { Owner } from "../../contract/cursor.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord } from "../../lib/json.ts";
import type { GatewayDeps, OwnFile } from "../call/gateway.ts";

/** Ids that are made here hold a UUID of the seventh version; those of providers do not. */
const OWN_ID = /^file-0[0-9a-f]{11}7[0-9a-f]{3}[89ab][0-9a-f]{15}$/;
/** Of all files of one call, each as often as it is named. */
const BYTES_MAX = 32 * 1024 * 1024;

export const isOwnFileId = (id: unknown): id is string => typeof id === "string" && OWN_ID.test(id);

/**
 * The request with the files that it names by ids of ours: no provider knows these. Before anything else looks at it, so that
 * what the files hold is counted, guarded and told apart in the cache as if the caller had sent it. Null where it names none.
 */
export function resolveFileIds(deps: GatewayDeps, owner: Owner, request: ChatRequest): Promise<ChatRequest> | null {
  for (const { content } of request.messages as readonly Message[]) {
    if (Array.isArray(content) && content.some(namesOwn)) return filled(deps, owner, request);
  }
  return null;
}

async function filled(deps: GatewayDeps, owner: Owner, request: ChatRequest): Promise<ChatRequest> {
  let room = BYTES_MAX;
  const read = new Map<string, { readonly size: number; readonly part: ContentPart }>();
  const load = async (id: string) => {
    const file = await deps.ownFile(owner, id, room);
    return { size: file.bytes.length, part: partOf(file) };
  };
  const fill = async (part: ContentPart): Promise<ContentPart> => {
    if (!namesOwn(part)) return part;
    const id = part.file?.file_id ?? "";
    const known = read.get(id) ?? (await load(id));
    read.set(id, known);
    room -= known.size;
    if (room < 0) throw tooLong();
    const { file, ...rest } = part;
    const found = known.part;
    return found.file && file?.filename
      ? { ...rest, ...found, file: { ...found.file, filename: file.filename } }
      : { ...rest, ...found };
  };
  const messages: Message[] = [];
  for (const message of request.messages as readonly Message[]) {
    const parts = partsOf(message);
    if (!parts.some(namesOwn)) messages.push(message);
    else messages.push({ ...message, content: await eachInTurn(parts, fill) });
  }
  return { ...request, messages: messages as ChatRequest["messages"] };
}

const tooLong = (): GatewayError =>
  new GatewayError("invalid_request", `The files of one request have at most ${BYTES_MAX} bytes together.`, {
    param: "messages",
  });

/** One after the other: the room for them is shared. */
async function eachInTurn<T>(all: readonly T[], work: (one: T) => Promise<T>): Promise<T[]> {
  const done: T[] = [];
  for (const one of all) done.push(await work(one));
  return done;
}

const partsOf = ({ content }: Message): readonly ContentPart[] =>
  Array.isArray(content) ? (content as readonly ContentPart[]) : [];

/** Whatever a caller has put there. */
const namesOwn = (part: unknown): boolean =>
  isRecord(part) && part.type === "file" && isRecord(part.file) && isOwnFileId(part.file.file_id);

const BEGINNINGS: readonly (readonly [type: string, beginning: RegExp])[] = [
  ["application/pdf", /^%PDF-/],
  ["image/png", /^\x89PNG/],
  ["image/jpeg", /^\xff\xd8\xff/],
  ["image/gif", /^GIF8/],
  ["image/webp", /^RIFF.{4}WEBP/s],
];

/** A picture as models take pictures, anything else as a file. What it is is told by its bytes: names are the caller's. */
function partOf({ name, bytes }: OwnFile): ContentPart {
  const head = bytes.subarray(0, 16).toString("latin1");
  const known = BEGINNINGS.find(([, beginning]) => beginning.test(head))?.[0];
  const type = known ?? (isText(bytes) ? "text/plain" : null);
  if (type === null) {
    throw new GatewayError("invalid_request", `${name} is neither text nor a PDF or a picture.`, { param: "messages" });
  }
  const url = `data:${type};base64,${bytes.toString("base64")}`;
  return type.startsWith("image/")
    ? { type: "image_url", image_url: { url } }
    : { type: "file", file: { filename: name, file_data: url } };
}

function isText(bytes: Buffer): boolean {
  if (bytes.includes(0)) return false;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

import { GatewayError } from "../../contract/errors.ts";

/** What a `data:` URL holds; `base64` is null when its data is percent-encoded text. */
export interface DataUrl {
  readonly mediaType: string;
  readonly base64: string | null;
  readonly text: string | null;
}

// Only the head is matched: the data behind it may be megabytes long.
const HEAD = /^data:([^;,]{0,200})((?:;[^;,]{0,200}){0,8}),/i;

export function parseDataUrl(url: string): DataUrl | null {
  const head = HEAD.exec(url);
  if (head === null) return null;
  const data = url.slice(head[0].length);
  const isBase64 = /;base64$/i.test(head[2] ?? "");
  const mediaType = (head[1] ?? "").trim().toLowerCase() || "text/plain";
  return { mediaType, base64: isBase64 ? data : null, text: isBase64 ? null : data };
}

export function dataUrlText({ base64, text }: DataUrl): string {
  try {
    return base64 === null ? decodeURIComponent(text ?? "") : decodeUtf8Base64(base64);
  } catch (cause) {
    throw new GatewayError("invalid_request", "The data URL of a file is not well-formed text.", {
      cause,
      param: "messages",
    });
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });
const decodeUtf8Base64 = (base64: string): string => utf8.decode(Uint8Array.fromBase64(base64));

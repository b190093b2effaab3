import { GatewayError } from "../contract/errors.ts";
import { isPlainLoopback } from "../lib/loopback.ts";

/** Where an app wants the person and its code to come back to. */
export interface Callback {
  /** As a browser reads it, so that the host that is shown is the host that is gone to. */
  readonly url: string;
  /** With the port, where there is one. Names in other letters stay in ASCII: look-alikes are told apart there. */
  readonly host: string;
  /** On the person's own machine. */
  readonly isLocal: boolean;
}

const CHARS_MAX = 1_000;
/** What browsers drop or turn round before they read an address, and what no address has. */
const UNCLEAR = /[\s\\\p{Cc}]/u;
/** Everything between the scheme and the path. */
const AUTHORITY = /^[a-z]+:\/\/([^/?]+)/i;
/** What is added to the address; of an app's own, the first would win in some programs and the last in others. */
const RESERVED = ["code", "error"];

export function parseCallback(text: string): Callback {
  const url = text.length <= CHARS_MAX && !UNCLEAR.test(text) ? URL.parse(text) : null;
  const [, authority] = AUTHORITY.exec(text) ?? [];
  if (url === null || authority === undefined) {
    throw refused(`give a whole address of at most ${CHARS_MAX} characters, such as \`https://app.example/callback\`.`);
  }
  const isLocal = isPlainLoopback(url.href);
  if (url.protocol !== "https:" && !isLocal) {
    throw refused("it begins with `https://`, or with `http://` on `localhost`, `127.0.0.1` or `[::1]`.");
  }
  if (authority.includes("@")) throw refused("it holds a user name or a password.");
  if (text.includes("#")) throw refused("it holds a fragment, which no server is ever sent.");
  const taken = RESERVED.find((name) => url.searchParams.has(name));
  if (taken !== undefined) throw refused(`it has a parameter \`${taken}\` already, which is what is added to it.`);
  return { url: url.href, host: url.host, isLocal };
}

/** The address with what the app is told. What was in it stays as it was, byte for byte. */
export function tellBack({ url }: Callback, told: Readonly<Record<string, string>>): string {
  const joint = url.includes("?") ? (/[?&]$/.test(url) ? "" : "&") : "?";
  return url + joint + new URLSearchParams(told).toString();
}

const refused = (why: string): GatewayError =>
  new GatewayError("invalid_request", `callback_url: ${why}`, { param: "callback_url" });

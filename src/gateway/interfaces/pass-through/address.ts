import { GatewayError } from "../../../contract/errors.ts";
import type { PassThrough } from "../../../contract/pass-through.ts";

/**
 * Where a call goes: the target, with what was called under the path behind it. Parameters of the target's own cannot be
 * replaced, since they may be what gives access to it; those that are usual can.
 */
export function addressOf({ path, target, query }: PassThrough, called: { path: string; url: string }): string {
  const address = new URL(target);
  const rest = called.path.slice(path.length);
  if (climbs(rest))
    throw new GatewayError("invalid_request", "The path has a segment of dots, which is not passed on.");
  if (rest !== "") address.pathname = address.pathname.replace(/\/+$/, "") + rest;
  const fixed = new Set(address.searchParams.keys());
  const asked = queryText(called.url)
    .split("&")
    .filter((part) => part !== "" && !fixed.has(nameOf(part)) && !isOurKey(part));
  const named = new Set([...fixed, ...asked.map(nameOf)]);
  const usual = Object.entries(query).flatMap(([name, value]) =>
    named.has(name) ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  address.search = [address.search.slice(1), ...asked, ...usual].filter((part) => part !== "").join("&");
  return address.href;
}

/** Whether whoever reads it could end up above the target, however it is spelled. */
function climbs(rest: string): boolean {
  const parts = decodeURIComponent(rest).split(/[/\\]/);
  return parts.some((part) => part === "." || part === "..");
}

/** As it was sent: some targets are particular about how it is spelled. */
function queryText(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

const nameOf = (part: string): string => new URLSearchParams(part).keys().next().value ?? "";

/** Where Google's clients have the key that they call us with. */
const isOurKey = (part: string): boolean => new URLSearchParams(part).get("key")?.startsWith("sk-") ?? false;

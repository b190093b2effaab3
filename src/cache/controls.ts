import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";

/** How far the cache has a part in one call. */
export interface CacheControls {
  /** What is kept may be given. */
  readonly read: boolean;
  /** The answer may be kept. */
  readonly write: boolean;
  /** For how long it is kept, and how old what is given may be; null: as configured, and any age. */
  readonly ttlMs: number | null;
  readonly ageMaxMs: number | null;
  readonly namespace: string | null;
}

/** Of a call that says nothing. */
const USUAL: CacheControls = { read: true, write: true, ttlMs: null, ageMaxMs: null, namespace: null };
const SAYS_NOTHING: Readonly<Record<string, unknown>> = {};

/** Null: the cache has no part in the call. The body's `cache` was checked by its schema. */
export function readControls(
  { cache, caching }: Readonly<Record<string, unknown>>,
  header: string | null,
  onByDefault: boolean,
): CacheControls | null {
  if (caching === false) return null;
  const own = isRecord(cache) ? cache : SAYS_NOTHING;
  const isOn = onByDefault ? own["use-cache"] !== false : own["use-cache"] === true || caching === true;
  if (!isOn) return null;
  if (own === SAYS_NOTHING && header === null) return USUAL;
  const told = header === null ? NOTHING : readHeader(header);
  const read = !(own["no-cache"] ?? told.noCache);
  const write = !(own["no-store"] ?? told.noStore);
  if (!read && !write) return null;
  return {
    read,
    write,
    ttlMs: milliseconds(own.ttl),
    ageMaxMs: milliseconds(own["s-maxage"] ?? own["s-max-age"]) ?? told.ageMaxMs,
    namespace: typeof own.namespace === "string" ? own.namespace : null,
  };
}

interface Told {
  readonly noCache: boolean;
  readonly noStore: boolean;
  readonly ageMaxMs: number | null;
}

const NOTHING: Told = { noCache: false, noStore: false, ageMaxMs: null };

/** `Cache-Control` of the request. Directives that are not ours are somebody else's on the way here. */
function readHeader(header: string): Told {
  const directives = new Map<string, string>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", value = ""] = part.split("=").map((text) => text.trim());
    directives.set(name, value.replace(/^"(.*)"$/, "$1"));
  }
  const age = directives.get("s-maxage") ?? directives.get("max-age");
  if (age !== undefined && !/^\d+$/.test(age)) {
    const msg = "`max-age` and `s-maxage` are whole seconds.";
    throw new GatewayError("validation", `\`Cache-Control\`: ${msg}`, {
      faults: [{ loc: ["header", "cache-control"], msg, type: "value_error" }],
    });
  }
  return {
    noCache: directives.has("no-cache"),
    noStore: directives.has("no-store"),
    ageMaxMs: age === undefined ? null : Number(age) * 1000,
  };
}

const milliseconds = (seconds: unknown): number | null => (typeof seconds === "number" ? seconds * 1000 : null);

import { availableParallelism } from "node:os";
import { parseRange } from "../lib/ip-range.ts";
import { type KeyConfig, LOG_LEVELS, METRICS_ACCESS, type MetricsAccess, type ServerConfig } from "./config.ts";
import type { Section } from "./section.ts";

const DEFAULT_KEY_HEADERS = ["x-gw-api-key", "authorization", "x-api-key", "api-key", "x-goog-api-key"];
const HOSTED_KEY_HEADERS = ["x-gw-api-key"];
const WORKERS_MAX = 256;
const YEAR_SECONDS = 31_536_000;
const MEBIBYTE = 1024 * 1024;

export function readServer(general: Section, gateway: Section): ServerConfig {
  const requestBytesMax = Math.floor((general.number("max_request_size_mb", { min: 0.001 }) ?? 32) * MEBIBYTE);
  return {
    host: general.text("host") ?? "127.0.0.1",
    port: general.number("port", { integer: true, max: 65535 }) ?? 4000,
    workers: readWorkers(general),
    corsOrigins: readOrigins(general),
    requestBytesMax,
    drainTimeoutMs: Math.round((general.number("drain_timeout") ?? 30) * 1000),
    publicUrl: readUrl(general, "public_url", /^https?:$/, "http:// or https://")?.replace(/\/+$/, "") ?? null,
    logLevel: general.choice("log_level", LOG_LEVELS) ?? "info",
    metricsAccess: readMetricsAccess(general, gateway),
    trustedProxies: readRanges(general, "trusted_proxies") ?? [],
    strictTransportSeconds: general.number("strict_transport_seconds", { integer: true }) ?? YEAR_SECONDS,
    allowedIps: readAllowedIps(general),
    overload: {
      delayMsMax: Math.round((general.number("max_event_loop_delay") ?? 0.25) * 1000),
      pendingMax: general.number("max_pending_calls", { integer: true }) ?? 10_000,
    },
    bodies: readBodies(general, requestBytesMax),
    managementLimits: {
      readsPerMinute: general.number("api_reads_per_minute", { integer: true }) ?? 300,
      writesPerMinute: general.number("api_writes_per_minute", { integer: true }) ?? 60,
    },
  };
}

/** A limit below the size of one request would reject a request that the server allows. */
function readBodies(general: Section, requestBytesMax: number): ServerConfig["bodies"] {
  const readBytes = (key: string, defaultMb: number): number => {
    const bytes = Math.floor((general.number(key, { min: 0 }) ?? defaultMb) * MEBIBYTE);
    return bytes === 0 ? 0 : Math.max(bytes, requestBytesMax);
  };
  return {
    totalBytesMax: readBytes("max_request_memory_mb", 128),
    callerBytesMax: readBytes("max_request_memory_per_key_mb", 64),
    addressBytesMax: readBytes("max_request_memory_per_address_mb", 64),
    timeoutMs: Math.round((general.number("request_body_timeout", { min: 1 }) ?? 60) * 1000),
  };
}

function readWorkers(general: Section): number {
  if (general.text("workers")?.toLowerCase() === "auto") return availableParallelism();
  return general.number("workers", { integer: true, min: 1, max: WORKERS_MAX }) ?? 1;
}

function readOrigins(general: Section): readonly string[] {
  const origins = general.texts("cors_origins") ?? [];
  const isOrigin = (text: string) => text === "*" || (URL.canParse(text) && new URL(text).origin === text);
  if (!origins.every(isOrigin)) {
    general.fault("cors_origins", "expected `*`, or origins such as https://app.example.com without a path");
  }
  return origins;
}

function readRanges(general: Section, key: string): readonly string[] | null {
  const ranges = general.texts(key);
  if (ranges !== null && !ranges.every((range) => parseRange(range) !== null)) {
    general.fault(key, "expected addresses or ranges such as 10.0.0.0/8");
  }
  return ranges;
}

function readAllowedIps(general: Section): readonly string[] | null {
  const allowed = readRanges(general, "allowed_ips");
  if (allowed?.length === 0)
    general.fault("allowed_ips", "lists nobody, so that nobody could call; list addresses, or remove it");
  return allowed;
}

function readMetricsAccess(general: Section, gateway: Section): MetricsAccess {
  const requiresKey = gateway.boolean("require_auth_for_metrics_endpoint") ?? true;
  return general.choice("metrics_access", METRICS_ACCESS) ?? (requiresKey ? "key" : "public");
}

export function readKeys(general: Section): KeyConfig {
  const hosted = general.boolean("hosted") ?? false;
  return {
    masterKey: readMasterKey(general),
    headers: readKeyHeaders(general, hosted),
    hosted,
    headerPrefix: readHeaderPrefix(general),
    secret: readLongText(general, "secret", 16, "make one with: openssl rand -hex 32"),
  };
}

function readMasterKey(general: Section): string | null {
  const key = general.text("master_key");
  if (key !== null && (!key.startsWith("sk-") || key.length < 16)) {
    const advice = 'make one with: echo "sk-$(openssl rand -hex 24)"';
    general.fault("master_key", `must begin with sk- and have 16 characters or more; ${advice}`);
  }
  return key;
}

function readLongText(general: Section, key: string, lengthMin: number, advice: string): string | null {
  const text = general.text(key);
  if (text !== null && text.length < lengthMin) general.fault(key, `needs ${lengthMin} characters or more; ${advice}`);
  return text;
}

function readKeyHeaders(general: Section, hosted: boolean): readonly string[] {
  const single = general.text("litellm_key_header_name");
  const several = general.texts("key_headers");
  if (single !== null && several !== null) {
    general.fault("litellm_key_header_name", "is set beside `key_headers`, which says the same; keep one of them");
  }
  const key = several === null ? "litellm_key_header_name" : "key_headers";
  const chosen = several ?? (single === null ? null : [single]);
  if (chosen !== null && (chosen.length === 0 || !chosen.every((name) => /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)))) {
    general.fault(key, "expected the names of HTTP headers, at least one");
  }
  if (!hosted) return chosen?.map((name) => name.toLowerCase()) ?? DEFAULT_KEY_HEADERS;
  if (chosen !== null) general.warn(key, "has no effect: `hosted: true` takes keys from x-gw-api-key alone");
  return HOSTED_KEY_HEADERS;
}

function readHeaderPrefix(general: Section): string {
  const prefix = general.text("header_prefix")?.toLowerCase() ?? "gw";
  if (!/^[a-z][a-z0-9-]*$/.test(prefix)) {
    general.fault("header_prefix", "expected a letter, then letters, digits and hyphens, such as `gw`");
  }
  return prefix;
}

export function readAdmin(general: Section): { readonly email: string; readonly password: string | null } {
  const email = general.text("admin_email") ?? "admin@localhost";
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) general.fault("admin_email", "expected an e-mail address");
  return { email, password: readLongText(general, "admin_password", 8, "choose a longer one") };
}

/** The address may hold a password, so that messages never quote it. */
export function readUrl(section: Section, key: string, scheme: RegExp, schemes: string): string | null {
  const url = section.text(key);
  if (url === null) return null;
  const isCut = !/^https?:/i.test(url) && hasReservedCharacters(url);
  if (!isCut && URL.canParse(url) && scheme.test(new URL(url).protocol)) return url;
  const reason = hasWrongPort(url) ? WRONG_PORT : `expected an address that begins with ${schemes}`;
  section.fault(key, isCut ? RESERVED_CHARACTERS : reason);
  return null;
}

const WRONG_PORT = "the port, after the `:` of the host, must be a number from 1 to 65535";

/** Whether the address has a port that is not one, which makes the whole address unreadable. */
function hasWrongPort(address: string): boolean {
  const port = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#]*@)?(?:\[[^\]]*\]|[^:/?#]+):([^/?#]*)/i.exec(address)?.[1];
  return port !== undefined && port !== "" && (!/^\d{1,5}$/.test(port) || Number(port) > 65_535);
}

const RESERVED_CHARACTERS =
  "the user name or the password has reserved characters: write `/` as `%2F`, `?` as `%3F`, `#` as `%23`, `@` as `%40` and `%` as `%25`";

/** Whether a `/`, `?` or `#` of a password ends it early: the parser reads the rest as a host or a path. */
function hasReservedCharacters(address: string): boolean {
  const rest = address.replace(/^[a-z][a-z\d+.-]*:\/\//i, "");
  const end = rest.search(/[/?#]/);
  const authority = end < 0 ? rest : rest.slice(0, end);
  // The parser of addresses accepts a lone %, and database clients do not.
  if (/%(?![\da-f]{2})/i.test(authority)) return true;
  if (rest[end] === "?") return !authority.includes("@") && rest.includes("@");
  return end >= 0 && (rest.slice(end).split("?")[0] ?? "").includes("@");
}

import { readUrl } from "./read-server.ts";
import { resolveScalar } from "./scope.ts";
import type { Section } from "./section.ts";
import { tellOverruled } from "./tell-overruled.ts";

export interface StorageConfig {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databaseTimeoutMs: number;
  readonly redisUrl: string | null;
}

export function readStorage(general: Section, router: Section, cache: Section): StorageConfig {
  return {
    dataDir: general.text("data_dir") ?? "./data",
    databaseUrl: readUrl(general, "database_url", /^postgres(ql)?:$/, POSTGRES),
    databaseTimeoutMs: Math.round((general.number("database_connection_timeout", { min: 0.001 }) ?? 5) * 1000),
    redisUrl: readRedis(general, router, cache),
  };
}

const POSTGRES = "postgres://; without one, SQLite in the data folder is used";
const REDIS = "redis:// or rediss://";
const REDIS_SCHEME = /^(redis|rediss|valkey|valkeys):$/;

/** `general_settings.redis_url`, else the router's address, in one piece or in parts, else the cache's. */
function readRedis(general: Section, router: Section, cache: Section): string | null {
  const places = [
    { section: general, key: "redis_url", prefix: null },
    { section: router, key: "redis_url", prefix: null },
    { section: router, key: "redis_host", prefix: "redis_" },
    { section: cache, key: "url", prefix: null },
    { section: cache, key: "host", prefix: "" },
  ] as const;
  for (const { section, key, prefix } of places) if (prefix !== null) warnOfParts(section, key, prefix);
  const [first, ...others] = places.filter(({ section, key }) => section.field(key) !== null);
  if (first === undefined) return fromEnvironment(cache);
  const { section, key, prefix } = first;
  const url = prefix === null ? readUrl(section, key, REDIS_SCHEME, REDIS) : readParts(section, prefix);
  const holds = section.field(key)?.node.at.variable ?? section.field(key)?.path ?? key;
  for (const other of others) if (seenAt(other) !== seenAt(first)) tellOverruled(other.section, other.key, holds);
  return url;
}

/** The variables in which LiteLLM looks for the Redis of a cache whose address is not in the file. */
function fromEnvironment(cache: Section): string | null {
  if (!cache.text("type")?.startsWith("redis")) return null;
  const { variable } = cache.scope;
  const [url, host] = [variable("REDIS_URL"), variable("REDIS_HOST")];
  if (url) return url;
  if (!host) return null;
  return composed(
    host,
    variable("REDIS_PORT") || null,
    variable("REDIS_PASSWORD") || null,
    variable("REDIS_DB") || null,
  );
}

type Prefix = "redis_" | "";
const PARTS = ["port", "password", "db"] as const;

function readParts(section: Section, prefix: Prefix): string | null {
  const port = section.number(`${prefix}port`, { integer: true, min: 1, max: 65535 });
  const password = section.text(`${prefix}password`);
  const database = section.number(`${prefix}db`, { integer: true });
  const host = section.text(`${prefix}host`);
  return host === null ? null : composed(host, port, password, database);
}

/** Where a place leads to, as far as can be seen: what has no effect is no fault, whatever is wrong with it. */
function seenAt({ section, key, prefix }: { section: Section; key: string; prefix: Prefix | null }): string | null {
  const seen = (name: string): string | null => {
    const field = section.field(name);
    if (field?.node.kind !== "scalar") return null;
    return resolveScalar(section.scope, field.node, field.path, () => undefined)?.text ?? null;
  };
  const found = seen(key);
  if (prefix === null || found === null) return found;
  const [port, password, database] = PARTS.map((part) => seen(`${prefix}${part}`));
  return composed(found, port ?? null, password ?? null, database ?? null);
}

type Part = string | number | null;

function composed(host: string, port: Part, password: string | null, database: Part): string {
  const login = password === null ? "" : `:${encodeURIComponent(password)}@`;
  return `redis://${login}${host}:${port ?? 6379}${database === null ? "" : `/${database}`}`;
}

function warnOfParts(section: Section, key: string, prefix: Prefix): void {
  if (section.field(key) !== null) return;
  for (const part of PARTS) section.warn(`${prefix}${part}`, `has no effect without \`${key}\``);
}

import { readUrl } from "./read-server.ts";
import type { Section } from "./section.ts";

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
  const fromRouter = readUrl(router, "redis_url", REDIS_SCHEME, REDIS) ?? composeRedisUrl(router, "redis_");
  const known = readUrl(general, "redis_url", REDIS_SCHEME, REDIS) ?? fromRouter;
  return known ?? readUrl(cache, "url", REDIS_SCHEME, REDIS) ?? composeRedisUrl(cache, "");
}

function composeRedisUrl(section: Section, prefix: "redis_" | ""): string | null {
  const host = section.text(`${prefix}host`);
  const port = section.number(`${prefix}port`, { integer: true, min: 1, max: 65535 }) ?? 6379;
  const password = section.text(`${prefix}password`);
  const database = section.number(`${prefix}db`, { integer: true });
  if (host === null) return null;
  const login = password === null ? "" : `:${encodeURIComponent(password)}@`;
  return `redis://${login}${host}:${port}${database === null ? "" : `/${database}`}`;
}

import { readUrl } from "./read-server.ts";
import type { Section } from "./section.ts";

export interface StorageConfig {
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  readonly databaseTimeoutMs: number;
  readonly redisUrl: string | null;
}

export function readStorage(general: Section, router: Section): StorageConfig {
  return {
    dataDir: general.text("data_dir") ?? "./data",
    databaseUrl: readUrl(general, "database_url", /^postgres(ql)?:$/, POSTGRES),
    databaseTimeoutMs: Math.round((general.number("database_connection_timeout", { min: 0.001 }) ?? 5) * 1000),
    redisUrl: readRedis(general, router),
  };
}

const POSTGRES = "postgres://; without one, SQLite in the data folder is used";
const REDIS = "redis:// or rediss://";
const REDIS_SCHEME = /^(redis|rediss|valkey|valkeys):$/;

/** `general_settings.redis_url`, else the router's address, in one piece or in parts. */
function readRedis(general: Section, router: Section): string | null {
  const fromRouter = readUrl(router, "redis_url", REDIS_SCHEME, REDIS) ?? composeRedisUrl(router);
  return readUrl(general, "redis_url", REDIS_SCHEME, REDIS) ?? fromRouter;
}

function composeRedisUrl(router: Section): string | null {
  const host = router.text("redis_host");
  const port = router.number("redis_port", { integer: true, min: 1, max: 65535 }) ?? 6379;
  const password = router.text("redis_password");
  const database = router.number("redis_db", { integer: true });
  if (host === null) return null;
  const login = password === null ? "" : `:${encodeURIComponent(password)}@`;
  return `redis://${login}${host}:${port}${database === null ? "" : `/${database}`}`;
}

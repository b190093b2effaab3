import type { Config } from "../config/config.ts";

/** Settings that are read once at the start; a reload that changes one of them says so by name. */
export const READ_ONCE: Readonly<Record<string, (config: Config) => unknown>> = {
  "general_settings.host": (config) => config.server.host,
  "general_settings.port": (config) => config.server.port,
  "general_settings.workers": (config) => config.server.workers,
  "general_settings.cors_origins": (config) => config.server.corsOrigins,
  "general_settings.max_request_size_mb": (config) => config.server.requestBytesMax,
  "general_settings.drain_timeout": (config) => config.server.drainTimeoutMs,
  "general_settings.public_url": (config) => config.server.publicUrl,
  "general_settings.log_level": (config) => config.server.logLevel,
  "general_settings.metrics_access": (config) => config.server.metricsAccess,
  "general_settings.trusted_proxies": (config) => config.server.trustedProxies,
  "general_settings.strict_transport_seconds": (config) => config.server.strictTransportSeconds,
  "general_settings.master_key": (config) => config.keys.masterKey,
  "general_settings.secret": (config) => config.keys.secret,
  "general_settings.key_headers": (config) => config.keys.headers,
  "general_settings.header_prefix": (config) => config.keys.headerPrefix,
  "general_settings.data_dir": (config) => config.dataDir,
  "general_settings.journal_sync": (config) => config.journalSync,
  "general_settings.database_url": (config) => config.databaseUrl,
  "general_settings.database_connection_timeout": (config) => config.databaseTimeoutMs,
  "general_settings.billing": (config) => config.payments,
  "general_settings.training": (config) => config.training,
  "general_settings.max_file_size_mb": (config) => config.files.bytesMax,
  "general_settings.files_bucket": (config) => config.files.bucket,
  "general_settings.pass_through_endpoints": ({ passThroughs }) =>
    passThroughs.map(({ path, methods, includeSubpath, needsKey }) => ({ path, methods, includeSubpath, needsKey })),
  "general_settings.redis_url": (config) => config.redisUrl,
  "litellm_settings.cache_params.type": (config) => config.cache.store,
  "litellm_settings.cache_params.max_size_mb": (config) => config.cache.bytesMax,
};

export const restartOnly = (before: Config, after: Config): string[] =>
  Object.entries(READ_ONCE)
    .filter(([, read]) => JSON.stringify(read(before)) !== JSON.stringify(read(after)))
    .map(([name]) => name);

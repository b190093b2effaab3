import type { Command } from "commander";
import type { Act } from "./context.ts";

interface Cache {
  readonly enabled: boolean;
  readonly store: string;
  readonly connected: boolean;
  readonly mode: string;
  readonly scope: string;
  readonly ttlSeconds: number;
  readonly entries: number | null;
  readonly bytes: number | null;
  readonly bytesMax: number | null;
  readonly hits: number;
  readonly semanticHits: number;
  readonly sharedHits: number;
  readonly misses: number;
  readonly hitRate: number | null;
}

/** Answers that are kept to be given again. */
export function addAdminCache(admin: Command, act: Act): void {
  const cache = admin.command("cache").description("answers that are kept to be given again");

  cache
    .command("show")
    .description("show what is kept and how often it helped")
    .action(
      act(async ({ api, output }) => {
        const seen = await api.get<Cache>("/api/admin/cache");
        output.record(seen, fieldsOf(seen), seen.enabled ? "on" : "off");
      }),
    );

  cache
    .command("flush")
    .description("forget every answer that is kept")
    .action(
      act(async ({ api, output, prompt }) => {
        await prompt.confirm("Forget every answer that is kept");
        const flushed = await api.send<{ entries: number }>("POST", "/api/admin/cache/flush", undefined);
        output.done(flushed, `${flushed.entries} answers are forgotten.`);
      }),
    );
}

const mebibytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

const fieldsOf = (seen: Cache) => ({
  Cache: seen.enabled ? "on" : "off",
  Store: seen.connected ? seen.store : `${seen.store}, away`,
  Mode: seen.mode,
  "Shared by": seen.scope,
  "Kept for": `${seen.ttlSeconds} s`,
  Answers: seen.entries,
  Room:
    seen.bytes === null || seen.bytesMax === null ? null : `${mebibytes(seen.bytes)} of ${mebibytes(seen.bytesMax)}`,
  Hits: seen.hits,
  "By meaning": seen.semanticHits,
  "By a call under way": seen.sharedHits,
  Misses: seen.misses,
  "Hit rate": seen.hitRate === null ? null : `${(seen.hitRate * 100).toFixed(1)} %`,
});

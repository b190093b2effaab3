import type { KeyCaller } from "../../contract/caller.ts";
import type { StorageGate } from "../../contract/files/storage-gate.ts";
import type { CallLimits } from "../../gateway/limits/call-limits.ts";
import type { Route } from "../../http/route.ts";

type RequestLimits = Pick<CallLimits, "admitRequest" | "requireRequest">;

const STORING: ReadonlySet<string> = new Set([
  "Assistants",
  "Batches",
  "Conversations",
  "Files",
  "Runs",
  "Threads",
  "Vector stores",
]);

/** Neither of them stores anything. */
const OTHERS = /\/(?:cancel|search)$/;

const storesBody = ({ method, tag, paths: [path] }: Route): boolean =>
  method === "POST" && STORING.has(tag) && !OTHERS.test(path);

/**
 * Limits the routes that store text or files of a client. They count towards its requests per minute, and need room in
 * the storage of its organization.
 */
export const limitStoring = (routes: readonly Route[], limits: RequestLimits, storage: StorageGate) =>
  routes.map((route): Route => {
    if (!storesBody(route)) return route;
    return {
      ...route,
      errors: [...new Set([...route.errors, "rate_limit", "storage_quota", "disk_full"] as const)],
      async handle(context) {
        const caller = context.caller as KeyCaller;
        // The calls of a run count themselves.
        if (route.tag === "Runs") limits.requireRequest(caller);
        else await limits.admitRequest(caller);
        // An upload is measured where its file is stored.
        if (!route.form) await storage.admit(caller, Buffer.byteLength(JSON.stringify(context.body ?? null)), "text");
        return route.handle(context);
      },
    };
  });

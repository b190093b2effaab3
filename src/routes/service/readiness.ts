import Type from "typebox";
import { PROGRAM_VERSION } from "../../contract/version.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import type { DatabaseProbe } from "./database-probe.ts";

export interface ReadinessDeps {
  readonly database: Pick<DatabaseProbe, "isConnected">;
  readonly isClosed: () => boolean;
  /** What the books know of themselves: nothing is written to find out. */
  readonly books: () => BooksHealth;
}

interface BooksHealth {
  readonly journal: { readonly fault: { readonly thrown: unknown } | null };
  readonly settler: { readonly failingMs: number };
}

/** A database that answers and takes nothing, such as a standby, is waited for as long as credit that was set aside lasts. */
const UNSETTLED_MAX_MS = 30_000;

const facts = {
  db: Type.Enum(["connected", "disconnected"]),
  journal: Type.Enum(["writable", "unwritable"]),
};
const Ready = Type.Object({ status: Type.Literal("healthy"), ...facts });
const NotReady = Type.Object({
  status: Type.Enum(["unhealthy", "unavailable"], { description: "`unavailable` while it starts or drains." }),
  ...facts,
  reason: Type.String({ description: "What is wrong." }),
});

const details = {
  cache: Type.Union([Type.String(), Type.Null()], { description: "Where answers are kept: `local` or `redis`." }),
  gw_version: Type.String(),
  litellm_version: Type.Optional(
    Type.String({ description: "The same version, where `header_prefix` is `litellm`: its command line reads it." }),
  ),
  log_level: Type.String(),
};

/** Balancers ask this: 503 takes the process out of rotation without ending it. */
export const readiness = (deps: ReadinessDeps) =>
  route({
    method: "GET",
    paths: ["/health/readiness", "/api/health"],
    tag: "Service",
    summary: "Tell whether calls can be sent to this process",
    description:
      "503 with a `reason` while the process starts or drains, the database does not respond within 0.7 seconds or has taken no " +
      "ended calls for half a minute, or the usage journal cannot be written, as on a full disk; 200 again when that is over. " +
      "Redis and upstreams have no part in it. Always responds within a second.",
    auth: "none",
    success: Ready,
    unavailable: NotReady,
    errors: ["unavailable"],
    whileDraining: true,
    skipsIpAllowlist: true,
    async handle() {
      const { body, status, headers } = await standing(deps);
      return json(body, status, headers);
    },
  });

export interface DetailDeps extends ReadinessDeps {
  /** The kind of store that answers are kept in; null where none are. */
  readonly cache: () => string | null;
  readonly settings: {
    readonly server: { readonly logLevel: string };
    readonly keys: { readonly headerPrefix: string };
  };
}

/** The same for people who look what is running there. */
export const readinessDetails = (deps: DetailDeps) =>
  route({
    method: "GET",
    paths: ["/health/readiness/details"],
    tag: "Service",
    summary: "Tell the same with what is running",
    auth: "admin",
    success: Type.Object({ ...Ready.properties, ...details }),
    unavailable: Type.Object({ ...NotReady.properties, ...details }),
    errors: ["unavailable"],
    whileDraining: true,
    async handle() {
      const { body, status, headers } = await standing(deps);
      const { server, keys } = deps.settings;
      const version = keys.headerPrefix === "litellm" ? { litellm_version: PROGRAM_VERSION } : {};
      const more = { cache: deps.cache(), gw_version: PROGRAM_VERSION, ...version, log_level: server.logLevel };
      return json({ ...body, ...more }, status, headers);
    },
  });

async function standing({ database, books, isClosed }: ReadinessDeps) {
  const connected = await database.isConnected();
  const { journal, settler } = books();
  const facts = {
    db: connected ? "connected" : "disconnected",
    journal: journal.fault === null ? "writable" : "unwritable",
  };
  if (isClosed()) {
    const reason = "The process starts or drains.";
    return { body: { status: "unavailable", ...facts, reason }, status: 503, headers: { "retry-after": "1" } };
  }
  const reasons: string[] = [];
  if (!connected) reasons.push("The database does not respond.");
  if (journal.fault !== null) reasons.push(`The usage journal cannot be written${codeOf(journal.fault.thrown)}.`);
  if (settler.failingMs > UNSETTLED_MAX_MS) reasons.push("The database does not take ended calls.");
  if (reasons.length === 0) return { body: { status: "healthy", ...facts }, status: 200, headers: {} };
  return { body: { status: "unhealthy", ...facts, reason: reasons.join(" ") }, status: 503, headers: {} };
}

/** Its code alone: anybody may ask, and the words of the system name folders. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  return typeof code === "string" ? ` (${code})` : "";
}

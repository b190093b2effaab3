import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export interface ReadinessDeps {
  readonly pingDatabase: () => Promise<void>;
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

/** Balancers ask this: 503 takes the process out of rotation without ending it. */
export const readiness = (deps: ReadinessDeps) =>
  route({
    method: "GET",
    paths: ["/health/readiness", "/api/health"],
    tag: "Service",
    summary: "Tell whether calls can be sent to this process",
    description:
      "503 with a `reason` while the process starts or drains, the database does not answer or has taken no ended calls for half " +
      "a minute, or the usage journal cannot be written, as on a full disk; 200 again when that is over. Redis and upstreams have no part in it.",
    auth: "none",
    success: Ready,
    unavailable: NotReady,
    errors: ["unavailable"],
    whileDraining: true,
    fromAnywhere: true,
    async handle() {
      const connected = await deps.pingDatabase().then(
        () => true,
        () => false,
      );
      const { journal, settler } = deps.books();
      const facts = {
        db: connected ? "connected" : "disconnected",
        journal: journal.fault === null ? "writable" : "unwritable",
      };
      if (deps.isClosed()) {
        const reason = "The process starts or drains.";
        return json({ status: "unavailable", ...facts, reason }, 503, { "retry-after": "1" });
      }
      const reasons: string[] = [];
      if (!connected) reasons.push("The database does not answer.");
      if (journal.fault !== null) reasons.push(`The usage journal cannot be written${codeOf(journal.fault.thrown)}.`);
      if (settler.failingMs > UNSETTLED_MAX_MS) reasons.push("The database does not take ended calls.");
      if (reasons.length === 0) return json({ status: "healthy", ...facts });
      return json({ status: "unhealthy", ...facts, reason: reasons.join(" ") }, 503);
    },
  });

/** Its code alone: anybody may ask, and the words of the system name folders. */
function codeOf(thrown: unknown): string {
  const code = thrown instanceof Error && "code" in thrown ? thrown.code : null;
  return typeof code === "string" ? ` (${code})` : "";
}

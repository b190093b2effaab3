import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export interface ReadinessDeps {
  readonly pingDatabase: () => Promise<void>;
  readonly isClosed: () => boolean;
}

/** Balancers ask this: 503 takes the process out of rotation without ending it. */
export const readiness = (deps: ReadinessDeps) =>
  route({
    method: "GET",
    paths: ["/health/readiness"],
    tag: "Service",
    summary: "Tell whether calls can be sent to this process",
    auth: "none",
    success: Type.Object({ status: Type.String(), db: Type.String() }),
    errors: ["unavailable"],
    whileDraining: true,
    fromAnywhere: true,
    async handle() {
      const connected = await deps.pingDatabase().then(
        () => true,
        () => false,
      );
      const db = connected ? "connected" : "disconnected";
      if (deps.isClosed()) return json({ status: "unavailable", db }, 503, { "retry-after": "1" });
      return json({ status: connected ? "healthy" : "unhealthy", db }, connected ? 200 : 503);
    },
  });

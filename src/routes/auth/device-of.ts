import type { Device } from "../../accounts/sessions.ts";
import type { Connection } from "../../http/route.ts";

/** Where a request comes from, for the list of a person's sessions. */
export const deviceOf = (request: Request, connection: Connection): Device => ({
  address: connection.remoteAddress,
  userAgent: request.headers.get("user-agent") ?? "",
});

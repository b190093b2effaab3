import type { Source } from "../../files/vector-stores.ts";
import { CALL_HEADERS } from "../../gateway/interfaces/responses/background.ts";
import type { Connection } from "../../http/route.ts";

/** Where a call came from, for what is done in its name behind it. */
export const sourceOf = ({ remoteAddress }: Connection, { headers }: Request): Source => ({
  address: remoteAddress,
  userAgent: headers.get("user-agent"),
  tags: headers.get("x-gw-tags"),
  headers: Object.fromEntries(CALL_HEADERS.map((name) => [name, headers.get(name) ?? ""]).filter(([, text]) => text)),
});

import type { Source } from "../../files/vector-stores.ts";
import type { Connection } from "../../http/route.ts";

/** Where a call came from, for what is done in its name behind it. */
export const sourceOf = ({ remoteAddress }: Connection, { headers }: Request): Source => ({
  address: remoteAddress,
  userAgent: headers.get("user-agent"),
  tags: headers.get("x-gw-tags"),
});

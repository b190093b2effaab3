import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { Instant, isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const SessionView = Type.Object({
  id: Type.String(),
  current: Type.Boolean(),
  userAgent: Type.String(),
  address: Type.Union([Type.String(), Type.Null()]),
  createdAt: Instant,
  lastSeenAt: Instant,
  expiresAt: Instant,
});

export const listSessions = (sessions: Sessions) =>
  route({
    method: "GET",
    paths: ["/api/auth/sessions"],
    tag: "Account",
    summary: "List one's own sessions",
    auth: "session",
    success: Type.Object({ data: Type.Array(SessionView) }),
    errors: [],
    async handle({ caller }) {
      const rows = await sessions.list(caller);
      return json({
        data: rows.map(({ id, userAgent, address, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          current: id === caller.sessionId,
          userAgent,
          address,
          createdAt: isoTime(createdAt),
          lastSeenAt: isoTime(lastSeenAt),
          expiresAt: isoTime(expiresAt),
        })),
      });
    },
  });

import Type from "typebox";
import type { Sessions } from "../../accounts/sessions.ts";
import { cutPage, PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { Instant, isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const SessionView = Type.Object({
  id: Type.String(),
  current: Type.Boolean(),
  byAdministrator: Type.Boolean({
    description: "An administrator sees the platform as you in it; end it if you mind.",
  }),
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
    query: PageQuery,
    success: PagedList(SessionView),
    errors: [],
    async handle({ caller, query }) {
      const page = pageOf(query);
      const all = await sessions.list(caller);
      const rows = cutPage(all, page).map(
        ({ id, adminSessionId, userAgent, address, createdAt, lastSeenAt, expiresAt }) => ({
          id,
          current: id === caller.sessionId,
          byAdministrator: adminSessionId !== null,
          userAgent,
          address,
          createdAt: isoTime(createdAt),
          lastSeenAt: isoTime(lastSeenAt),
          expiresAt: isoTime(expiresAt),
        }),
      );
      return json(paged(rows, page, all.length));
    },
  });

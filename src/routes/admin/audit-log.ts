import Type from "typebox";
import type { AccountStores } from "../../accounts/store.ts";
import { PagedList, PageQuery, paged, pageOf } from "../../contract/paging.ts";
import { isoTime } from "../../contract/users.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

export const auditLog = (stores: AccountStores) =>
  route({
    method: "GET",
    paths: ["/api/admin/audit-logs"],
    tag: "Administration",
    summary: "Read who changed what",
    auth: "admin",
    query: Type.Object({
      ...PageQuery.properties,
      organizationId: Type.Optional(Type.String()),
      action: Type.Optional(Type.String()),
      userId: Type.Optional(Type.Integer({ minimum: 1 })),
    }),
    success: PagedList(Type.Object({}, { additionalProperties: true })),
    errors: [],
    async handle({ query }) {
      const page = pageOf(query);
      const { organizationId, action, userId } = query;
      const filter = {
        ...(organizationId === undefined ? {} : { organizationId }),
        ...(action === undefined ? {} : { action }),
        ...(userId === undefined ? {} : { userId }),
      };
      const { rows, total } = await stores.audit.list(filter, page);
      return json(
        paged(
          rows.map((row) => ({ ...row, at: isoTime(row.at) })),
          page,
          total,
        ),
      );
    },
  });

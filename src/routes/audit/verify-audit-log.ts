import Type from "typebox";
import { readSeal, SEAL_PATTERN, type Seal } from "../../accounts/audit-chain.ts";
import type { ChainReport } from "../../accounts/verify-audit-chain.ts";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";

const Nullable = <T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);

export const verifyAuditLogRoute = (verify: (noted: Seal | null) => Promise<ChainReport>) =>
  route({
    method: "GET",
    paths: ["/api/admin/audit-logs/verify"],
    tag: "Administration",
    summary: "Recompute the hashes of the audit log and tell what differs",
    description:
      "Takes as long as the log is large. Everything up to `verifiedUpTo` is as it was sealed; rows that are not sealed yet are " +
      "only counted. Whoever keeps `head` elsewhere can have it compared later, which finds rows that were cut off at the end.",
    auth: "admin",
    query: Type.Object({
      head: Type.Optional(
        Type.String({
          pattern: SEAL_PATTERN.source,
          maxLength: 90,
          description: "An end of the log that was told before, as `seq:hash`.",
        }),
      ),
    }),
    success: Type.Object({
      ok: Type.Boolean(),
      verifiedUpTo: Type.Integer(),
      removedUpTo: Type.Integer({ description: "Retention has removed the rows up to this one." }),
      sealed: Type.Integer(),
      unsealed: Type.Integer(),
      firstDifference: Nullable(Type.Object({ seq: Type.Integer(), id: Nullable(Type.String()), what: Type.String() })),
      differences: Type.Integer(),
      missingRows: Type.Integer(),
      missing: Type.Array(Type.Object({ from: Type.Integer(), to: Type.Integer() }), {
        description: "The first ranges of them.",
      }),
      noted: Nullable(Type.Enum(["found", "removed", "differs"])),
      head: Type.Object({ seq: Type.Integer(), hash: Type.String() }),
    }),
    errors: ["invalid_request"],
    handle: async ({ query }) => json(await verify(readSeal(query.head ?? ""))),
  });

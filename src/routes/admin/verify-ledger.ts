import Type from "typebox";
import { json } from "../../http/reply.ts";
import { route } from "../../http/route.ts";
import { isSound, type LedgerAudit } from "../../ledger/audit.ts";

export const verifyLedgerRoute = (audit: LedgerAudit, nowMs: () => number) =>
  route({
    method: "GET",
    paths: ["/api/admin/ledger/verify"],
    tag: "Administration",
    summary: "Recompute the books and tell what differs",
    description:
      "Takes as long as the books are large. `ok` is true when nothing differs; `unchecked` says what could not be looked at.",
    auth: "admin",
    success: Type.Object({
      ok: Type.Boolean(),
      findings: Type.Array(
        Type.Object({
          name: Type.String(),
          meaning: Type.String(),
          differences: Type.Array(Type.String()),
          unchecked: Type.Union([Type.String(), Type.Null()]),
        }),
      ),
    }),
    errors: [],
    async handle() {
      const findings = await audit.verify(nowMs());
      return json({ ok: isSound(findings), findings });
    },
  });

import type { Command } from "commander";
import type { Page } from "./api.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";

interface Guardrail {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly modes: readonly string[];
  readonly defaultOn: boolean;
  readonly action: string;
}

interface TriedOut {
  readonly action: string;
  readonly blocked: boolean;
  readonly findings: readonly {
    readonly category: string;
    readonly start: number | null;
    readonly end: number | null;
  }[];
  readonly maskedText: string | null;
}

/** What looks at requests and answers; it stands in the configuration file. */
export function addAdminGuardrails(admin: Command, act: Act): void {
  const guardrails = admin.command("guardrails").description("what looks at requests and answers");

  withPages(guardrails.command("list").description("list the guardrails of the configuration")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<Guardrail>>("/api/admin/guardrails", pageQuery(flags)), {
        NAME: ({ name }) => name,
        KIND: ({ kind }) => kind,
        LOOKS: ({ modes }) => modes.join(", "),
        ALWAYS: ({ defaultOn }) => (defaultOn ? "yes" : "no"),
        ACTION: ({ action }) => action,
      });
    }),
  );

  guardrails
    .command("test")
    .description("try a guardrail on a text: what it finds, and what would be sent")
    .argument("<name>", "the guardrail's name")
    .argument("<text>", "the text")
    .action(
      act(async ({ api, output }, _flags: object, name: string, text: string) => {
        const tried = await api.send<TriedOut>("POST", "/api/admin/guardrails/test", { name, text });
        output.record(tried, fieldsOf(tried), tried.blocked ? "refused" : (tried.maskedText ?? "passed"));
      }),
    );
}

const fieldsOf = (tried: TriedOut) => ({
  Result: tried.blocked ? "refused" : tried.findings.length === 0 ? "nothing found" : "masked",
  Found: tried.findings
    .map(({ category, start, end }) => (start === null ? category : `${category} ${start}-${end}`))
    .join(", "),
  "Sent as": tried.maskedText,
});

import type { Command } from "commander";
import type { Page } from "./api.ts";
import { usageError } from "./cli-error.ts";
import { type Act, type PageFlags, pageQuery, withPages } from "./context.ts";
import { readStdin } from "./prompt.ts";

interface Guardrail {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly modes: readonly string[];
  readonly defaultOn: boolean;
  readonly action: string;
  readonly reversible: boolean;
  readonly entities: readonly string[] | null;
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
        ACTION: ({ action, reversible }) =>
          action === "mask" && reversible ? `${action}, given back in answers` : action,
        "LOOKS FOR": ({ entities }) => entities?.join(", ") ?? null,
      });
    }),
  );

  guardrails
    .command("test")
    .description("try a guardrail on a text: what it finds, and what would be sent")
    .argument("<name>", "the guardrail's name")
    .argument("<text>", "the text; - reads what is piped in")
    .action(
      act(async ({ api, output }, _flags: object, name: string, given: string) => {
        const text = given === "-" ? await readStdin() : given;
        if (text.trim() === "") throw usageError("There is no text to look at.");
        const tried = await api.send<TriedOut>("POST", "/api/admin/guardrails/test", { name, text });
        output.record(tried, fieldsOf(tried), tried.blocked ? "refused" : (tried.maskedText ?? "passed"));
      }),
    );
}

function fieldsOf({ blocked, findings, maskedText }: TriedOut): Record<string, string | null> {
  const found = findings.map(({ category, start, end }) => (start === null ? category : `${category} ${start}-${end}`));
  if (blocked) return { Result: "refused", Found: found.join(", ") || "the text as a whole" };
  if (found.length === 0) return { Result: "nothing found; the text goes on unchanged" };
  return { Result: "masked", Found: found.join(", "), "Sent as": maskedText };
}

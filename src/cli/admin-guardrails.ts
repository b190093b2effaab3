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
  readonly source: string;
  readonly faults: readonly string[];
}

interface GuardrailDetails extends Guardrail {
  /** Null for one of the file. */
  readonly definition: object | null;
}

interface TestResult {
  readonly action: string;
  readonly blocked: boolean;
  readonly findings: readonly {
    readonly category: string;
    readonly start: number | null;
    readonly end: number | null;
  }[];
  readonly maskedText: string | null;
}

const PATH = "/api/admin/guardrails";
const pathOf = (name: string): string => `${PATH}/${encodeURIComponent(name)}`;

const NAME = "the guardrail's name";
const DEFINITION = `its settings as JSON, such as '{"guardrail": "pii"}'; - reads what is piped in`;

/** What looks at requests and answers: that of the configuration file, and what is kept while the server runs. */
export function addAdminGuardrails(admin: Command, act: Act): void {
  const guardrails = admin.command("guardrails").description("what looks at requests and answers");
  addReading(guardrails, act);
  addMaking(guardrails, act);
}

function addReading(guardrails: Command, act: Act): void {
  withPages(guardrails.command("list").description("list the guardrails, of the file and stored")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<Guardrail>>(PATH, pageQuery(flags)), {
        NAME: ({ name }) => name,
        KIND: ({ kind }) => kind,
        LOOKS: ({ modes }) => modes.join(", "),
        ALWAYS: ({ defaultOn }) => (defaultOn ? "yes" : "no"),
        ACTION: actionOf,
        "LOOKS FOR": ({ entities }) => entities?.join(", ") ?? null,
        SOURCE: ({ source, faults }) => (faults.length > 0 ? `${source}, out of use` : source),
      });
    }),
  );

  guardrails
    .command("show")
    .description("show a guardrail")
    .argument("<name>", NAME)
    .action(
      act(async ({ api, output }, _flags: object, name: string) => {
        const seen = await api.get<GuardrailDetails>(pathOf(name));
        output.record(seen, detailsOf(seen), seen.name);
      }),
    );

  guardrails
    .command("test")
    .description("try a guardrail on a text: what it finds, and what would be sent")
    .argument("<name>", NAME)
    .argument("<text>", "the text; - reads what is piped in")
    .action(
      act(async ({ api, output }, _flags: object, name: string, given: string) => {
        const text = given === "-" ? await readStdin() : given;
        if (text.trim() === "") throw usageError("There is no text to look at.");
        const tried = await api.send<TestResult>("POST", `${PATH}/test`, { name, text });
        output.record(tried, fieldsOf(tried), tried.blocked ? "refused" : (tried.maskedText ?? "passed"));
      }),
    );
}

function addMaking(guardrails: Command, act: Act): void {
  guardrails
    .command("add")
    .alias("create")
    .description("add a guardrail, which looks at calls from then on")
    .argument("<name>", NAME)
    .argument("<definition>", DEFINITION)
    .action(
      act(async ({ api, output }, _flags: object, name: string, given: string) => {
        const made = await api.send<Guardrail>("POST", PATH, { name, definition: await readDefinition(given) });
        output.done(made, `${made.name} is kept${made.defaultOn ? " and looks at every call" : ""}.`);
      }),
    );

  guardrails
    .command("update")
    .description("give a stored guardrail other settings in place of all that it has")
    .argument("<name>", NAME)
    .argument("<definition>", DEFINITION)
    .action(
      act(async ({ api, output }, _flags: object, name: string, given: string) => {
        const { info } = await api.get<{ info: object }>(pathOf(name));
        const body = { definition: await readDefinition(given), info };
        output.done(await api.send<Guardrail>("PUT", pathOf(name), body), `${name} is changed.`);
      }),
    );

  guardrails
    .command("remove")
    .alias("delete")
    .description("remove a stored guardrail; keys and teams that name it cannot call until it is taken off them")
    .argument("<name>", NAME)
    .action(
      act(async ({ api, output, prompt }, _flags: object, name: string) => {
        await prompt.confirm(`Remove the guardrail ${name}`);
        output.done(await api.send<object>("DELETE", pathOf(name), undefined), `${name} is removed.`);
      }),
    );
}

async function readDefinition(given: string): Promise<unknown> {
  const text = given === "-" ? await readStdin() : given;
  try {
    return JSON.parse(text);
  } catch {
    throw usageError("The definition is no JSON.");
  }
}

/** Only what is masked in a request is put back; one that watches changes nothing but what is stored. */
function actionOf({ action, reversible, modes }: Guardrail): string {
  if (modes.every((mode) => mode === "logging_only")) return action === "mask" ? "mask in logs" : "watch";
  return action === "mask" && reversible && modes.includes("pre_call") ? `${action}, given back in answers` : action;
}

const detailsOf = (seen: GuardrailDetails): Record<string, string | null> => ({
  Name: seen.name,
  Kind: seen.kind,
  Looks: seen.modes.join(", "),
  Always: seen.defaultOn ? "yes" : "no",
  Action: actionOf(seen),
  // Other kinds look for what their definition says.
  ...(seen.entities ? { "Looks for": seen.entities.join(", ") } : {}),
  Source: seen.source,
  "Out of use": seen.faults.join(" ") || null,
  Definition: seen.definition === null ? "in the configuration file" : JSON.stringify(seen.definition),
});

function fieldsOf({ blocked, findings, maskedText }: TestResult): Record<string, string | null> {
  const found = findings.map(({ category, start, end }) => (start === null ? category : `${category} ${start}-${end}`));
  if (blocked) return { Result: "refused", Found: found.join(", ") || "the text as a whole" };
  if (found.length === 0) return { Result: "nothing found; the text goes on unchanged" };
  return { Result: "masked", Found: found.join(", "), "Sent as": maskedText };
}

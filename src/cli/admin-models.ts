import { type Command, InvalidArgumentError, Option } from "commander";
import { COMMAND } from "../lib/command-name.ts";
import type { Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, withPages } from "./context.ts";
import { immodestPrices, type Priced, priceWords, remarkInFlags } from "./model-words.ts";
import type { Output } from "./output.ts";
import { addImportPrices } from "./prices/import-prices.ts";
import { addModelTable } from "./prices/model-table.ts";
import { readStdin } from "./prompt.ts";
import { requireChanges } from "./require-changes.ts";

interface Model {
  readonly id: string;
  readonly name: string;
  readonly provider: string;
  readonly inferenceModelId?: string;
  readonly type?: string;
  readonly source: string;
  readonly status: string;
  readonly faults: readonly string[];
  readonly warnings?: readonly string[];
  readonly pricing?: readonly Priced[];
  readonly priceStatus?: string;
}

interface ModelFlags {
  readonly name?: string;
  readonly type?: string;
  readonly apiKeyStdin?: boolean;
  readonly apiBase?: string;
  readonly credential?: string;
  readonly accessGroups?: string[];
  readonly price?: Readonly<Record<string, string>>;
  readonly param?: Readonly<Record<string, string>>;
  readonly info?: Readonly<Record<string, string>>;
}

const MODEL = "its id, or its name where that is clear";

/** The models of the installation, for its administrators. */
export function addAdminModels(models: Command, act: Act): void {
  addReading(models, act);
  addMaking(models, act);
  addImportPrices(models, act);
  addModelTable(models, act);
  addSwitch(models, act, "enable", "take a stored model into use again", "enabled");
  addSwitch(models, act, "disable", "take a stored model out of use", "disabled");

  models
    .command("remove")
    .alias("delete")
    .description("remove a stored model")
    .argument("<model>", MODEL)
    .action(
      act(async ({ api, output, prompt }, _: object, wanted: string) => {
        const { id, name } = await findModel({ api }, wanted);
        await prompt.confirm(`Remove the model ${name} (${id})`);
        output.done(await api.send<object>("DELETE", modelPath(id), undefined), `${name} is removed.`);
      }),
    );
}

function addReading(models: Command, act: Act): void {
  withPages(models.command("list").description("list every model, of the configuration file and stored"))
    .option("--search <text>", "part of the name or id")
    .option("--provider <id>", "only those of one provider")
    .addOption(new Option("--source <where>", "where it is kept").choices(["configuration", "built-in", "database"]))
    .action(
      act(async ({ api, output }, flags: PageFlags & { search?: string; provider?: string; source?: string }) => {
        const { search, provider, source } = flags;
        output.list(
          await api.get<Page<Model>>("/api/admin/models", { ...pageQuery(flags), search, provider, source }),
          {
            ID: ({ id }) => id,
            NAME: ({ name }) => name,
            PROVIDER: ({ provider: of }) => of,
            MODEL: ({ inferenceModelId }) => inferenceModelId ?? null,
            SOURCE: ({ source: where }) => where,
            STATUS: ({ status, faults }) => (faults.length > 0 ? "faulty" : status),
          },
        );
      }),
    );

  models
    .command("test")
    .description("call a model once")
    .argument("<model>", MODEL)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const { id, name } = await findModel({ api }, wanted);
        const result = await api.send<{ ok: boolean; latencyMs: number; error: string | null; kind: string | null }>(
          "POST",
          `${modelPath(id)}/test`,
        );
        if (!result.ok) throw new CliError(EXIT.error, result.kind ?? "FAILED", `${name}: ${result.error}`);
        output.record(result, { Model: name, Result: "ok", Latency: `${result.latencyMs} ms` }, result.latencyMs);
      }),
    );
}

function addMaking(models: Command, act: Act): void {
  withSettings(models.command("add").alias("create").description("add a model"))
    .argument("<provider>", "such as openai")
    .argument("<model>", "its name at the provider")
    .action(
      act(async ({ api, output }, flags: ModelFlags, provider: string, inferenceModelId: string) => {
        const body = { provider, inferenceModelId, ...(await settingsOf(flags)) };
        const made = await api.send<Model>("POST", "/api/admin/models", body);
        output.record(made, { Id: made.id, Name: made.name, Provider: made.provider, Status: made.status }, made.id);
        tellPrices(output, made);
        tellRemarks(output, made);
        output.note(`Try it with: ${COMMAND} admin models test ${made.id}`);
      }),
    );

  withSettings(models.command("update").description("change a stored model"))
    .argument("<model>", MODEL)
    .option("--upstream <model>", "another model of the provider")
    .action(
      act(async ({ api, output }, flags: ModelFlags & { upstream?: string }, wanted: string) => {
        const { upstream } = flags;
        const body = requireChanges("admin models update", {
          ...(await settingsOf(flags)),
          ...(upstream === undefined ? {} : { inferenceModelId: upstream }),
        });
        const { id } = await findModel({ api }, wanted);
        const model = await api.send<Model>("PUT", modelPath(id), body);
        tellPrices(output, model);
        tellRemarks(output, model);
        output.done(model, `${model.name} is changed.`);
      }),
    );
}

function addSwitch(models: Command, act: Act, verb: string, what: string, status: string): void {
  models
    .command(verb)
    .description(what)
    .argument("<model>", MODEL)
    .action(
      act(async ({ api, output }, _: object, wanted: string) => {
        const { id } = await findModel({ api }, wanted);
        const model = await api.send<Model>("PUT", modelPath(id), { status });
        tellRemarks(output, model);
        output.done(model, `${model.name} is ${model.status}.`);
      }),
    );
}

function tellPrices(output: Output, { pricing = [], priceStatus }: Model): void {
  const price = priceStatus === "free" ? "Price: free." : priceWords(pricing);
  if (price !== null) output.note(price);
  const immodest = immodestPrices(pricing);
  if (immodest !== null && priceStatus !== "free") output.note(`Note: ${immodest}`);
}

function tellRemarks(output: Output, { warnings = [] }: Model): void {
  for (const warning of warnings) output.note(`Note: ${remarkInFlags(warning)}`);
}

const withSettings = (command: Command): Command =>
  command
    .option("--name <name>", "the name that callers use")
    .option("--type <type>", "what it is for, such as chat or embedding")
    .option("--api-key-stdin", "read the provider's key from stdin")
    .option("--api-base <url>", "where it is reached")
    .option("--credential <name>", "a kept credential whose values it takes over")
    .option("--access-groups <names...>", "groups that a list of allowed models may name, such as beta")
    .option("--price <component=usd...>", "USD per token or other unit, such as input=0.0000025", readPairs)
    .option("--param <name=value...>", "a parameter as in the configuration file, such as rpm=100", readPairs)
    .option("--info <name=value...>", "a field of model_info, such as free=true", readPairs);

/** Values of one option that may be given several times. */
export function readPairs(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be name=value.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

async function settingsOf(flags: ModelFlags): Promise<Record<string, unknown>> {
  const { name, type, apiBase, credential: credentialName, accessGroups, price, param, info } = flags;
  const apiKey = flags.apiKeyStdin ? await readSecret() : undefined;
  const fields = { name, type, apiKey, apiBase, credentialName, accessGroups };
  const all = { ...fields, prices: price, params: param, info };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

export async function readSecret(): Promise<string> {
  const secret = (await readStdin()).trim();
  if (secret === "") throw usageError("There is no key on stdin.", "Pipe it in, such as: --api-key-stdin < key.txt");
  return secret;
}

const modelPath = (id: string): string => `/api/admin/models/${encodeURIComponent(id)}`;

async function findModel({ api }: Pick<Context, "api">, wanted: string): Promise<Model> {
  const models = await api.getAll<Model>("/api/admin/models", { search: wanted.slice(0, 100) });
  const byId = models.find(({ id }) => id === wanted);
  if (byId) return byId;
  const byName = models.filter(({ name }) => name === wanted);
  const stored = byName.filter(({ source }) => source === "database");
  const [found, second] = stored.length > 0 ? stored : byName;
  if (second) throw usageError(`${byName.length} models are called "${wanted}".`, "Name it by its id.");
  if (found) return found;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no model "${wanted}".`, {
    hint: `See: ${COMMAND} admin models list`,
  });
}

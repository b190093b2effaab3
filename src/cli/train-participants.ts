import type { Command } from "commander";
import type { ParticipantRecord } from "../contract/training.ts";
import type { Api, Page } from "./api.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, type PageFlags, pageQuery, readCount, withPages } from "./context.ts";
import { requireChanges } from "./require-changes.ts";

const PATH = "/api/training/participants";
const NAME = "its name or id";
const TOKEN_ENV = "the variable that holds its token";

interface Fields {
  readonly tokenEnv?: string;
  readonly maxExamples?: number;
  readonly address?: string;
}

/** `train participants ...`: who trains for the organization. */
export function addParticipants(participants: Command, act: Act): void {
  withPages(participants.command("list").description("list them")).action(
    act(async ({ api, output }, flags: PageFlags) => {
      output.list(await api.get<Page<ParticipantRecord>>(PATH, pageQuery(flags)), {
        ID: ({ id }) => id,
        NAME: ({ name }) => name,
        ADDRESS: ({ url }) => url,
        TOKEN: ({ hasToken }) => (hasToken ? "kept" : null),
        WELL: ({ probe }) => (probe === null ? null : probe.ok ? "yes" : probe.detail),
      });
    }),
  );

  participants
    .command("add")
    .description("register one")
    .argument("<name>", "what plans call it")
    .argument("<url>", "where it is reached")
    .option("--token-env <variable>", TOKEN_ENV)
    .option("--max-examples <number>", "it counts for no more", readCount)
    .action(
      act(async (context, { tokenEnv, maxExamples }: Fields, name: string, url: string) => {
        const token = tokenEnv === undefined ? undefined : tokenOf(context.env, tokenEnv);
        const made = await context.api.send<ParticipantRecord>("POST", PATH, { name, url, token, maxExamples });
        show(context, made);
      }),
    );

  participants
    .command("update")
    .description("change one")
    .argument("<participant>", NAME)
    .option("--address <url>", "where it is reached now; the token has to be given again with it")
    .option("--token-env <variable>", TOKEN_ENV)
    .option("--max-examples <number>", "it counts for no more", readCount)
    .action(
      act(async (context, { address: url, tokenEnv, maxExamples }: Fields, named: string) => {
        const token = tokenEnv === undefined ? undefined : tokenOf(context.env, tokenEnv);
        const changes = requireChanges("train participants update", { url, token, maxExamples });
        const { id } = await findParticipant(context.api, named);
        show(context, await context.api.send<ParticipantRecord>("PATCH", `${PATH}/${id}`, changes));
      }),
    );

  participants
    .command("probe")
    .description("ask one how it is; ends with 1 when it is not well")
    .argument("<participant>", NAME)
    .action(
      act(async (context, _: object, named: string) => {
        const { id } = await findParticipant(context.api, named);
        const found = await context.api.send<ParticipantRecord>("POST", `${PATH}/${id}/probe`, undefined);
        show(context, found);
        if (!found.probe?.ok) {
          throw new CliError(EXIT.error, "PARTICIPANT_ERROR", `${found.name} is not well: ${found.probe?.detail}`);
        }
      }),
    );

  participants
    .command("remove")
    .description("remove one")
    .argument("<participant>", NAME)
    .action(
      act(async ({ api, output, prompt }, _: object, named: string) => {
        const { id, name } = await findParticipant(api, named);
        await prompt.confirm(`Remove ${name}`);
        output.done(await api.send<object>("DELETE", `${PATH}/${id}`, undefined), `${name} is removed.`);
      }),
    );
}

/** All of them: an organization has two hundred at most. */
export const listParticipants = (api: Api): Promise<readonly ParticipantRecord[]> =>
  api.getAll<ParticipantRecord>(PATH);

async function findParticipant(api: Api, named: string): Promise<ParticipantRecord> {
  const found = (await listParticipants(api)).find(({ id, name }) => id === named || name === named);
  if (found) return found;
  throw new CliError(EXIT.notFound, "NOT_FOUND", `There is no participant ${named}.`);
}

export function tokenOf(env: Context["env"], variable: string): string {
  const token = env[variable];
  if (token) return token;
  throw usageError(`The variable ${variable} is not set.`);
}

function show({ output }: Context, made: ParticipantRecord): void {
  const { id, name, url, hasToken, maxExamples, probe } = made;
  const fields = {
    Name: name,
    Address: url,
    Token: hasToken ? "kept" : null,
    "Counts at most": maxExamples,
    Well: probe === null ? null : probe.ok ? `yes (${probe.detail})` : probe.detail,
    Id: id,
  };
  output.record(made, fields, id);
}

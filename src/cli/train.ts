import type { Command } from "commander";
import { Option } from "commander";
import {
  type RoundView,
  RUN_STATUSES,
  type RunDetails,
  type RunRecord,
  type StrategyRecord,
} from "../contract/training.ts";
import { COMMAND } from "../lib/command-name.ts";
import { PAGE_SIZE, type Page } from "./api.ts";
import { type Act, type Context, type PageFlags, pageQuery, readCount, withPages } from "./context.ts";
import { download } from "./download.ts";
import { addParticipants } from "./train-participants.ts";
import { runRemotely, watchRun } from "./train-remotely.ts";

const RUN = "the run's id";
/** Models may be large. */
const DOWNLOAD_TIMEOUT_MS = 60 * 60 * 1000;

/** Trainings that a server carries out; `train run` without --server is the server's half of the program. */
export function addTrain(program: Command, act: Act): void {
  const train = program.commands.find((command) => command.name() === "train") ?? program.command("train");
  // The server's half made the group, before there were the options, exit codes and errors that all commands of the client have.
  for (const command of [train, ...train.commands]) command.copyInheritedSettings(program);
  train.commands
    .find((command) => command.name() === "run")
    ?.action(
      act((context, flags: { detach?: boolean }, file: string) => runRemotely(context, file, flags.detach === true)),
    );
  train.commands
    .find((command) => command.name() === "rollback")
    ?.action(act((context, flags: { round: number }, id: string) => rollBackRun(context, id, flags.round)));
  addReading(train, act);
  addControl(train, act);
  addFiles(train, act);
  addParticipants(train.command("participants").description("who trains for the organization"), act);
}

function addReading(train: Command, act: Act): void {
  withPages(train.command("list").description("list the runs of the organization, the newest first"))
    .addOption(new Option("--status <status>", "only those").choices(RUN_STATUSES))
    .action(
      act(async ({ api, output }, flags: PageFlags & { status?: string }) => {
        const query = { ...pageQuery(flags), status: flags.status };
        output.list(await api.get<Page<RunRecord>>("/api/training/runs", query), {
          ID: ({ id }) => id,
          NAME: ({ name }) => name,
          STATUS: ({ status }) => status,
          ROUNDS: ({ rounds, roundsDone }) => `${roundsDone}/${rounds}`,
          STRATEGY: ({ strategy }) => strategy,
          STARTED: ({ createdAt }) => createdAt,
        });
      }),
    );

  train
    .command("show")
    .description("show a run")
    .argument("<run>", RUN)
    .action(
      act(async ({ api, output }, _: object, id: string) => {
        const run = await api.get<RunDetails>(pathOf(id));
        const fields = {
          Name: run.name,
          Status: run.status,
          Reason: run.reason,
          Rounds: `${run.roundsDone} of ${run.rounds}`,
          Strategy: run.strategy,
          Participants: run.participants.join(", "),
          Started: run.startedAt,
          Ended: run.endedAt,
          Id: run.id,
        };
        output.record(run, fields, run.status);
      }),
    );

  withPages(train.command("rounds").description("list the finished rounds of a run, the newest first"))
    .argument("<run>", RUN)
    .action(
      act(async ({ api, output }, flags: PageFlags, id: string) => {
        const { data, meta } = await api.get<Page<RoundView>>(`${pathOf(id)}/rounds`, pageQuery(flags));
        const page = { data: data.map((round) => ({ ...round, id: round.round })), meta };
        output.list(page, {
          ROUND: ({ round }) => round,
          ACCURACY: ({ accuracy }) => accuracy?.toFixed(4) ?? null,
          LOSS: ({ loss }) => loss?.toFixed(4) ?? null,
          COUNTED: ({ replies }) => replies.filter(({ counted }) => counted).length,
          DROPPED: ({ dropped }) => dropped.map(({ participant }) => participant).join(" ") || null,
          "NOT EVALUATED": ({ evaluationFailures = [] }) =>
            evaluationFailures.map(({ participant, reason }) => `${participant}: ${reason}`).join("; ") || null,
          MODEL: ({ modelOut }) => modelOut,
        });
      }),
    );

  train
    .command("watch")
    .description("show every round of a run as it is finished; ends with 1 when the run is paused or cancelled")
    .argument("<run>", RUN)
    .action(act((context, _: object, id: string) => watchRun(context, id)));

  train
    .command("strategies")
    .description("list the strategies that a plan may name")
    .action(
      act(async ({ api, output }) => {
        const { data } = await api.get<{ data: StrategyRecord[] }>("/api/training/strategies", { pageSize: PAGE_SIZE });
        const rows = data.map((strategy) => ({ ...strategy, id: strategy.name }));
        output.listAll(rows, {
          NAME: ({ name }) => name,
          NEEDS: ({ updatesMin }) => updatesMin,
          SETTINGS: ({ settings }) => settings.map(({ name }) => name).join(" ") || null,
          ABOUT: ({ summary }) => summary,
        });
      }),
    );
}

const CONTROLS = [
  ["pause", "pause a run; what was answered is kept", "The run is paused."],
  ["resume", "go on with a paused run", "The run goes on."],
  ["cancel", "end a run", "The run is cancelled."],
] as const;

function addControl(train: Command, act: Act): void {
  for (const [verb, description, sentence] of CONTROLS) {
    train
      .command(verb)
      .description(description)
      .argument("<run>", RUN)
      .action(
        act(async ({ api, output, prompt }, _: object, id: string) => {
          if (verb === "cancel") await prompt.confirm(`Cancel ${id}; it cannot be taken up again`);
          output.done(await api.send<RunRecord>("POST", `${pathOf(id)}/${verb}`, undefined), sentence);
        }),
      );
  }
  train
    .command("delete")
    .description("delete a run that has ended, with its rounds and models")
    .argument("<run>", RUN)
    .action(
      act(async ({ api, output, prompt }, _: object, id: string) => {
        await prompt.confirm(`Delete ${id} with its models`);
        output.done(await api.send<object>("DELETE", pathOf(id), undefined), "The run is deleted.");
      }),
    );
}

/** `train rollback RUN --round 3`, for a run on the server. A local run is the server's half of the program. */
async function rollBackRun({ api, output, prompt }: Context, id: string, round: number): Promise<void> {
  await prompt.confirm(`Return ${id} to round ${round}; the rounds after it and their models are removed`);
  const run = await api.send<RunRecord>("POST", `${pathOf(id)}/rollback`, { round });
  output.done(run, `The run is paused after round ${round}. ${COMMAND} train resume ${id} continues it.`);
}

function addFiles(train: Command, act: Act): void {
  const save = (name: "model" | "report", description: string): Command =>
    train
      .command(name)
      .description(description)
      .argument("<run>", RUN)
      .requiredOption("--out <file>", "where to write it");

  save("model", "download the model of a run")
    .option("--round <number>", "of this round; the newest unless told", readCount)
    .action(
      act(async ({ api, output }, { out, round }: { out: string; round?: number }, id: string) => {
        const query = round === undefined ? "" : `?round=${round}`;
        const call = { bearer: await api.token(), timeoutMs: DOWNLOAD_TIMEOUT_MS };
        const response = await api.fetch(`${pathOf(id)}/model${query}`, call);
        // A proxy that packs what passes makes it a weak one, and some have their own.
        const told = /^(?:W\/)?"([0-9a-f]{64})"$/.exec(response.headers.get("etag") ?? "")?.[1] ?? null;
        const { bytes, sha256 } = await download(api, response, out, told);
        output.record({ file: out, bytes, sha256 }, { File: out, Bytes: bytes, "SHA-256": sha256 }, out);
      }),
    );

  save("report", "download the report of a run, an HTML page").action(
    act(async ({ api, output }, { out }: { out: string }, id: string) => {
      const response = await api.fetch(`${pathOf(id)}/report`, { bearer: await api.token() });
      const { bytes } = await download(api, response, out, null);
      output.record({ file: out, bytes }, { File: out, Bytes: bytes }, out);
    }),
  );
}

const pathOf = (id: string): string => `/api/training/runs/${encodeURIComponent(id)}`;

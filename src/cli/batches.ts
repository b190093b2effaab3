import { type Command, Option } from "commander";
import { BATCH_ENDPOINTS, type BatchAnswer } from "../contract/batches.ts";
import { COMMAND } from "../lib/command-name.ts";
import { sleep } from "../lib/sleep.ts";
import { Absence } from "./absence.ts";
import { PAGE_SIZE } from "./api.ts";
import { KEY_FLAG, KEYLESS_HINT, withKey } from "./call-with-key.ts";
import { CliError, EXIT, usageError } from "./cli-error.ts";
import { type Act, type Context, readCount } from "./context.ts";
import { download, print } from "./download.ts";
import type { Columns } from "./output.ts";
import { patiently } from "./patiently.ts";
import { requireFolder } from "./require-folder.ts";

const LOOK_MIN_MS = 500;
const LOOK_MAX_MS = 5_000;
const FILE_TIMEOUT_MS = 60 * 60 * 1000;

interface KeyFlags {
  readonly key?: string;
}
type WaitFlags = KeyFlags & { readonly wait?: boolean };
type OutputFlags = WaitFlags & { readonly out?: string; readonly errors?: boolean };

interface BatchPage {
  readonly data: readonly BatchAnswer[];
  readonly has_more: boolean;
}

const COLUMNS: Columns<BatchAnswer> = {
  ID: ({ id }) => id,
  STATUS: ({ status }) => status,
  ENDPOINT: ({ endpoint }) => endpoint,
  LINES: ({ request_counts: { total } }) => total,
  ANSWERED: ({ request_counts: { completed } }) => completed,
  FAILED: ({ request_counts: { failed } }) => failed,
  CREATED: ({ created_at }) => timeText(created_at),
};

/** Files of calls that the server carries out by itself. They belong to the team of a key, and are seen with one. */
export function addBatches(program: Command, act: Act): void {
  const batches = program.command("batches").description("files of calls that are carried out in the background");
  batches
    .command("list")
    .description("list the batches of the key's team, the newest first")
    .option(...KEY_FLAG)
    .option("--limit <number>", `how many, 1 to ${PAGE_SIZE}`, readCount)
    .option("--after <batch>", "only those that are older than this one")
    .action(act(listBatches));

  withBatch(batches.command("show").alias("get").description("show how far a batch has come"))
    .option("--wait", "wait until it is over; fails unless it is completed")
    .action(
      act((context, { key, wait }: WaitFlags, id: string) =>
        withKey(context, key, KEYLESS_HINT, async (bearer) =>
          show(context, bearer, await getBatch(context, bearer, id), wait),
        ),
      ),
    );

  batches
    .command("create")
    .description("upload a file of calls and have them carried out")
    .argument("<file>", "a line of JSON for each call: custom_id, method, url, body; - reads what is piped in")
    .option(...KEY_FLAG)
    .addOption(
      new Option("--endpoint <path>", "what its lines call").choices(BATCH_ENDPOINTS).default(BATCH_ENDPOINTS[0]),
    )
    .option("--wait", "wait until it is over; fails unless it is completed")
    .action(
      act((context, { key, endpoint, wait }: WaitFlags & { endpoint: string }, file: string) =>
        withKey(context, key, KEYLESS_HINT, async (bearer) =>
          show(context, bearer, await createBatch(context, bearer, file, endpoint), wait),
        ),
      ),
    );

  withBatch(batches.command("cancel").description("have no further line of a batch called")).action(
    act((context, { key }: KeyFlags, id: string) =>
      withKey(context, key, KEYLESS_HINT, async (bearer) => {
        const batch = await context.api.call<BatchAnswer>(`${pathOf(id)}/cancel`, { method: "POST", bearer });
        context.output.done(batch, `${batch.id} is ${batch.status}.`);
      }),
    ),
  );

  withBatch(batches.command("output").alias("download").description("write what came of the calls, a line each"))
    .option("--out <file>", "where to write it; stdout unless told")
    .option("--errors", "the lines that failed, or were not called, in place of those that were answered")
    .option("--wait", "wait until the batch is over")
    .action(
      act((context, flags: OutputFlags, id: string) =>
        withKey(context, flags.key, KEYLESS_HINT, (bearer) => writeOutput(context, bearer, id, flags)),
      ),
    );
}

const withBatch = (command: Command): Command => command.argument("<batch>", "its id").option(...KEY_FLAG);

const pathOf = (id: string): string => `/v1/batches/${encodeURIComponent(id)}`;

const getBatch = ({ api }: Pick<Context, "api">, bearer: string, id: string): Promise<BatchAnswer> =>
  api.call<BatchAnswer>(pathOf(id), { bearer });

type ListFlags = KeyFlags & { readonly limit?: number; readonly after?: string };

/** Lists of the gateway's interface have no numbers of pages: each goes on behind the last one that was seen. */
async function listBatches(context: Context, { key, limit, after }: ListFlags): Promise<void> {
  const { api, output } = context;
  const isWhole = (output.format === "jsonl" || output.format === "csv") && limit === undefined;
  await withKey(context, key, KEYLESS_HINT, async (bearer) => {
    for (let from = after; ; ) {
      const query = new URLSearchParams({ limit: String(limit ?? PAGE_SIZE), ...(from && { after: from }) });
      const page = await patiently(() => api.call<BatchPage>(`/v1/batches?${query}`, { bearer }));
      const last = page.data.at(-1);
      if (output.format === "json") output.data(JSON.stringify(page));
      else if (isWhole) output.stream(page.data, COLUMNS);
      else output.listAll(page.data, COLUMNS);
      if (!page.has_more || !last) return;
      if (!isWhole) return output.note(`There are more; --after ${last.id} goes on.`);
      await output.drained();
      from = last.id;
    }
  });
}

async function createBatch(
  { api, output }: Context,
  bearer: string,
  file: string,
  endpoint: string,
): Promise<BatchAnswer> {
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", await contentOf(file), file === "-" ? "stdin.jsonl" : file);
  const upload = { method: "POST", body: form, bearer, timeoutMs: FILE_TIMEOUT_MS };
  const { id } = await api.call<{ readonly id: string }>("/v1/files", upload);
  const body = { input_file_id: id, endpoint, completion_window: "24h" };
  const batch = await api.call<BatchAnswer>("/v1/batches", { method: "POST", body, bearer });
  output.debug(`${file} is ${id}`);
  return batch;
}

async function contentOf(file: string): Promise<Blob> {
  if (file === "-") return new Blob([await Bun.stdin.bytes()]);
  const content = Bun.file(file);
  // A folder and what may not be read are found out here, in words of ours.
  await content
    .slice(0, 1)
    .bytes()
    .catch(() => {
      throw usageError(`${file} cannot be read.`, "Check its name and who may read it.");
    });
  return content;
}

async function show(context: Context, bearer: string, batch: BatchAnswer, wait = false): Promise<void> {
  if (wait && isOpen(batch)) context.output.note(`The batch is ${batch.id}; it goes on when this command ends.`);
  const shown = wait ? await waitFor(context, bearer, batch) : batch;
  context.output.record(shown, fieldsOf(shown), shown.id);
  if (!wait) return;
  requireCompleted(shown);
  const { completed, failed } = shown.request_counts;
  if (completed > 0) context.output.note(`What came of it: ${COMMAND} batches output ${shown.id}`);
  if (failed > 0) context.output.note(`What failed: ${COMMAND} batches output ${shown.id} --errors`);
}

/** Tells how far it is whenever that has changed. A server that is started again goes on with it. */
async function waitFor(context: Context, bearer: string, batch: BatchAnswer): Promise<BatchAnswer> {
  const { output } = context;
  const absence = new Absence(output);
  let [found, told] = [batch, ""];
  for (let looks = 1; ; looks++) {
    const text = progressText(found);
    if (text !== told) output.note(text);
    told = text;
    if (!isOpen(found)) return found;
    await sleep(Math.min(LOOK_MAX_MS, looks * LOOK_MIN_MS));
    try {
      found = await patiently(() => getBatch(context, bearer, batch.id));
      absence.isOver();
    } catch (thrown) {
      await absence.wait(thrown);
    }
  }
}

async function writeOutput(context: Context, bearer: string, id: string, flags: OutputFlags): Promise<void> {
  const { api, output } = context;
  const { out, errors = false, wait } = flags;
  if (out !== undefined) requireFolder(out);
  const found = await getBatch(context, bearer, id);
  const batch = wait ? await waitFor(context, bearer, found) : found;
  const file = errors ? batch.error_file_id : batch.output_file_id;
  if (file === null) throw nothingToWrite(batch, errors);
  const path = `/v1/files/${encodeURIComponent(file)}/content`;
  const response = await api.fetch(path, { bearer, timeoutMs: FILE_TIMEOUT_MS });
  if (out === undefined) return print(api, response);
  const written = await download(api, response, out, null);
  output.record({ file: out, ...written }, { File: out, Bytes: written.bytes }, out);
}

function nothingToWrite(batch: BatchAnswer, errors: boolean): CliError {
  if (isOpen(batch)) {
    const hint = "--wait waits until it is over.";
    return new CliError(EXIT.error, "BATCH_NOT_OVER", `The batch is ${batch.status}.`, { hint });
  }
  const other = errors ? batch.output_file_id : batch.error_file_id;
  const hint =
    other === null
      ? `\`${COMMAND} batches show ${batch.id}\` tells why.`
      : errors
        ? "Leave out --errors for what was answered."
        : "--errors writes those that failed.";
  const what = errors ? "has no line that failed" : "has no line that was answered";
  return new CliError(EXIT.notFound, "NO_OUTPUT", `The batch ${what}; it is ${batch.status}.`, { hint });
}

function requireCompleted({ id, status, error_file_id }: BatchAnswer): void {
  if (status === "completed") return;
  const hint = error_file_id === null ? {} : { hint: `What failed: ${COMMAND} batches output ${id} --errors` };
  throw new CliError(EXIT.error, "BATCH_NOT_COMPLETED", `The batch is ${status}.`, hint);
}

const OVER: ReadonlySet<string> = new Set(["completed", "failed", "expired", "cancelled"]);
const isOpen = ({ status }: BatchAnswer): boolean => !OVER.has(status);

function progressText({ status, request_counts: { total, completed, failed } }: BatchAnswer): string {
  return total === 0 ? status : `${status}: ${completed + failed} of ${total}, ${failed} failed`;
}

function fieldsOf(batch: BatchAnswer): Record<string, string | number | null> {
  const { total, completed, failed } = batch.request_counts;
  return {
    Batch: batch.id,
    Status: batch.status,
    Endpoint: batch.endpoint,
    Lines: total,
    Answered: completed,
    Failed: failed,
    Created: timeText(batch.created_at),
    Until: batch.expires_at === null ? null : timeText(batch.expires_at),
    Input: batch.input_file_id,
    Output: batch.output_file_id,
    Errors: batch.error_file_id,
    ...Object.fromEntries(
      (batch.errors?.data ?? []).map(({ line, message }, at) => [
        `Fault ${at + 1}`,
        line === null ? message : `line ${line}: ${message}`,
      ]),
    ),
  };
}

const timeText = (seconds: number): string => new Date(seconds * 1000).toISOString();

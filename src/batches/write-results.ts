import type { BatchDeps } from "./batch-deps.ts";
import type { BatchInput } from "./batch-input.ts";
import { outcomeOf } from "./batch-states.ts";
import type { Batch } from "./records.ts";
import { uncalledLine } from "./result-lines.ts";

/** Results that are in memory at one time. */
const PART = 50;

/** Writes the files of a batch of which no line is called any more. Gives how many lines nobody called. */
export async function writeResults(deps: BatchDeps, batch: Batch, input: BatchInput | null): Promise<number> {
  const { asked, completed, failed } = batch;
  const done = new Set(await deps.store.listDone(batch.id));
  const uncalled = batch.total === 0 ? [] : (input?.lines ?? []).filter((line) => !done.has(line));
  const write = (id: string, name: string, texts: AsyncGenerator<string>) =>
    deps.files.write(batch, {
      id,
      name: `${batch.id}_${name}.jsonl`,
      expiresAfterMs: asked.outputExpiresAfterMs,
      bytes: streamOf(texts),
    });
  if (completed > 0) await write(asked.outputFileId, "output", kept(deps, batch, false));
  if (failed + uncalled.length > 0) await write(asked.errorFileId, "error", errors(deps, batch, input, uncalled));
  return uncalled.length;
}

async function* kept({ store }: BatchDeps, { id }: Batch, failed: boolean): AsyncGenerator<string> {
  for (let after = 0; ; ) {
    const results = await store.listResults(id, failed, after, PART);
    for (const { text } of results) yield text;
    const last = results.at(-1);
    if (!last) return;
    after = last.line;
  }
}

async function* errors(
  deps: BatchDeps,
  batch: Batch,
  input: BatchInput | null,
  uncalled: readonly number[],
): AsyncGenerator<string> {
  yield* kept(deps, batch, true);
  if (!input) return;
  const why = outcomeOf(batch) === "cancelled" ? "cancelled" : "expired";
  for (const line of uncalled) yield uncalledLine((await input.take(line)).customId, why);
}

function streamOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(Buffer.from(`${value}\n`));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

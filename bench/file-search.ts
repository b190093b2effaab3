// `npm run bench:file-search -- [--json]`: is the right passage among the first five? The real program with its offline embedding
// model, a hundred documents, and questions that are checked in (bench/file-search/questions.json) or come with the generated ones.

import { parseArgs } from "node:util";
import OpenAI, { toFile } from "openai";
import { newFolder, startTurnpike } from "../test/e2e/process.ts";
import { documents, isIn, type Question } from "./file-search/documents.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });
const FIRST = 5;
const SHARE_MIN = 0.9;
const MASTER = "sk-master-key-of-the-search-bench";

const folder = newFolder();
const turnpike = await startTurnpike(folder.path, { TURNPIKE_MASTER_KEY: MASTER });
const client = new OpenAI({ baseURL: `${turnpike.url}/v1`, apiKey: MASTER, maxRetries: 0 });
const { files, questions } = documents();

const store = await client.vectorStores.create({ name: "Bench" });
const begunAt = performance.now();
const ids: string[] = [];
for (const [name, text] of files) {
  ids.push((await client.files.create({ file: await toFile(Buffer.from(text), name), purpose: "assistants" })).id);
}
const batch = await client.vectorStores.fileBatches.createAndPoll(store.id, { file_ids: ids }, { pollIntervalMs: 100 });
if (batch.file_counts.completed !== files.size) throw new Error(`not all files were read: ${JSON.stringify(batch)}`);
const readMs = performance.now() - begunAt;

/** The place of the right passage among all that were found; null where it was not. */
async function placeOf({ question, file, passage }: Question): Promise<number | null> {
  const found = (await client.vectorStores.search(store.id, { query: question, max_num_results: 50 })).data;
  const at = found.findIndex(
    (hit) => hit.filename === file && isIn(passage, hit.content.map(({ text }) => text).join("\n")),
  );
  return at < 0 ? null : at + 1;
}

const times: number[] = [];
const places: { readonly question: Question; readonly place: number | null }[] = [];
for (const question of questions) {
  const askedAt = performance.now();
  places.push({ question, place: await placeOf(question) });
  times.push(performance.now() - askedAt);
}
turnpike.kill("SIGTERM");
await turnpike.exited;
folder.remove();

const share = (of: readonly { readonly place: number | null }[], most: number): number =>
  of.filter(({ place }) => place !== null && place <= most).length / Math.max(1, of.length);
const missed = places.filter(({ place }) => place === null || place > FIRST);
const own = places.filter(
  ({ question }) => !/-(pump|crane|winch|compressor|conveyor|dredger)\.md$/.test(question.file),
);
const generated = places.filter((one) => !own.includes(one));
const rows = [
  ["the project's documents", own],
  ["generated documents", generated],
  ["all", places],
] as const;

if (values.json) {
  console.log(JSON.stringify({ documents: files.size, places, readMs, times }, null, 2));
} else {
  console.log(`${files.size} documents, read in ${(readMs / 1000).toFixed(1)} s\n`);
  console.log("| Questions about | how many | the first is right | right among the first five |\n|---|---:|---:|---:|");
  for (const [name, of] of rows) {
    const percent = (most: number) => `${(100 * share(of, most)).toFixed(1)} %`;
    console.log(`| ${name} | ${of.length} | ${percent(1)} | ${percent(FIRST)} |`);
  }
  const sorted = times.toSorted((a, b) => a - b);
  console.log(`\nA search takes ${sorted[Math.floor(sorted.length / 2)]?.toFixed(1)} ms in the middle, over HTTP.`);
  for (const { question, place } of missed)
    console.log(`missed (${place ?? "not found"}): ${question.question} [${question.file}]`);
}
process.exitCode = share(places, FIRST) >= SHARE_MIN ? 0 : 1;

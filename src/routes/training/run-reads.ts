import Type from "typebox";
import { PagedList, paged, pageOf } from "../../contract/paging.ts";
import { ModelQuery, RoundsQuery, RoundView } from "../../contract/training.ts";
import { isoTime } from "../../contract/users.ts";
import { json, plainPage } from "../../http/reply.ts";
import { type Route, route } from "../../http/route.ts";
import type { RoundRecord } from "../../training/coordinator/run-folder.ts";
import type { TrainingEvent } from "../../training/records.ts";
import type { Runs } from "../../training/runs.ts";

const shared = {
  method: "GET",
  tag: "Training",
  auth: "session",
  params: Type.Object({ id: Type.String() }),
} as const;

/** What a run has come to so far. */
export const runReadRoutes = (runs: Runs): Route[] => [
  route({
    ...shared,
    paths: ["/api/training/runs/{id}/rounds"],
    summary: "List the finished rounds of a run",
    description: "Who answered with what, who was dropped and why, hashes of the model before and after.",
    query: RoundsQuery,
    success: PagedList(RoundView),
    errors: ["permission", "not_found"],
    async handle({ caller, params, query }) {
      const page = pageOf(query);
      const { rows, total } = await runs.rounds(caller, params.id, page, query.order ?? "desc");
      return json(paged(rows.map(roundView), page, total));
    },
  }),
  route({
    ...shared,
    paths: ["/api/training/runs/{id}/events"],
    summary: "Watch a run",
    description:
      "Server-sent events: `status` (`status`, `reason`) and `round` (as in the list of rounds), from the first on, or from after " +
      "the one that `Last-Event-ID` names. Ends with the run; after ten minutes it ends by itself, and the client comes back.",
    success: "text/event-stream",
    errors: ["permission", "not_found", "unavailable"],
    async handle({ caller, params, request, connection }) {
      connection.keepOpen();
      const last = Number(request.headers.get("last-event-id") ?? 0);
      const after = Number.isSafeInteger(last) && last > 0 ? last : 0;
      const gone = new AbortController();
      request.signal.addEventListener("abort", () => gone.abort(), { once: true });
      return streamOf(await runs.events(caller, params.id, after, gone.signal), gone);
    },
  }),
  route({
    ...shared,
    paths: ["/api/training/runs/{id}/model"],
    summary: "Download the model after a round",
    description:
      "Its bytes as participants gave them a form, whole or by `Range`; `repr-digest`, `etag` and, of the whole, `content-digest` " +
      "are of its SHA-256. 304 where `If-None-Match` names it.",
    query: ModelQuery,
    success: "application/octet-stream",
    errors: ["permission", "not_found"],
    async handle({ caller, params, query, request }) {
      const { bytes, sha256, round, run } = await runs.model(caller, params.id, query.round ?? null);
      const known = { etag: `"${sha256}"`, "cache-control": "private, no-cache" };
      if (isNamed(request.headers.get("if-none-match"), known.etag))
        return new Response(null, { status: 304, headers: known });
      const name = run.name.replace(/[^\w.-]+/g, "-").replace(/^[-.]+/, "") || "model";
      const digest = `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`;
      return new Response(bytes, {
        headers: {
          ...known,
          "content-type": "application/octet-stream",
          "content-disposition": `attachment; filename="${name}-round-${round}.${await endingOf(bytes)}"`,
          "repr-digest": digest,
          // Of what is sent, which may be a part only: the server cuts it out of the file.
          ...(request.headers.has("range") ? {} : { "content-digest": digest }),
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
  route({
    ...shared,
    paths: ["/api/training/runs/{id}/report"],
    summary: "Read the report of a run",
    description: "A page with its curves and a row for every round; it needs no other file.",
    success: "text/html",
    errors: ["permission", "not_found"],
    handle: async ({ caller, params }) => plainPage(bytesOf(await runs.report(caller, params.id))),
  }),
];

const isNamed = (header: string | null, etag: string): boolean =>
  header?.split(",").some((one) => ["*", etag].includes(one.trim().replace(/^W\//, ""))) ?? false;

/** What the model is, by its first bytes; safetensors begin with a length. */
async function endingOf(bytes: Blob): Promise<string> {
  const head = Buffer.from(await bytes.slice(0, 9).arrayBuffer()).toString("latin1");
  if (head.startsWith("\x93NUMPY")) return "npy";
  if (head.startsWith("PK")) return "npz";
  return head.charAt(8) === "{" ? "safetensors" : "f32";
}

function bytesOf(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await texts.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
}

/** A comment while nothing happens keeps the connection, and shows when nobody listens any more. */
function streamOf(events: AsyncGenerator<TrainingEvent | null>, gone: AbortController): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await events.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(value === null ? ": nothing new\n\n" : textOf(value)));
    },
    async cancel() {
      gone.abort();
      await events.return(undefined);
    },
  });
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-accel-buffering": "no",
    },
  });
}

function textOf(event: TrainingEvent): string {
  const data = event.kind === "round" ? roundView(event.data) : { ...event.data, at: isoTime(event.at) };
  return `id: ${event.number}\nevent: ${event.kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** What a strategy remembers is nobody's business but the coordinator's. */
const roundView = ({ stateOut: _, ...record }: RoundRecord): RoundView => structuredClone(record) as RoundView;

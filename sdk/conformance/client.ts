import { expect } from "bun:test";
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { type Case, type CaseRequest, type CaseResponse, type Step, spell } from "./case-file.ts";

const REQUEST_ID = "conformance";
const BOUNDARY = "turnpike";
const DRIP_MS = 5;

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

/** Speaks one case to a participant at an address; gives every answer, so that two participants can be compared. */
export async function speak(url: string, spoken: Case): Promise<Answer[]> {
  const answers: Answer[] = [];
  const kept = new Map<string, Answer>();
  const background = new Map<string, Promise<Answer>>();
  const held = new Map<string, PromiseWithResolvers<void>>();
  for (const step of spoken.steps ?? [spoken]) {
    if (step.until !== undefined) await waitUntil(url, step.until);
    else if (step.go_on !== undefined) held.get(step.go_on)?.resolve();
    else if (step.background !== undefined) {
      const last = Promise.withResolvers<void>();
      held.set(step.background, last);
      background.set(step.background, send(url, requestOf(step), last.promise));
    } else {
      const answer = await (step.finish === undefined ? send(url, requestOf(step)) : background.get(step.finish));
      if (answer === undefined || step.response === undefined)
        throw new Error(`a step of "${spoken.name}" is not whole`);
      check(answer, step.response, kept);
      answers.push(answer);
    }
  }
  return answers;
}

function requestOf(step: Step): CaseRequest {
  if (step.request === undefined) throw new Error("a step has no request");
  return step.request;
}

async function send(url: string, request: CaseRequest, last = Promise.resolve()): Promise<Answer> {
  const headers = new Headers({ "x-request-id": REQUEST_ID });
  let body = bodyOf(request);
  if (request.multipart) headers.set("content-type", `multipart/form-data; boundary=${BOUNDARY}`);
  else if (body !== null) headers.set("content-type", "application/json");
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value === null) headers.delete(name);
    else headers.set(name, value);
  }
  if (request.gzip && body !== null) {
    body = gzipSync(body);
    headers.set("content-encoding", "gzip");
  }
  const init: RequestInit = { method: request.method, headers };
  if (body !== null) init.body = streamed(request, body, last) ?? Uint8Array.from(body);
  const response = await fetch(url + request.path, init);
  return { status: response.status, headers: response.headers, bytes: await response.bytes() };
}

function streamed(request: CaseRequest, body: Uint8Array, last: Promise<void>): ReadableStream<Uint8Array> | null {
  if (request.held) return streamOf([body.slice(0, -1), body.slice(-1)], () => last);
  if (request.dripped)
    return streamOf(
      Array.from(body, (byte) => Uint8Array.of(byte)),
      () => Bun.sleep(DRIP_MS),
    );
  return request.chunked ? new Blob([Uint8Array.from(body)]).stream() : null;
}

/** These pieces, with something to wait for between them. */
function streamOf(pieces: readonly Uint8Array[], between: () => Promise<void>): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      if (at > 0) await between();
      controller.enqueue(pieces[at++]);
      if (at >= pieces.length) controller.close();
    },
  });
}

function bodyOf(request: CaseRequest): Uint8Array | null {
  if (request.json !== undefined) return Buffer.from(JSON.stringify(request.json));
  if (request.text !== undefined) return Buffer.from(spell(request.text));
  if (request.base64 !== undefined) return Buffer.from(request.base64, "base64");
  if (request.multipart === undefined) return null;
  const parts = request.multipart.flatMap(([name, content]) => [
    Buffer.from(`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n`),
    typeof content === "string" ? Buffer.from(content) : Buffer.from(content.base64, "base64"),
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...parts, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

function check(answer: Answer, wanted: CaseResponse, kept: Map<string, Answer>): void {
  const text = Buffer.from(answer.bytes).toString();
  expect({ status: answer.status, text: answer.status === wanted.status ? "" : text }).toEqual({
    status: wanted.status,
    text: "",
  });
  for (const [name, value] of Object.entries(wanted.headers ?? {})) {
    expect(`${name}: ${answer.headers.get(name)}`).toBe(`${name}: ${value}`);
  }
  if (wanted.json !== undefined) expect(JSON.parse(text)).toEqual(wanted.json);
  if (wanted.text !== undefined) expect(text === spell(wanted.text) || text.slice(0, 300)).toBe(true);
  if (wanted.base64 !== undefined) expect(Buffer.from(answer.bytes).toString("base64")).toBe(wanted.base64);
  if (wanted.failure !== undefined) expect(JSON.parse(text)).toEqual({ ...wanted.failure, request_id: REQUEST_ID });
  if (wanted.includes !== undefined) expect(JSON.parse(text)).toMatchObject(wanted.includes);
  if (wanted.described !== undefined) {
    expect(JSON.parse(Buffer.from(JSON.parse(text).parameters, "base64").toString())).toEqual(wanted.described);
  }
  if (answer.status !== 204) checkDigest(answer);
  checkKept(answer, wanted, kept);
}

/** Every answer with a body carries the digest of that body. */
function checkDigest({ headers, bytes }: Answer): void {
  if (bytes.length === 0) return;
  const digest = createHash("sha256").update(bytes).digest("base64");
  expect(headers.get("content-digest")).toBe(`sha-256=:${digest}:`);
}

function checkKept(answer: Answer, wanted: CaseResponse, kept: Map<string, Answer>): void {
  const bytesOf = (name: string) => Buffer.from(kept.get(name)?.bytes ?? []).toString("hex");
  const own = Buffer.from(answer.bytes).toString("hex");
  if (wanted.keep !== undefined) kept.set(wanted.keep, answer);
  if (wanted.same_as !== undefined) expect(own).toBe(bytesOf(wanted.same_as));
  if (wanted.not_same_as !== undefined) expect(own).not.toBe(bytesOf(wanted.not_same_as));
}

/** Asks again until the participant says so; the test's own time-out ends what never comes. */
async function waitUntil(url: string, { path, includes }: NonNullable<Step["until"]>): Promise<void> {
  for (;;) {
    const body = (await (await fetch(url + path)).json()) as Record<string, unknown>;
    if (Object.entries(includes).every(([name, value]) => Bun.deepEquals(body[name], value))) return;
    await Bun.sleep(5);
  }
}

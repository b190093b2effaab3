import { createHash } from "node:crypto";
import type { PlannedParticipant } from "./plan.ts";

export interface Reply {
  readonly bytes: Uint8Array;
  readonly numExamples: number | null;
  readonly metrics: Readonly<Record<string, number>>;
}

export interface Evaluation {
  readonly accuracy: number;
  readonly loss: number | null;
  readonly numExamples: number | null;
}

/** What a call says beside the parameters. */
export interface CallMeta {
  readonly run_id: string;
  readonly round: number;
  readonly config: Readonly<Record<string, unknown>>;
  readonly dataset: unknown;
}

/** A participant did not do what it was asked; `again` says whether asking again may help. */
export class ParticipantFailure extends Error {
  override readonly name = "ParticipantFailure";

  constructor(
    message: string,
    readonly again: boolean,
  ) {
    super(message);
  }
}

export type Send = (url: string, init: RequestInit) => Promise<Response>;

/** Speaks to one participant in its binary form. Whatever goes wrong is a ParticipantFailure. */
export class ParticipantClient {
  constructor(
    private readonly participant: PlannedParticipant,
    private readonly token: string | null,
    private readonly send: Send = fetch,
  ) {}

  async train(model: Uint8Array | null, meta: CallMeta, signal: AbortSignal): Promise<Reply> {
    const response = await this.post("/train", model, meta, signal, "application/octet-stream");
    const bytes = await this.body(response);
    const count = response.headers.get("x-turnpike-num-examples");
    const metrics = response.headers.get("x-turnpike-metrics");
    return {
      bytes,
      numExamples: count === null ? null : Number(count),
      metrics: metrics === null ? {} : (JSON.parse(metrics) as Record<string, number>),
    };
  }

  async evaluate(model: Uint8Array, meta: CallMeta, signal: AbortSignal): Promise<Evaluation> {
    const response = await this.post("/evaluate", model, meta, signal, "application/json");
    const answer = JSON.parse(Buffer.from(await this.body(response)).toString()) as Record<string, unknown>;
    const number = (value: unknown) => (typeof value === "number" && Number.isFinite(value) ? value : null);
    const accuracy = number(answer.accuracy);
    if (accuracy === null) throw new ParticipantFailure("its accuracy is not a number", false);
    return { accuracy, loss: number(answer.loss), numExamples: number(answer.num_examples) };
  }

  /** One step of a secure round. What the bytes of its answer mean is the caller's affair. */
  async step(
    path: string,
    fields: Readonly<Record<string, unknown>>,
    model: Uint8Array | null,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const accept = model === null ? "application/json" : "application/octet-stream";
    return this.body(await this.post(path, model, fields, signal, accept));
  }

  private async post(
    path: string,
    model: Uint8Array | null,
    meta: CallMeta | Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    accept: string,
  ) {
    const form = new FormData();
    const { dataset, ...rest } = meta;
    const fields = {
      ...rest,
      ...(dataset === undefined ? {} : { dataset }),
      ...(model === null ? { parameters: null } : {}),
    };
    form.append("meta", JSON.stringify(fields));
    if (model !== null) form.append("parameters", new Blob([model as Uint8Array<ArrayBuffer>]));
    const headers: Record<string, string> = { accept };
    if (this.token !== null) headers.authorization = `Bearer ${this.token}`;
    const init = { method: "POST", headers, body: form, signal, redirect: "error" as const };
    const response = await this.attempt(() => this.send(this.participant.url + path, init));
    if (response.ok) return response;
    const text = (await this.attempt(() => response.text())).slice(0, 300);
    throw new ParticipantFailure(
      `it answered ${response.status}: ${text}`,
      response.status >= 500 || response.status === 429,
    );
  }

  private async body(response: Response): Promise<Uint8Array> {
    const bytes = await this.attempt(() => response.bytes());
    const digest = response.headers.get("content-digest");
    const own = `sha-256=:${createHash("sha256").update(bytes).digest("base64")}:`;
    if (digest !== null && digest !== own)
      throw new ParticipantFailure("its answer is not the one its digest speaks of", true);
    return bytes;
  }

  private async attempt<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      const timedOut = thrown instanceof Error && (thrown.name === "TimeoutError" || thrown.name === "AbortError");
      if (timedOut) throw new ParticipantFailure("the deadline passed", false);
      throw new ParticipantFailure(thrown instanceof Error ? thrown.message : String(thrown), true);
    }
  }
}

import { randomUUID } from "node:crypto";
import { answerFailure, answerJson, answerResult } from "./answers.ts";
import { formOf, readFields } from "./body/read-fields.ts";
import { Datasets } from "./datasets.ts";
import { Failure, invalid } from "./failure.ts";
import {
  type AggregateFunction,
  type Dataset,
  type EvaluateFunction,
  type Functions,
  METHODS,
  type Method,
  type TrainFunction,
} from "./functions.ts";
import { checkHost, checkOrigin, checkToken } from "./guards.ts";
import { wantsBinary } from "./negotiate.ts";
import { Packing } from "./pack/packing.ts";
import { perform } from "./perform.ts";
import { type Call, readCall } from "./read-call.ts";
import { numExamplesOf, type Result } from "./results.ts";
import { Rounds } from "./rounds.ts";
import { changeOf } from "./secagg/change-of.ts";
import { type Maskable, SecureRounds } from "./secagg/secure-rounds.ts";
import { listen } from "./serve/listen.ts";
import type { Listener } from "./serve/listener.ts";
import { checkExposure, type ParticipantOptions, readSettings, type Settings } from "./settings.ts";
import { Turns } from "./turns.ts";
import { VERSION } from "./version.ts";

/** The update of a secure round: trained as by /train, and given away masked. */
const MASKED = "secagg/masked";
type WorkPath = Method | "call" | typeof MASKED;
const AGREE_PATHS = ["secagg/keys", "secagg/shares", "secagg/unmask"] as const;
type AgreePath = (typeof AGREE_PATHS)[number];
type Path = WorkPath | AgreePath | "health" | "info";
const READ_PATHS: readonly string[] = ["health", "info"];
const PATHS: readonly string[] = [...METHODS, "call", MASKED, ...AGREE_PATHS, ...READ_PATHS];
const SHAPES = {
  train: { parameters: "base64" },
  evaluate: { parameters: "base64" },
  aggregate: { parameters_list: "list" },
  call: { parameters: "base64", parameters_list: "list" },
  [MASKED]: { parameters: "base64" },
} as const;

/** An object with the three functions as methods; `init_dataset` or `initDataset` are not called. */
export interface Model {
  train?: TrainFunction;
  evaluate?: EvaluateFunction;
  aggregate?: AggregateFunction;
}

/** Takes part in training over HTTP with the functions that were registered. */
export class Participant {
  private readonly functions: Functions = {};
  private readonly rounds = new Rounds();
  private readonly packing = new Packing();
  private readonly secure = new SecureRounds(Date.now, () => this.settings.groupSecret);
  private settings: Settings;
  private readonly datasets: Datasets;
  private readonly trainings: Turns;
  private readonly others: Turns;
  private listening = false;
  private draining = false;
  private readonly open = new Set<Promise<unknown>>();

  constructor(private readonly options: ParticipantOptions = {}) {
    this.settings = readSettings(options, process.env);
    const { limits } = this.settings;
    this.datasets = new Datasets(limits.rowsMax);
    this.trainings = new Turns(1, limits.queueMax);
    this.others = new Turns(limits.parallelMax, 0);
  }

  /** One with the methods of an object. */
  static fromModel(model: Model, options: ParticipantOptions = {}): Participant {
    const participant = new Participant(options);
    if (model.train) participant.registerTrain(bound(model, model.train));
    if (model.evaluate) participant.registerEvaluate(bound(model, model.evaluate));
    if (model.aggregate) participant.registerAggregate(bound(model, model.aggregate));
    return participant;
  }

  registerTrain<F extends TrainFunction>(run: F): F {
    return this.register("train", run);
  }

  registerEvaluate<F extends EvaluateFunction>(run: F): F {
    return this.register("evaluate", run);
  }

  registerAggregate<F extends AggregateFunction>(run: F): F {
    return this.register("aggregate", run);
  }

  /** Rows that lie here and are named by callers; a function is called each time they are needed. */
  registerDataset(name: string, source: Dataset | (() => Dataset | Promise<Dataset>)): void {
    if (this.listening) throw new Error("data sets are registered before run()");
    this.datasets.register(name, source);
  }

  /** Serves until the process is told to end. */
  async run(options: ParticipantOptions = {}): Promise<void> {
    const listener = await this.serve(options);
    process.stdout.write(`${this.settings.name} listens on ${listener.url}\n`);
    await new Promise<void>((resolve) => {
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
    });
    await listener.stop();
  }

  /** Begins to listen and gives the address; `stop` ends what runs and refuses what comes. */
  async serve(options: ParticipantOptions = {}): Promise<Listener> {
    this.settings = readSettings({ ...this.options, ...options }, process.env);
    this.checkRegistered();
    checkExposure(this.settings);
    this.listening = true;
    const listener = await listen((request) => this.handle(request), this.settings);
    return {
      ...listener,
      stop: async () => {
        this.draining = true;
        await Promise.allSettled(this.open);
        await listener.stop();
        this.listening = false;
        this.draining = false;
      },
    };
  }

  /** One request, without a socket. */
  handle(request: Request): Promise<Response> {
    const answer = this.answer(request);
    this.open.add(answer);
    answer.finally(() => this.open.delete(answer));
    return answer;
  }

  private register<F>(method: Method, run: F): F {
    if (this.listening) throw new Error("functions are registered before run()");
    if (typeof run !== "function") throw new TypeError(`what is registered for ${method} must be a function`);
    this.functions[method] = run as never;
    return run;
  }

  private checkRegistered(): void {
    const missing = METHODS.filter((method) => this.functions[method] === undefined);
    if (missing.length === 0 || (this.settings.partial && missing.length < METHODS.length)) return;
    throw new Error(`no function is registered for ${missing.join(", ")}; run({ partial: true }) serves the others`);
  }

  private async answer(request: Request): Promise<Response> {
    const arrivedAtMs = performance.now();
    const requestId = readRequestId(request);
    const { pathname } = new URL(request.url);
    let response: Response;
    let origin: string | null = null;
    let failure: Failure | null = null;
    try {
      checkHost(request, this.settings.host);
      origin = checkOrigin(request, this.settings.origins);
      response = await this.route(request, pathname, requestId, arrivedAtMs);
    } catch (thrown) {
      failure = thrown instanceof Failure ? thrown : unexpected(thrown);
      response = answerFailure(failure, requestId);
    }
    response.headers.set("x-request-id", requestId);
    if (origin !== null) allowOrigin(response.headers, origin, request.method);
    this.logCall(request.method, pathname, response.status, requestId, arrivedAtMs, failure);
    return response;
  }

  private async route(request: Request, pathname: string, requestId: string, arrivedAtMs: number): Promise<Response> {
    const name = pathname.replace(/^\//, "").replace(/(.)\/$/, "$1");
    if (!PATHS.includes(name)) throw new Failure(404, "unknown_path", "there is nothing at this path");
    const path = name as Path;
    const allowed = READ_PATHS.includes(path) ? ["GET", "HEAD", "OPTIONS"] : ["POST", "OPTIONS"];
    const allow = { allow: allowed.join(", ") };
    if (request.method === "OPTIONS") return new Response(null, { status: 204, headers: allow });
    if (!allowed.includes(request.method)) {
      throw new Failure(405, "method", `this path takes ${allowed[0]} only`, { headers: allow });
    }
    if (path === "health") return answerJson({ status: "ok" });
    checkToken(request, this.settings.tokens);
    if (path === "info") return answerJson(this.describe());
    if (this.draining) throw new Failure(503, "draining", "the participant is about to end", { headers: RETRY_LATER });
    const mixed = path === "aggregate" || path === "call" || path.startsWith("secagg/");
    if (mixed && formOf(request) === "binary") {
      throw new Failure(415, "content_type", `/${path} takes JSON or multipart/form-data`);
    }
    return isAgreePath(path)
      ? this.agree(path, request)
      : this.carryOut(path as WorkPath, request, requestId, arrivedAtMs);
  }

  /** The steps of a secure round that carry no model. */
  private async agree(path: AgreePath, request: Request): Promise<Response> {
    this.checkFunction("train");
    wantsBinary(request.headers.get("accept"), false);
    const fields = await readFields(request, {}, this.settings.limits);
    if (path === "secagg/keys") return answerJson(this.secure.keys(fields));
    return answerJson(path === "secagg/shares" ? this.secure.shares(fields) : this.secure.unmask(fields));
  }

  private async carryOut(path: WorkPath, request: Request, requestId: string, arrivedAtMs: number): Promise<Response> {
    const method = path === MASKED ? "train" : path;
    if (method !== "call") this.checkFunction(method);
    const binary = wantsBinary(request.headers.get("accept"), path !== "evaluate");
    // What /call means is known only from its body, so it stands in the line of the trainings.
    const turn = (method === "train" || method === "call" ? this.trainings : this.others).enter();
    let performing = false;
    try {
      const fields = await readFields(request, SHAPES[path], this.settings.limits);
      const maskable = path === MASKED ? this.secure.receive(fields) : null;
      const call = readCall(method, fields);
      this.checkFunction(call.method);
      if (maskable === null) this.checkPlain(call);
      else checkBase(call);
      turn.ready();
      performing = true;
      const { functions, datasets, rounds, settings } = this;
      const { exposeErrors } = settings;
      const gone = request.signal;
      const packing = maskable === null ? this.packing : null;
      const setting = { functions, datasets, rounds, turn, requestId, gone, arrivedAtMs, exposeErrors, packing };
      const result = await perform(call, setting);
      return answerResult(maskable === null ? result : masked(maskable, call, result), binary);
    } finally {
      if (!performing) turn.leave();
    }
  }

  private checkFunction(method: Method): void {
    if (this.functions[method] !== undefined) return;
    throw new Failure(404, "not_registered", `no function is registered for ${method}`);
  }

  /** An update of a secure run is never given away as it is, and none at all where only secure runs are wanted. */
  private checkPlain({ method, runId }: Call): void {
    if (method !== "train" || !(this.settings.secureOnly || this.secure.knows(runId))) return;
    throw new Failure(403, "secure_only", "updates are given away by secure aggregation only");
  }

  private describe() {
    const { name, limits } = this.settings;
    const numExamples = this.datasets.numExamples;
    return {
      name,
      sdk: { language: "typescript", version: VERSION },
      methods: METHODS.filter((method) => this.functions[method] !== undefined),
      formats: ["safetensors", "npy", "npz"],
      ...(this.settings.shape === null ? {} : { shape: this.settings.shape }),
      packs: ["f16", "int8", "top_k"],
      media_types: ["application/json", "application/octet-stream", "multipart/form-data"],
      encodings: ["gzip"],
      datasets: this.datasets.names,
      secure_aggregation: {
        version: 1,
        only: this.settings.secureOnly,
        group_secret: this.settings.groupSecret !== null,
      },
      ...(numExamples === null ? {} : { num_examples: numExamples }),
      limits: {
        json_bytes: limits.jsonBytesMax,
        binary_bytes: limits.binaryBytesMax,
        field_bytes: limits.fieldBytesMax,
        rows: limits.rowsMax,
        list_entries: limits.listEntriesMax,
        queue: limits.queueMax,
        parallel: limits.parallelMax,
      },
      running: this.trainings.running,
      queued: this.trainings.queued,
    };
  }

  private logCall(
    method: string,
    path: string,
    status: number,
    requestId: string,
    arrivedAtMs: number,
    failure: Failure | null,
  ): void {
    const ms = Math.round(performance.now() - arrivedAtMs);
    const { cause } = failure ?? {};
    const trouble = cause === undefined ? {} : { exception: cause instanceof Error ? cause.stack : String(cause) };
    const reason = failure === null ? {} : { reason: failure.reason };
    const level = status >= 500 ? "error" : "info";
    const time = new Date().toISOString();
    this.settings.log({ time, level, message: "call", method, path, status, ms, requestId, ...reason, ...trouble });
  }
}

const isAgreePath = (path: Path): path is AgreePath => (AGREE_PATHS as readonly string[]).includes(path);

function checkBase({ parameters }: Call): void {
  if (parameters !== null) return;
  throw invalid("missing_field", "a change is summed: there must be parameters to change", "parameters");
}

function masked(maskable: Maskable, { parameters }: Call, result: Result): Result {
  const none = new Uint8Array(0);
  const change = changeOf(parameters ?? none, result.parameters ?? none);
  return { parameters: maskable.mask(change, numExamplesOf(result)), numbers: [] };
}

const RETRY_LATER = { "retry-after": "1" };

function bound<F extends (...args: never[]) => unknown>(model: object, run: F): F {
  return run.bind(model) as F;
}

function unexpected(thrown: unknown): Failure {
  const failure = new Failure(500, "handler_failed", "the participant failed");
  failure.cause = thrown;
  return failure;
}

function readRequestId(request: Request): string {
  const given = request.headers.get("x-request-id") ?? "";
  return /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

function allowOrigin(headers: Headers, origin: string, method: string): void {
  headers.set("access-control-allow-origin", origin);
  headers.set("vary", "Origin");
  if (method !== "OPTIONS") return;
  headers.set("access-control-allow-methods", "GET, POST, OPTIONS");
  headers.set("access-control-allow-headers", "Authorization, Content-Type, Content-Digest, X-Turnpike-Dataset");
}

import type { SessionCaller } from "../contract/caller.ts";
import { GatewayError } from "../contract/errors.ts";
import type { PageNumbers } from "../contract/paging.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import type { Person, Present, TrainingAccess } from "./access.ts";
import { REPORT_END, ReportFacts, reportRow } from "./coordinator/report.ts";
import { hashOf, type RoundRecord } from "./coordinator/run-folder.ts";
import { hostedPlan, readSentPlan } from "./hosting/hosted-plan.ts";
import type { RunExecutor } from "./hosting/run-desk.ts";
import type { RunFiles } from "./hosting/run-files.ts";
import { faultOfModel } from "./model-values.ts";
import { changeRun, noteRun, rollBackRun } from "./note-run.ts";
import { findSameAddress } from "./participant-address.ts";
import { isEnded, type PlanDocument, type RunStatus, type TrainingEvent, type TrainingRun } from "./records.ts";
import { cancel, isHeld, pause, resume, rollBack } from "./run-states.ts";
import type { RunWatch } from "./run-watch.ts";
import type { Paged, TrainingStores } from "./store.ts";

export interface RunDeps {
  readonly stores: TrainingStores;
  readonly access: TrainingAccess;
  readonly present: Present;
  readonly clock: Clock;
  readonly files: RunFiles;
  readonly desk: Pick<RunExecutor, "halt">;
  readonly watch: RunWatch;
}

/** A model that is sent in an archive is unpacked by the server itself, so it may not become much more than was sent. */
const UNPACKED_MIN = 64 * 1024 ** 2;
const UNPACKED_RATIO = 4;
const RUNS_MAX = 500;
const OPEN_RUNS_MAX = 20;
/** With two hundred participants in each, these are a megabyte and a half. */
const EVENTS_AT_ONCE = 40;

/** Trainings of organizations, from the plan to the model. */
export class Runs {
  constructor(private readonly deps: RunDeps) {}

  async list(
    caller: SessionCaller,
    named: string | null,
    filter: { readonly status?: RunStatus },
    page: PageNumbers,
  ): Promise<Paged<TrainingRun>> {
    const { id } = await this.deps.access(caller, named, "viewer");
    return this.deps.stores.runs.list(id, filter, page);
  }

  /** It waits until a process takes it up. */
  async create(
    actor: Person,
    named: string | null,
    sent: { readonly plan: unknown; readonly initial: Uint8Array | null },
  ): Promise<TrainingRun> {
    const { stores, access, clock, files, watch } = this.deps;
    const { id: organizationId } = await access(actor.caller, named, "admin");
    const { initial } = sent;
    const { plan, read } = readSentPlan(sent.plan, initial !== null);
    if (initial !== null && !read.delegated) requireModel(initial, read.shape ?? null);
    const now = clock.nowMs();
    const run: TrainingRun = {
      id: newId(),
      organizationId,
      name: read.name,
      plan,
      status: "queued",
      reason: null,
      rounds: read.rounds,
      roundsDone: 0,
      eventsMade: 1,
      initialHash: initial && hashOf(initial),
      leaseOwner: null,
      leaseUntil: null,
      attempts: 0,
      createdBy: actor.caller.userId,
      createdAt: now,
      updatedAt: now,
      startedAt: null,
      endedAt: null,
    };
    if (initial !== null) await files.keepInitial(run.id, initial);
    try {
      await stores.transaction((tx) => this.#insert(tx, actor, run));
    } catch (thrown) {
      if (initial !== null) await files.remove(run.id);
      throw thrown;
    }
    watch.wake(run.id);
    return (await stores.runs.find(run.id)) ?? run;
  }

  async get(caller: SessionCaller, id: string, wanted: "admin" | "viewer" = "viewer"): Promise<TrainingRun> {
    const run = await this.deps.stores.runs.find(id);
    if (!run) throw noRun();
    await this.deps.access(caller, run.organizationId, wanted, noRun);
    return run;
  }

  pause(actor: Person, id: string): Promise<TrainingRun> {
    const now = this.deps.clock.nowMs();
    const reason = `${actor.caller.name} paused it`;
    return this.#change(actor, id, "pause", "not under way", (run) => pause(run, reason, now));
  }

  resume(actor: Person, id: string): Promise<TrainingRun> {
    const now = this.deps.clock.nowMs();
    return this.#change(actor, id, "resume", "not paused", (run) => resume(run, now));
  }

  cancel(actor: Person, id: string): Promise<TrainingRun> {
    const now = this.deps.clock.nowMs();
    return this.#change(actor, id, "cancel", "at its end already", (run) => cancel(run, now));
  }

  /** Returns a run to an earlier round. It stays paused, so that the operator can first change what went wrong. */
  async rollBack(actor: Person, id: string, round: number): Promise<TrainingRun> {
    const { stores, clock, files, watch } = this.deps;
    const { roundsDone } = await this.get(actor.caller, id, "admin");
    if (round > roundsDone) throw new GatewayError("conflict", `The run has ${roundsDone} finished rounds.`);
    if (!files.has(id)) throw new GatewayError("conflict", "The run's folder is on another server. Send this there.");
    const now = clock.nowMs();
    const reason = `${actor.caller.name} returned it to round ${round}`;
    const run = await rollBackRun(stores, { id, round, by: byOf(actor) }, (found) => {
      if (isHeld(found, now)) throw new GatewayError("conflict", "The run is just ending; try again in a moment.");
      const next = rollBack(found, round, reason, now);
      // The folder first: a run with more rounds in its folder than in the database adds them again.
      if (next !== null) files.rollBack(id, round);
      return next;
    });
    if (run === null) throw new GatewayError("conflict", "Only a paused or completed run can return to a round.");
    watch.wake(id);
    return run;
  }

  /** With its rounds and its models; what the audit log has of it stays. */
  async remove(actor: Person, id: string): Promise<void> {
    const { stores, clock, files } = this.deps;
    const run = await this.get(actor.caller, id, "admin");
    const now = clock.nowMs();
    await stores.transaction(async (tx) => {
      const found = await tx.runs.change(id, (one) => one);
      if (!found) throw noRun();
      if (!isEnded(found.status)) throw new GatewayError("conflict", "The run is not at its end; cancel it first.");
      // Its process may be writing still.
      if (isHeld(found, now)) throw new GatewayError("conflict", "The run is just ending; try again in a moment.");
      await tx.runs.remove(id);
      await noteRun(tx, run, "remove", byOf(actor), { name: run.name }, now);
    });
    await files.remove(id);
  }

  async rounds(
    caller: SessionCaller,
    id: string,
    page: PageNumbers,
    order: "asc" | "desc",
  ): Promise<Paged<RoundRecord>> {
    await this.get(caller, id);
    return this.deps.stores.events.listRounds(id, page, order);
  }

  async model(
    caller: SessionCaller,
    id: string,
    round: number | null,
  ): Promise<{ readonly bytes: Blob; readonly sha256: string; readonly round: number; readonly run: TrainingRun }> {
    const { stores, files } = this.deps;
    const run = await this.get(caller, id);
    const wanted = round ?? run.roundsDone;
    const record = wanted === 0 ? null : await stores.events.findRound(id, wanted);
    if (!record) throw new GatewayError("not_found", "There is no model yet of this round.");
    const bytes = await files.findModel(id, record.modelOut);
    if (!bytes) throw new GatewayError("not_found", "The model lies at another server than the one that was asked.");
    return { bytes, sha256: record.modelOut, round: wanted, run };
  }

  /**
   * Read twice, some rounds at a time: what stands above them is known when all were seen, and a long run of many participants
   * has more of them than a server may hold, or look at in one go while calls wait.
   */
  async report(caller: SessionCaller, id: string): Promise<AsyncGenerator<string>> {
    const run = await this.get(caller, id);
    const facts = new ReportFacts();
    for await (const rounds of this.#roundsOf(run)) for (const one of rounds) facts.add(one);
    const paused = run.status === "paused" ? run.reason : null;
    const head = facts.render(hostedPlan(run.plan, run.initialHash !== null), paused);
    const roundsOf = () => this.#roundsOf(run);
    return (async function* () {
      yield head;
      for await (const rounds of roundsOf()) yield rounds.map(reportRow).join("");
      yield REPORT_END;
    })();
  }

  /** From the first to the last that it had when it was looked at. */
  async *#roundsOf({ id, eventsMade }: TrainingRun): AsyncGenerator<readonly RoundRecord[]> {
    for (let number = 0; number < eventsMade; number += EVENTS_AT_ONCE) {
      const limit = Math.min(EVENTS_AT_ONCE, eventsMade - number);
      const events = await this.deps.stores.events.listAfter(id, number, limit);
      yield events.flatMap((event) => (event.kind === "round" && event.round !== null ? [event.data] : []));
    }
  }

  async events(
    caller: SessionCaller,
    id: string,
    after: number,
    signal: AbortSignal,
  ): Promise<AsyncGenerator<TrainingEvent | null>> {
    const mayLook = async (): Promise<boolean> => {
      try {
        await this.get(await this.deps.present(caller), id);
        return true;
      } catch {
        return false;
      }
    };
    return this.deps.watch.watch(await this.get(caller, id), after, signal, mayLook);
  }

  async #insert(tx: TrainingStores, actor: Person, run: TrainingRun): Promise<void> {
    const { id, organizationId, createdAt: at } = run;
    await tx.participants.lock(organizationId);
    if ((await tx.runs.count(organizationId)) >= RUNS_MAX) {
      throw new GatewayError(
        "conflict",
        `An organization keeps at most ${RUNS_MAX} runs; delete some that have ended.`,
      );
    }
    if ((await tx.runs.listOpen(organizationId)).length >= OPEN_RUNS_MAX) {
      throw new GatewayError("conflict", `At most ${OPEN_RUNS_MAX} runs of an organization are under way or paused.`);
    }
    const plan = await withLimits(tx, organizationId, run.plan);
    await tx.runs.insert({ ...run, plan });
    const data = { status: run.status, reason: null };
    await tx.events.insert({ runId: id, number: 1, at, kind: "status", round: null, data });
    await noteRun(tx, run, "create", byOf(actor), { name: run.name, rounds: run.rounds }, at);
  }

  async #change(
    actor: Person,
    id: string,
    verb: string,
    unless: string,
    decide: (run: TrainingRun) => TrainingRun | null,
  ): Promise<TrainingRun> {
    const { stores, desk, watch } = this.deps;
    await this.get(actor.caller, id, "admin");
    const run = await changeRun(stores, id, verb, byOf(actor), decide);
    if (run === null) throw new GatewayError("conflict", `The run is ${unless}.`);
    watch.wake(id);
    if (run.status !== "queued") await desk.halt(id);
    return run;
  }
}

/** Every participant has to be registered; the limit that it was registered with is the run's from here on. */
async function withLimits(tx: TrainingStores, organizationId: string, plan: PlanDocument): Promise<PlanDocument> {
  const names = plan.participants.map(({ id }) => id);
  const registered = new Map(
    (await tx.participants.listNamed(organizationId, names)).map((one) => [one.name, one] as const),
  );
  const unknown = names.filter((name) => !registered.has(name));
  if (unknown.length > 0) {
    const words = `plan: there is no participant ${unknown.slice(0, 5).join(", ")}; register it first.`;
    throw new GatewayError("invalid_request", words, { param: "plan" });
  }
  // Registering refuses it; there may be some from before it did.
  const same = findSameAddress([...registered.values()]);
  if (same !== null) {
    const words = `plan: ${same.join(" and ")} are registered at the same address, and would count twice.`;
    throw new GatewayError("invalid_request", words, { param: "plan" });
  }
  const participants = plan.participants.map(({ id, max_examples }) => {
    const limits = [max_examples, registered.get(id)?.maxExamples].filter((limit) => typeof limit === "number");
    return limits.length === 0 ? { id } : { id, max_examples: Math.min(...limits) };
  });
  return { ...plan, participants };
}

function requireModel(bytes: Uint8Array, shape: readonly number[] | "info" | null): void {
  const unpackedMax = Math.max(UNPACKED_MIN, UNPACKED_RATIO * bytes.length);
  // Where participants are asked for the shape, it is not known yet that these floats have it.
  const fault = faultOfModel(bytes, shape === "info" ? [Math.ceil(bytes.length / 4)] : shape, unpackedMax);
  if (fault !== null) throw new GatewayError("invalid_request", `initialModel: ${fault}.`, { param: "initialModel" });
}

const byOf = ({ caller, address }: Person) => ({ userId: caller.userId, address });
const noRun = (): GatewayError => new GatewayError("not_found", "There is no such run.");

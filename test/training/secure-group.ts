import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { float32, Participant, readSafetensors, secagg, writeSafetensors } from "../../sdk/typescript/src/index.ts";
import { askAll } from "../../src/training/coordinator/ask-all.ts";
import { ParticipantClient } from "../../src/training/coordinator/participant-client.ts";
import { RunFolder } from "../../src/training/coordinator/run-folder.ts";
import type { SecurePhase } from "../../src/training/secure/closed.ts";
import { SecureJournal } from "../../src/training/secure/secure-journal.ts";
import { thresholdOf } from "../../src/training/secure/secure-plan.ts";
import { SecureRound, type Short, type Summed } from "../../src/training/secure/secure-round.ts";

export interface Member {
  readonly id: string;
  readonly change: readonly number[];
  readonly examples: number;
  /** In which phase it drops out: it never hears the question, its answer gets lost, or comes when the sum is being unmasked. */
  readonly drops?: { readonly phase: SecurePhase; readonly lost: "question" | "answer" | "time" };
}

/** Everything that passed between the coordinator and the participants. */
export interface Seen {
  readonly id: string;
  readonly phase: SecurePhase;
  /** What the participant answered, and whether that reached the coordinator in time. */
  readonly answer: Uint8Array;
  readonly inTime: boolean;
}

export const CLIP = 8;
export const MAX_WEIGHT = 100;

export const baseOf = (length: number): Uint8Array =>
  writeSafetensors(new Map([["w", float32(Array.from({ length }, (_, at) => Math.sin(at)))]]));

const floatsIn = (model: Uint8Array): Float32Array =>
  new Float32Array(Uint8Array.from(readSafetensors(Uint8Array.from(model)).get("w")?.bytes ?? []).buffer);

/** The model after a change, and the change that is left of it in float32. */
export function trainedBy(model: Uint8Array, change: readonly number[]): { model: Uint8Array; change: number[] } {
  const base = floatsIn(model);
  const values = base.map((value, at) => value + (change[at] ?? 0));
  return {
    model: writeSafetensors(new Map([["w", float32(values)]])),
    change: Array.from(values, (value, at) => value - (base[at] as number)),
  };
}

/** The words that a member adds to the sum, without any mask. */
export function plainWords(model: Uint8Array, { change, examples }: Member): Uint32Array {
  const left = trainedBy(model, change).change;
  const weight = Math.min(examples, MAX_WEIGHT);
  return secagg.toWords({ length: left.length, pieces: [left] }, weight, { clip: CLIP, maxWeight: MAX_WEIGHT });
}

export function sumOf(rows: readonly Uint32Array[]): Uint32Array {
  const sum = new Uint32Array(rows[0]?.length ?? 0);
  for (const row of rows) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] as number) + (row[at] as number);
  return sum;
}

/** Participants in this process, spoken to by the coordinator's own code, in requests and responses without sockets. */
export class Group {
  readonly seen: Seen[] = [];
  readonly participants: Map<string, Participant>;
  /** Called before a question leaves. */
  before: (id: string, phase: SecurePhase) => void = () => undefined;
  readonly folder: RunFolder;
  private readonly unmasking = Promise.withResolvers<void>();
  private readonly path = mkdtempSync(join(tmpdir(), "turnpike-secure-"));

  constructor(
    readonly members: readonly Member[],
    readonly model: Uint8Array,
    /** Where those are who are not in this process. */
    private readonly urls: ReadonlyMap<string, string> = new Map(),
  ) {
    this.folder = new RunFolder(this.path);
    this.participants = new Map(members.map((member) => [member.id, this.start(member)]));
  }

  /** What a participant knew of rounds is gone. */
  restart(id: string): void {
    this.participants.set(id, this.start(this.members.find((member) => member.id === id) as Member));
  }

  get threshold(): number {
    return thresholdOf({}, this.members.length) as number;
  }

  run(round = 1, deadlineMs = 60_000): Promise<Summed | Short> {
    return new SecureRound({
      secure: { threshold: this.threshold, clip: CLIP, maxWeight: MAX_WEIGHT, deadlineMs: 60_000 },
      retries: 0,
      quorum: this.threshold,
      deadlineMs,
      journal: new SecureJournal(this.folder),
      folder: this.folder,
      participants: { askAll, client: (id) => this.client(id) },
      limitOf: () => null,
      runId: new SecureJournal(this.folder).nameOf("run"),
      round,
      model: this.model,
      length: floatsIn(this.model).length,
      meta: { config: {} },
    }).run(this.members.map(({ id }) => id));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /** One question to one participant, as a coordinator that does as it likes could put it. */
  async ask(
    id: string,
    phase: SecurePhase,
    fields: unknown,
  ): Promise<{ status: number; body: Record<string, unknown> }> {
    const request = new Request(`http://127.0.0.1/secagg/${phase}`, { method: "POST", body: JSON.stringify(fields) });
    const response = await (this.participants.get(id) as Participant).handle(request);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  private start({ change, examples }: Member): Participant {
    const participant = new Participant({ log: false, partial: true });
    participant.registerTrain((parameters) => ({
      parameters: trainedBy(parameters as Uint8Array, change).model,
      numExamples: examples,
    }));
    participant.registerDataset("default", []);
    return participant;
  }

  private client(id: string): ParticipantClient {
    const { drops } = this.members.find((member) => member.id === id) as Member;
    const phases: readonly SecurePhase[] = ["keys", "shares", "masked", "unmask"];
    const place = { id, url: this.urls.get(id) ?? "http://127.0.0.1", tokenEnv: null };
    return new ParticipantClient(place, null, async (url, init) => {
      const phase = url.split("/").at(-1) as SecurePhase;
      this.before(id, phase);
      const gone = drops !== undefined && phases.indexOf(phase) >= phases.indexOf(drops.phase);
      if (gone && drops.lost === "question") throw new Error("nobody is there");
      const response = await (this.urls.has(id)
        ? fetch(url, init)
        : (this.participants.get(id) as Participant).handle(new Request(url, init)));
      const answer = new Uint8Array(await response.clone().arrayBuffer());
      this.seen.push({ id, phase, answer, inTime: !gone });
      if (phase === "unmask" && this.members.some((member) => member.drops?.lost === "time")) {
        this.unmasking.resolve();
        // What comes too late comes now, before anybody has helped to unmask.
        await Bun.sleep(50);
      }
      if (gone && drops.lost === "answer") throw new Error("the answer got lost");
      if (gone) await this.unmasking.promise;
      return response;
    });
  }
}

import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { makeFolderDurably, moveDurably } from "../../lib/durable.ts";
import type { Spooled } from "../wire/spool.ts";
import { type ReplyFacts, type RunFolder, rowOf, type StoredReply } from "./run-folder.ts";

/** What a participant of an asynchronous run was last asked: to begin from this model. */
export interface Ask {
  /** Counted for each participant by itself; it stands for the round on the wire. */
  readonly number: number;
  readonly model: string;
  /** How many models there will be with the next one. */
  readonly round: number;
  readonly isAnswered: boolean;
}

export interface Arrival extends StoredReply {
  readonly arrival: number;
  /** Which ask it answers. */
  readonly asked: number;
}

/** A run of many rounds has more of them than a call takes arguments. */
const largest = (numbers: readonly number[], least: number): number =>
  numbers.reduce((most, number) => Math.max(most, number), least);

/** What arrives in an asynchronous run, in the order of its arrival, and what was asked: all of it on disk, so that a restart knows. */
export class Arrivals {
  private next: number;
  private readonly path: string;

  /** What stands in the rounds already is not counted again. */
  constructor(private readonly folder: RunFolder) {
    this.path = join(folder.path, "arrivals");
    makeFolderDurably(this.path);
    const counted = folder.rounds().flatMap(({ replies }) => replies.map(({ arrival = -1 }) => arrival));
    const last = largest(counted, -1);
    for (const one of this.list()) if (one.arrival <= last) this.remove(one);
    const here = this.list().map(({ arrival }) => arrival);
    this.next = largest(here, last) + 1;
  }

  list(): Arrival[] {
    return readdirSync(this.path)
      .filter((name) => name.endsWith(".json"))
      .sort()
      .map((name) => ({
        ...(JSON.parse(readFileSync(join(this.path, name), "utf8")) as Omit<Arrival, "path">),
        path: join(this.path, name.slice(0, -".json".length)),
      }));
  }

  /** From now on the answer is here. */
  keep({ number, round, model }: Ask, facts: Omit<ReplyFacts, "startedFrom">, { path, sha256, bytes }: Spooled): void {
    const arrival = this.next++;
    const name = `${String(arrival).padStart(10, "0")}.reply`;
    moveDurably(path, join(this.path, name));
    const line = { ...facts, startedFrom: model, round, sha256, bytes, arrival, asked: number };
    this.folder.writeFile(`arrivals/${name}.json`, JSON.stringify(line));
    this.writeAsk(facts.participant, { number, model, round, isAnswered: true });
  }

  remove({ path }: StoredReply): void {
    for (const file of [`${path}.json`, path, rowOf(path)]) rmSync(file, { force: true });
  }

  /** The last ask, asked again where it was not answered; else a new one, to begin from this model. */
  ask(participant: string, model: string, round: number): Ask {
    const last = this.lastAsk(participant);
    if (last !== null && !last.isAnswered) return last;
    const ask = { number: (last?.number ?? 0) + 1, model, round, isAnswered: false };
    this.writeAsk(participant, ask);
    return ask;
  }

  /** It came to nothing; the next ask is a new one. */
  giveUp(participant: string, ask: Ask): void {
    this.writeAsk(participant, { ...ask, isAnswered: true });
  }

  private lastAsk(participant: string): Ask | null {
    const file = join(this.folder.path, this.askFile(participant));
    if (!existsSync(file)) return null;
    const ask = JSON.parse(readFileSync(file, "utf8")) as Ask;
    const isHere = this.list().some((one) => one.participant === participant && one.asked === ask.number);
    return { ...ask, isAnswered: ask.isAnswered || isHere };
  }

  private writeAsk(participant: string, ask: Ask): void {
    this.folder.writeFile(this.askFile(participant), JSON.stringify(ask));
  }

  private askFile(participant: string): string {
    return `asks/${participant}.json`;
  }
}

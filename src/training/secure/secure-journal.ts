import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hashOf, type RunFolder } from "../coordinator/run-folder.ts";
import type { Closed } from "./closed.ts";

interface Entry {
  readonly round: number;
  readonly attempt: number;
  /** What is to be unmasked, once nobody can join any more. */
  readonly closed: (Closed & { readonly sumHash: string }) | null;
}

const [NAME, ENTRY, SUM] = ["secure/name", "secure/round.json", "secure/masked-sum"];

/**
 * What a secure round must not forget. An attempt's number is written before anybody hears of it, and the list of survivors before
 * anybody is asked about it: after a crash either a new attempt begins, or the very same list is asked for again.
 */
export class SecureJournal {
  constructor(private readonly folder: RunFolder) {}

  /** The run's name towards participants: another folder with the same plan is another run. */
  nameOf(runId: string): string {
    const file = join(this.folder.path, NAME);
    if (!existsSync(file)) this.folder.writeFile(NAME, `${runId}-${randomBytes(8).toString("hex")}`);
    return readFileSync(file, "utf8");
  }

  beginAttempt(round: number): number {
    const last = this.entry();
    const attempt = last?.round === round ? last.attempt + 1 : 1;
    this.write({ round, attempt, closed: null });
    return attempt;
  }

  close(round: number, closed: Closed, sum: Uint8Array): void {
    this.folder.writeFile(SUM, sum);
    this.write({ round, attempt: closed.attempt, closed: { ...closed, sumHash: hashOf(sum) } });
  }

  /** An attempt at this round whose survivors are known and may have been asked already. */
  findClosed(round: number): { closed: Closed; sum: Uint8Array } | null {
    const entry = this.entry();
    if (entry === null || entry.round !== round || entry.closed === null) return null;
    const sum = readFileSync(join(this.folder.path, SUM));
    if (hashOf(sum) !== entry.closed.sumHash) throw new Error(`the masked sum in ${this.folder.path} is damaged`);
    return { closed: entry.closed, sum };
  }

  private entry(): Entry | null {
    const file = join(this.folder.path, ENTRY);
    return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Entry) : null;
  }

  private write(entry: Entry): void {
    this.folder.writeFile(ENTRY, JSON.stringify(entry));
  }
}

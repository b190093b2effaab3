import { join } from "node:path";
import { GatewayError } from "../../contract/errors.ts";
import type { CallUnits, UsageRecord } from "../../contract/usage.ts";
import type { Cancel, Timers } from "../../lib/timers.ts";
import type { OpenCall, UsageJournal } from "../books.ts";
import { type EndedCall, endedCall } from "../settle-store.ts";
import type { JournalFiles } from "./files.ts";
import { LineBuffer } from "./line.ts";
import { addEnd, addOpen, progressText } from "./record.ts";
import { Reserve } from "./reserve.ts";
import { Segment } from "./segment.ts";

export interface JournalDeps {
  readonly files: JournalFiles;
  /** Of this process alone. */
  readonly folder: string;
  readonly timers: Timers;
  /** Runs the work when the present tick is over. */
  readonly defer: (work: () => void) => void;
  /** `always`: nothing is waited for in vain if the machine loses its power; each batch waits for the disk. */
  readonly sync: "interval" | "always";
  /** A call has ended; told at once, so that its cost counts from now on. */
  readonly onEnd: (call: EndedCall) => void;
  readonly onFault: (thrown: unknown, what: string) => void;
  readonly segmentBytesMax?: number;
  readonly reserveBytes?: number;
}

const SEGMENT_BYTES_MAX = 16 * 1024 * 1024;
/** For the ends of some three thousand calls. */
const RESERVE_BYTES = 4 * 1024 * 1024;
const SYNC_MS = 50;
const RETRY_MS = 250;
/** Room for less than this is none: it would be gone with the next calls. */
const TRIAL_BYTES = 64 * 1024;

interface Written {
  readonly callId: string;
  readonly isOpen: boolean;
}

/** A line that waits among all others. */
interface Line extends Written {
  readonly start: number;
  readonly end: number;
}

interface KeptLine extends Written {
  readonly bytes: Uint8Array;
}

/** The record of calls on the local disk. What comes in one tick is one write. */
export class FileJournal implements UsageJournal {
  private waiting: Line[] = [];
  private readonly lines = new LineBuffer();
  /** One promise for all that is opened in a tick and one for all that ends: of each line's own, 2 µs of a call were made. */
  private opening: PromiseWithResolvers<void> | null = null;
  private ending: PromiseWithResolvers<void> | null = null;
  /** The ends of calls that a full disk has not taken; they are tried again. */
  private kept: KeptLine[] = [];
  private readonly progressing = new Map<string, string>();
  private readonly running = new Set<string>();
  private readonly segments = new Map<string, Segment>();
  private readonly segmentsOf = new Map<string, readonly Segment[]>();
  private current: Segment | null = null;
  private count = 0;
  private deferred = false;
  private syncing: Cancel | null = null;
  private retrying: Cancel | null = null;
  /** Why nothing is opened, from the first write that failed until there is room again. */
  private fault: { readonly thrown: unknown } | null = null;
  private readonly reserve: Reserve;

  constructor(private readonly deps: JournalDeps) {
    this.reserve = new Reserve(deps.files, deps.folder, deps.reserveBytes ?? RESERVE_BYTES);
  }

  open(call: OpenCall): Promise<void> {
    if (this.fault !== null || !(this.reserve.isHeld || this.takeReserve())) {
      return Promise.reject(diskFull(this.fault?.thrown));
    }
    const start = this.lines.end;
    addOpen(this.lines, call);
    return this.wait(call.record.id, start, true);
  }

  progress(callId: string, units: Partial<CallUnits>, cost: bigint): void {
    if (!this.running.has(callId)) return;
    this.progressing.set(callId, progressText(callId, units, cost));
    this.later();
  }

  end(record: UsageRecord, creditSources: readonly string[]): Promise<void> {
    // What was never opened, such as a hit or a refusal, is refused as new calls are: any number of them would wait in memory.
    if (this.fault !== null && !this.running.has(record.id)) return Promise.reject(diskFull(this.fault.thrown));
    const call = endedCall(record, creditSources);
    this.running.delete(record.id);
    this.progressing.delete(record.id);
    this.deps.onEnd(call);
    const start = this.lines.end;
    addEnd(this.lines, call.row, creditSources);
    return this.wait(record.id, start, false);
  }

  /** Calls that are in the database: files that nobody needs any more go. */
  settled(callIds: readonly string[]): void {
    for (const id of callIds) {
      const segments = this.segmentsOf.get(id);
      if (segments === undefined) continue;
      this.segmentsOf.delete(id);
      for (const segment of segments) {
        segment.unsettled--;
        if (segment.unsettled === 0 && segment !== this.current) this.removeSegment(segment);
      }
    }
    if (this.kept.length === 0) return;
    const ids = new Set(callIds);
    this.kept = this.kept.filter(({ callId }) => !ids.has(callId));
  }

  /** To be called now and then: a file in which everything is settled is not kept until it is full. */
  tidy(): void {
    const { current } = this;
    if (current === null || current.unsettled > 0 || this.waiting.length > 0 || this.progressing.size > 0) return;
    this.current = null;
    this.removeSegment(current);
  }

  /** For metrics, readiness and tests. */
  get standing() {
    let bytes = 0;
    for (const segment of this.segments.values()) bytes += segment.size;
    const { segments, running, kept, fault } = this;
    return { segments: segments.size, bytes, running: running.size, kept: kept.length, fault };
  }

  /** Writes what is left and lets go of the files. Those of calls that are not settled stay for the next start. */
  async close(): Promise<void> {
    this.write();
    this.syncing?.();
    this.retrying?.();
    for (const segment of [...this.segments.values()]) {
      if (segment.unsettled === 0) this.removeSegment(segment);
      else {
        await segment.sync();
        segment.close();
      }
    }
    this.current = null;
    this.segments.clear();
    this.segmentsOf.clear();
    this.reserve.giveUp();
    this.deps.files.removeFolder(this.deps.folder);
  }

  private wait(callId: string, start: number, isOpen: boolean): Promise<void> {
    this.waiting.push({ callId, isOpen, start, end: this.lines.end });
    this.later();
    if (isOpen) {
      this.opening ??= Promise.withResolvers<void>();
      return this.opening.promise;
    }
    this.ending ??= Promise.withResolvers<void>();
    return this.ending.promise;
  }

  private later(): void {
    if (this.deferred) return;
    this.deferred = true;
    this.deps.defer(() => {
      this.deferred = false;
      this.write();
    });
  }

  /** Everything that waits, in one write. */
  private write(): void {
    const { opening, ending, waiting, kept, lines } = this;
    this.opening = null;
    this.ending = null;
    this.waiting = [];
    if (waiting.length === 0 && kept.length === 0 && this.progressing.size === 0) return;
    for (const text of this.progressing.values()) lines.begin().add(text).finish();
    this.progressing.clear();
    const done = (): void => {
      opening?.resolve();
      ending?.resolve();
    };
    try {
      const segment = this.segment();
      const bytes = lines.between(0, lines.end);
      segment.append(kept.length === 0 ? bytes : Buffer.concat([...kept.map((line) => line.bytes), bytes]));
      this.kept = [];
      this.written(segment, kept.length === 0 ? waiting : [...kept, ...waiting], done);
      lines.clear();
    } catch (thrown) {
      // The ends of running calls count already, and are written as soon as there is room; new calls are refused.
      opening?.reject(diskFull(thrown));
      ending?.resolve();
      this.refused(waiting, thrown);
    }
  }

  private written(segment: Segment, lines: readonly Written[], done: () => void): void {
    for (const { callId, isOpen } of lines) {
      if (isOpen) this.running.add(callId);
      const known = this.segmentsOf.get(callId);
      if (known?.includes(segment)) continue;
      segment.unsettled++;
      this.segmentsOf.set(callId, known === undefined ? segment.alone : [...known, segment]);
    }
    if (segment.size >= (this.deps.segmentBytesMax ?? SEGMENT_BYTES_MAX)) this.current = null;
    if (this.deps.sync === "always") this.sync(segment).then(done);
    else {
      this.syncing ??= this.deps.timers.after(SYNC_MS, () => {
        this.syncing = null;
        for (const each of this.segments.values()) void this.sync(each);
      });
      done();
    }
  }

  private refused(lines: readonly Line[], thrown: unknown): void {
    this.deps.onFault(thrown, "the usage journal cannot be written");
    this.fault = { thrown };
    for (const { callId, isOpen, start, end } of lines) {
      // Their place is soon another line's.
      if (!isOpen) this.kept.push({ callId, isOpen, bytes: Buffer.from(this.lines.between(start, end)) });
    }
    this.lines.clear();
    this.retryLater();
    if (this.kept.length > 0 && this.reserve.giveUp()) this.write();
  }

  private retryLater(): void {
    this.retrying ??= this.deps.timers.after(RETRY_MS, () => {
      this.retrying = null;
      this.write();
      if (this.kept.length === 0 && this.retrying === null) this.findRoom();
    });
  }

  /** Without a call: whoever is told that none can be recorded sends none that would find out that it can. */
  private findRoom(): void {
    if (!this.takeReserve()) return;
    try {
      this.segment().tryRoom(TRIAL_BYTES);
      this.fault = null;
    } catch (thrown) {
      this.fault = { thrown };
      this.retryLater();
    }
  }

  /** New calls wait until there is room for their ends. */
  private takeReserve(): boolean {
    try {
      this.reserve.take();
      return true;
    } catch (thrown) {
      if (this.fault === null) this.deps.onFault(thrown, "the usage journal has no room for the ends of calls");
      this.fault = { thrown };
      this.retryLater();
      return false;
    }
  }

  private async sync(segment: Segment): Promise<void> {
    try {
      await segment.sync();
    } catch (thrown) {
      if (this.segments.has(segment.path)) this.deps.onFault(thrown, "the usage journal cannot be forced to the disk");
    }
  }

  private segment(): Segment {
    if (this.current !== null) return this.current;
    this.deps.files.makeFolder(this.deps.folder);
    const path = join(this.deps.folder, `${String(this.count + 1).padStart(8, "0")}.log`);
    const segment = new Segment(path, this.deps.files.create(path));
    this.count++;
    this.segments.set(path, segment);
    this.current = segment;
    return segment;
  }

  private removeSegment(segment: Segment): void {
    this.segments.delete(segment.path);
    try {
      segment.close();
      this.deps.files.remove(segment.path);
    } catch (thrown) {
      this.deps.onFault(thrown, "a settled file of the usage journal cannot be removed");
    }
  }
}

const diskFull = (cause: unknown): GatewayError =>
  new GatewayError("unavailable", "Calls cannot be recorded at the moment; try again shortly.", {
    cause,
    headers: { "retry-after": "1" },
  });

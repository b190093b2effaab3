import { isRecord } from "../../lib/json.ts";

type Fields = Readonly<Record<string, unknown>>;

const KINDS = ["message", "reasoning", "function_call", "other"] as const;
type Kind = (typeof KINDS)[number];

/** An item of the output while it is told. */
export interface OpenItem {
  readonly kind: Kind;
  /** Tells it from the others of the stream. */
  readonly number: number;
  /** Of a call: its place among the calls. */
  readonly call: number;
  /** Its place in the output, where the events say it. */
  readonly index: number | null;
  /** Something of it was told; what was not is told when it is done. */
  hasPieces: boolean;
  isDone: boolean;
}

/**
 * The items of a streamed output. Some servers do not say the place of an item, others give it a new id with each event: what
 * says neither in a way that is known is of the item of its kind that is being told.
 */
export class OpenItems {
  private readonly all: OpenItem[] = [];
  private readonly byPlace = new Map<string, OpenItem>();
  private readonly byId = new Map<unknown, OpenItem>();
  private readonly latest = new Map<Kind, OpenItem>();
  calls = 0;

  /** The item that a piece is of. A call has to have begun, or nobody knows what is called. */
  ofPiece({ output_index: index, item_id: id }: Fields, kind: Kind): OpenItem | null {
    const found = this.find(kind, index, [id]) ?? this.current(kind, index);
    return found ?? (kind === "function_call" ? null : this.add(kind, index, [id]));
  }

  /** Whether an item that begins is new. Where one has ended there may be another: some servers have one place for all. */
  isNew({ output_index: index }: Fields, item: Fields): boolean {
    return this.find(kindOf(item), index, idsOf(item))?.isDone !== false;
  }

  ofEnd({ output_index: index }: Fields, item: Fields): OpenItem | null {
    const kind = kindOf(item);
    return this.find(kind, index, idsOf(item)) ?? this.current(kind, index);
  }

  open({ output_index: index }: Fields, item: Fields): OpenItem {
    return this.add(kindOf(item), index, idsOf(item));
  }

  /** Each item of the whole output with what was told of it. Those that neither place nor id tell apart are told apart by their order. */
  ofOutput(output: readonly unknown[]): (readonly [item: Fields, told: OpenItem | null])[] {
    const found = output.map((item, at) => (isRecord(item) ? this.find(kindOf(item), at, idsOf(item)) : null));
    const taken = new Set(found);
    const left = new Map(
      KINDS.map((kind) => [kind, this.all.filter((open) => open.kind === kind && !taken.has(open)).values()]),
    );
    return output.flatMap((item, at) =>
      isRecord(item) ? [[item, found[at] ?? left.get(kindOf(item))?.next().value ?? null] as const] : [],
    );
  }

  private find(kind: Kind, index: unknown, ids: readonly unknown[]): OpenItem | null {
    const placed = typeof index === "number" ? this.byPlace.get(`${kind} ${index}`) : undefined;
    if (placed) return placed;
    for (const id of ids) {
      const named = this.byId.get(id);
      if (named?.kind === kind && isPossible(named, index)) return named;
    }
    return null;
  }

  private current(kind: Kind, index: unknown): OpenItem | null {
    const last = this.latest.get(kind);
    return last && !last.isDone && isPossible(last, index) ? last : null;
  }

  private add(kind: Kind, index: unknown, ids: readonly unknown[]): OpenItem {
    const place = typeof index === "number" ? index : null;
    const call = kind === "function_call" ? this.calls++ : -1;
    const open = { kind, number: this.all.length, call, index: place, hasPieces: false, isDone: false };
    this.all.push(open);
    this.latest.set(kind, open);
    if (place !== null) this.byPlace.set(`${kind} ${place}`, open);
    for (const id of ids) if (typeof id === "string") this.byId.set(id, open);
    return open;
  }
}

const kindOf = ({ type }: Fields): Kind => KINDS.find((kind) => kind === type) ?? "other";

const idsOf = ({ id, call_id: callId }: Fields): readonly unknown[] => [id, callId];

/** Two places are two items. */
const isPossible = (open: OpenItem, index: unknown): boolean => open.index === null || typeof index !== "number";

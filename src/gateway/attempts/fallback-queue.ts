import type { ErrorKind } from "../../contract/errors.ts";
import type { Fields } from "../call/gateway.ts";
import { type FallbackTable, type FallbackTables, fallbacksOf, type GroupNames } from "./fallback-tables.ts";
import { isRetryable } from "./retry-policy.ts";

/** What a request says about its own fallbacks. */
export interface RequestFallbacks {
  /** Instead of the configured ones. */
  readonly listed: readonly string[] | null;
  /** The same by the group that they stand in for, as the configuration has it. */
  readonly table: FallbackTable | null;
  /** What a model that stands in is asked for with, in place of what the request says. */
  readonly fieldsOf: ReadonlyMap<string, Fields> | null;
  /** For prompts that are too long: what to ask instead of which model. */
  readonly forLongPrompts: Readonly<Record<string, string>> | null;
  readonly disabled: boolean;
}

export const NO_FALLBACKS: RequestFallbacks = {
  listed: null,
  table: null,
  fieldsOf: null,
  forLongPrompts: null,
  disabled: false,
};

/** The groups that stand in for the one that was asked for, in order, each at most once and no more than are allowed. */
export class FallbackQueue {
  private readonly waiting: string[] = [];
  private readonly seen: Set<string>;
  /** How many were asked. */
  private taken = 0;

  constructor(
    private readonly tables: FallbackTables,
    private readonly own: RequestFallbacks,
    asked: string,
    private readonly most: number,
  ) {
    this.seen = new Set([asked]);
  }

  /** `names` are what the group that failed is known by; its own fallbacks come before those that still wait. */
  failed(kind: ErrorKind, names: GroupNames): void {
    if (this.own.disabled) return;
    const found = this.find(kind, names).filter((name) => !this.waiting.includes(name));
    this.waiting.unshift(...found);
  }

  next(): string | null {
    while (this.taken < this.most) {
      const name = this.waiting.shift();
      if (name === undefined) return null;
      if (this.seen.has(name)) continue;
      this.seen.add(name);
      return name;
    }
    return null;
  }

  /** The one that came last is asked. Those that are passed over take nobody's turn. */
  asked(): void {
    this.taken++;
  }

  private find(kind: ErrorKind, names: GroupNames): readonly string[] {
    if (kind === "context_window") {
      const own = this.own.forLongPrompts;
      const { upstreamModel: model, provider } = names;
      const known = model === null ? names.own : [...names.own, model, `${provider}/${model}`];
      const instead = own && known.find((name) => Object.hasOwn(own, name));
      if (own && instead !== null && instead !== undefined) return [own[instead] ?? ""];
      return fallbacksOf(this.tables, "context_window", names) ?? this.general(names);
    }
    if (kind === "content_policy") return fallbacksOf(this.tables, "content_policy", names) ?? this.general(names);
    return isRetryable(kind) ? this.general(names) : [];
  }

  private general(names: GroupNames): readonly string[] {
    const { listed, table } = this.own;
    if (listed) return listed;
    const own = table && fallbacksOf({ ...this.tables, general: table }, "general", names);
    return own ?? fallbacksOf(this.tables, "general", names) ?? [];
  }
}

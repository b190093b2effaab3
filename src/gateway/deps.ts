import type { Catalog } from "../catalog/catalog.ts";
import type { PriceTable } from "../catalog/price-table.ts";
import type { KeyCaller } from "../contract/caller.ts";
import type { Clock } from "../lib/clock.ts";
import type { Deadlines } from "../lib/deadlines.ts";
import type { Logger } from "../lib/log.ts";
import type { Transport } from "../providers/transport.ts";

/** What every inference call stands on. The functions are asked anew for each call: a reload takes effect at once. */
export interface GatewayDeps {
  readonly catalog: () => Catalog;
  readonly settings: () => GatewaySettings;
  readonly transport: Transport;
  readonly prices: PriceTable;
  /** Takes note of what a call has used, by the group that served it. */
  readonly meter: (group: string, usage: unknown) => void;
  readonly deadlines: Deadlines;
  readonly env: (name: string) => string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

export interface GatewaySettings {
  readonly timeoutMs: number;
  /** For the first byte of a stream and for each pause in it. */
  readonly streamTimeoutMs: number;
  readonly dropParams: boolean;
  readonly validateJsonSchema: boolean;
  readonly alwaysIncludeUsage: boolean;
}

/** One call of a caller, before anything is known about where it goes. */
export interface InferenceCall {
  readonly caller: KeyCaller;
  /** The name that the caller asked for: answers carry it, whatever the upstream calls its model. */
  readonly model: string;
  readonly callId: string;
  readonly receivedAtMs: number;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
  /** Held open by the server while an upstream works. */
  readonly connection: { keepOpen(): void; release(): void };
}

export type Fields = Readonly<Record<string, unknown>>;

import type { KeyCaller } from "../contract/caller.ts";
import { newId } from "../lib/ids.ts";
import type { CallSource, GatewayDeps, InferenceCall, OnCost } from "./deps.ts";
import { Told } from "./told.ts";

const NO_CONNECTION = { keepOpen: () => undefined, release: () => undefined };

/** A call that nobody's request is behind: the program makes it itself, in the name of a key. */
export const ownCall = (
  { clock }: Pick<GatewayDeps, "clock">,
  asked: {
    readonly caller: KeyCaller;
    readonly model: string;
    readonly source: CallSource;
    readonly signal: AbortSignal;
    readonly onCost?: OnCost;
  },
): InferenceCall => ({
  ...asked,
  callId: newId(),
  receivedAtMs: clock.monotonicMs(),
  header: () => null,
  told: new Told(),
  connection: NO_CONNECTION,
  own: true,
});

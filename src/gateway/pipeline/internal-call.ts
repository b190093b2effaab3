import type { KeyCaller } from "../../contract/caller.ts";
import type { RequestSource } from "../../contract/request-source.ts";
import { newId } from "../../lib/ids.ts";
import type { CallSource, GatewayDeps, InferenceCall, OnCost } from "../call/gateway.ts";
import { ResponseMetadata } from "../call/response-metadata.ts";

const NO_CONNECTION = { keepOpen: () => undefined, release: () => undefined };

/** A call that nobody's request is behind: the program makes it itself, in the name of a key. */
export const internalCall = (
  { clock }: Pick<GatewayDeps, "clock">,
  asked: {
    readonly caller: KeyCaller;
    readonly model: string;
    readonly source: CallSource;
    /** Of the request that it is made behind, where there was one. */
    readonly headers?: RequestSource["headers"];
    readonly signal: AbortSignal;
    readonly onCost?: OnCost;
  },
): InferenceCall => ({
  ...asked,
  callId: newId(),
  receivedAtMs: clock.monotonicMs(),
  header: (name) => asked.headers?.[name] ?? null,
  responseMeta: new ResponseMetadata(),
  connection: NO_CONNECTION,
  own: true,
});

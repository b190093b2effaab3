import type { Guard } from "./guard.ts";

/** Guardrails that look at a call together, by when they look: the same for every call that has them. */
export class GuardrailSchedule {
  /** For the header that tells them. */
  readonly names: string;
  readonly preCall: readonly Guard[];
  readonly duringCall: readonly Guard[];
  readonly postCall: readonly Guard[];
  /** Those that only watch, and of these the ones that mask what is stored. */
  readonly watching: readonly Guard[];
  readonly maskingStored: readonly Guard[];
  readonly masksRequest: boolean;
  /** Whether an answer is changed by what is found in it, so that nothing else in it may tell the same. */
  readonly masksAnswer: boolean;
  /** Whether what is said has to be JSON. */
  readonly wantsJson: boolean;

  constructor(guards: readonly Guard[]) {
    const isMasking = ({ action }: Guard): boolean => action === "mask";
    this.preCall = guards.filter(({ modes }) => modes.includes("pre_call"));
    this.duringCall = guards.filter(({ modes }) => modes.includes("during_call"));
    this.postCall = guards.filter(({ modes }) => modes.includes("post_call"));
    this.watching = guards.filter(({ modes }) => modes.includes("logging_only"));
    this.maskingStored = this.watching.filter((guard) => guard.detectors && isMasking(guard));
    this.masksRequest = this.preCall.some(isMasking);
    this.masksAnswer = this.postCall.some(isMasking);
    this.wantsJson = this.postCall.some(({ judge }) => judge?.contentOnly === true);
    this.names = guards
      .filter(({ modes }) => modes.some((mode) => mode !== "logging_only"))
      .map(({ name }) => name)
      .join(",");
  }
}

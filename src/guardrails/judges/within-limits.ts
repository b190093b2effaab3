import { GatewayError } from "../../contract/errors.ts";
import type { Finding, Judge, JudgeServices } from "../guard.ts";

interface Limits {
  readonly name: string;
  readonly timeoutMs: number;
  readonly failOpen: boolean;
}

/**
 * A judge that may not answer: its time is limited, and what then happens was configured. Past the time that the caller gave,
 * the call is over in any case: else whoever waits for a moment only would get past a judge that need not answer.
 */
export const withinLimits = (
  { name, timeoutMs, failOpen }: Limits,
  judge: Judge,
  failed: JudgeServices["failed"],
): Judge => ({
  windowChars: judge.windowChars,
  async judge(texts, call) {
    const { leftMs } = call;
    const isHurried = leftMs !== null && leftMs < timeoutMs;
    const limit = new AbortController();
    const signal = AbortSignal.any([call.signal, limit.signal]);
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(signal.reason);
    // A caller that has left before is not told of again, and a judge need not heed signals.
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    const timer = isHurried
      ? setTimeout(() => limit.abort(tooLate(name)), Math.max(0, leftMs))
      : setTimeout(() => limit.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    try {
      const asked = Promise.resolve(judge.judge(texts, { ...call, signal }));
      return await Promise.race<readonly Finding[]>([asked, promise]);
    } catch (cause) {
      if (call.signal.aborted) throw call.signal.reason;
      if (isHurried && limit.signal.aborted) throw limit.signal.reason;
      failed(name, cause, failOpen);
      if (failOpen) return [];
      throw new GatewayError("unavailable", `The guardrail \`${name}\` cannot be asked at the moment.`, { cause });
    } finally {
      clearTimeout(timer);
    }
  },
});

const tooLate = (name: string): GatewayError =>
  new GatewayError("timeout", `The guardrail \`${name}\` did not answer within the time that the request gives.`);

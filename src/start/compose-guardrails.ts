import { stat } from "node:fs/promises";
import { MASTER } from "../accounts/key-standing.ts";
import { countTokens } from "../catalog/tokenizer.ts";
import type { GuardrailDefinition } from "../contract/guardrails.ts";
import type { GatewayDeps } from "../gateway/call/gateway.ts";
import { forwardRequest } from "../gateway/operations/forward.ts";
import { internalCall } from "../gateway/pipeline/internal-call.ts";
import type { JudgeServices } from "../guardrails/guard.ts";
import { GuardrailSet } from "../guardrails/guardrail-set.ts";
import { UNNAMED_CATEGORY } from "../guardrails/judges/moderation.ts";
import type { Clock } from "../lib/clock.ts";
import { newId } from "../lib/ids.ts";
import { isRecord } from "../lib/json.ts";
import type { Logger } from "../lib/log.ts";
import type { Transport } from "../providers/transport.ts";

interface Parts {
  readonly transport: Transport;
  /** The gateway that asks guardrails, and that some of them ask. */
  readonly gateway: () => GatewayDeps;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Before a guardrail's time is up: a deployment that has let it pass until then has failed, and rests. Later, whoever asks has left. */
const AHEAD_MS = 1_000;
/** An answer of a webhook is short. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;

/** What guardrails need to ask others. */
export const judgeServices = ({ transport, gateway, clock, log }: Parts): JudgeServices => ({
  countTokens,
  moderate: (model, texts, limitMs, signal) => moderate(gateway(), model, texts, limitMs, signal),
  async post({ url, headers, body }, signal) {
    const response = await transport.send({ method: "POST", url, headers, body }, signal);
    return { status: response.status, text: await readText(response) };
  },
  load: loadModule,
  failed: (guardrail, err, goesOn) =>
    log.error({ guardrail, err: readable(err), goesOn }, "a guardrail cannot be asked"),
  nowMs: () => clock.nowMs(),
  newId,
});

/** What the runtime throws where a module cannot be loaded holds what cannot be written out. */
function readable(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(isRecord(thrown) ? String(thrown.message) : String(thrown));
  const { name, message, stack = message } = thrown;
  return Object.assign(new Error(message), { name, stack });
}

/** A file that was changed is another module, so that a reload takes it over. */
async function loadModule(path: string): Promise<unknown> {
  const { mtimeMs } = await stat(path);
  return ((await import(`${path}?${mtimeMs}`)) as { default?: unknown }).default;
}

/** No more of an answer is taken in than one may have. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let left = ANSWER_BYTES_MAX;
  let text = "";
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    left -= chunk.byteLength;
    if (left < 0) throw new Error("the guardrail's answer is too long");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The guardrails of the configuration as it is now; made anew when that changes. */
export function liveGuardrails(
  definitions: () => readonly GuardrailDefinition[],
  services: JudgeServices,
): () => GuardrailSet {
  let [made, set] = [definitions(), new GuardrailSet(definitions(), services)];
  return () => {
    const present = definitions();
    if (present !== made) [made, set] = [present, new GuardrailSet(present, services)];
    return set;
  };
}

/** The operator's own call, charged to nobody. No guardrail looks at it: it is one. */
async function moderate(
  gateway: GatewayDeps,
  model: string,
  texts: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<readonly (readonly string[])[]> {
  const source = { endpoint: "guardrail", address: null, userAgent: null, tags: null };
  const slowMs = limitMs - Math.min(AHEAD_MS, limitMs / 2);
  const call = { ...internalCall(gateway, { caller: MASTER, model, source, signal }), unguarded: true, slowMs };
  const answer: unknown = await (
    await forwardRequest(gateway, call, "moderation", { model, input: [...texts] })
  ).json();
  const results = isRecord(answer) && Array.isArray(answer.results) ? answer.results : [];
  if (results.length !== texts.length) throw new Error("the moderation model did not judge every text");
  return results.map(flaggedFor);
}

/** Some models tell their categories alone, others a flag without any. */
function flaggedFor(result: unknown): string[] {
  const { flagged, categories }: Readonly<Record<string, unknown>> = isRecord(result) ? result : {};
  const told = isRecord(categories) ? Object.entries(categories).filter(([, found]) => typeof found === "boolean") : [];
  if (typeof flagged !== "boolean" && told.length === 0) throw new Error("a result of moderation is none");
  const named = told.filter(([, found]) => found).map(([name]) => name);
  return flagged === true && named.length === 0 ? [UNNAMED_CATEGORY] : named;
}

import { GatewayError } from "../../contract/errors.ts";
import { GuardrailBlock } from "../../guardrails/block.ts";
import type { CallGuards, GuardedCall } from "../../guardrails/call-guards.ts";
import type { CallHook } from "../call/call-hooks.ts";
import { clientDeadlineMs } from "../call/call-options.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { PreparedRequest } from "../call/prepared-request.ts";
import { APPLIED } from "../call/response-metadata.ts";
import type { CallAccounting } from "../metering/call-accounting.ts";
import { measurePrompt } from "../metering/prompt-size.ts";
import { logRejectedCall } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";
import { tokensToText } from "../operations/tokens-to-text.ts";
import { clientDisconnected, disconnectedWhileWaiting } from "../pipeline/client-disconnect.ts";
import { wantsJson } from "./expects-json.ts";
import { collectTexts, replaceTexts } from "./request-texts.ts";
import { askedGuardrails } from "./requested-guardrails.ts";
import { ResponseGuard } from "./response-guard.ts";

const NO_TEXTS: readonly string[] = [];

/** The way of a call with guardrails: they look at its request, beside it, and at its answer. */
export class CallGuardrails implements CallHook {
  /** The texts of the request, and these as they may be sent. */
  private texts: readonly string[] | null = null;
  private shown: readonly string[] | null = null;
  private readonly numbers: number[] = [];
  /** Those that look beside the call. */
  private beside: Promise<void> | null = null;
  private accounting: CallAccounting | null = null;

  private constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly prepared: PreparedRequest,
    readonly guards: CallGuards,
  ) {}

  /** Null, and nothing else is done, where no guardrail looks at the call. */
  static of(deps: GatewayDeps, call: InferenceCall, prepared: PreparedRequest): CallGuardrails | null {
    if (call.unguarded) return null;
    const asked = askedGuardrails(prepared.request);
    const guards = deps.guardrails().of(timed(deps, call, prepared), call.caller.guardrails, asked);
    if (guards === null) return null;
    const guardrails = new CallGuardrails(deps, call, prepared, guards);
    prepared.hooks.join(guardrails);
    return guardrails;
  }

  /** The call as it may be sent; throws where it may not. */
  look(): PreparedRequest | Promise<PreparedRequest> {
    const { request } = this.prepared;
    return holdsTokens(request) ? this.lookAtTokens(request) : this.lookAt(request);
  }

  /** Whether the answer has to pass guardrails, too: then it is nobody else's. */
  get checksResponse(): boolean {
    return this.guards.checksResponse || this.beside !== null;
  }

  /** Puts the guardrails before the answer, unless they were done with the request. */
  begin(accounting: CallAccounting): void {
    if (!this.checksResponse && !this.guards.monitorsOnly && this.guards.found === null) return;
    this.accounting = accounting;
    const { operation, request } = this.prepared;
    const saysJson = (operation === "chat" || operation === "completion") && wantsJson(request);
    accounting.guard = new ResponseGuard(
      this.guards,
      operation,
      this.beside,
      saysJson,
      request.anthropic_form === true,
    );
  }

  /** What they found is told once the call has ended. */
  end(): null {
    if (this.accounting !== null) this.tell(this.shown ?? NO_TEXTS);
    return null;
  }

  /** Of a call that the cache answered, or that was never sent, too. */
  leave(): null {
    if (this.shown !== null) this.tell(this.shown);
    return null;
  }

  /** What is thrown in place of what was; a request that they refused is written down, and nobody waits for that. */
  async failureFor(thrown: unknown): Promise<unknown> {
    if (this.texts !== null && this.shown === null && thrown instanceof GatewayError) {
      const { deps, call, prepared } = this;
      logRejectedCall(deps, newRecord(deps, call, prepared.operation, prepared.request, null, "rejected"), thrown);
      this.tell(this.texts);
    }
    if (this.call.signal.aborted && !(thrown instanceof GatewayError)) return this.left();
    // Where the upstream failed as well, a refusal is the better answer.
    const refusal = await refusalOf(this.beside);
    return withNames(refusal ?? thrown, this.guards);
  }

  /** The caller left while somebody was asked. */
  private left(): GatewayError {
    const { deps, call, prepared } = this;
    return this.shown === null ? disconnectedWhileWaiting(deps, call, prepared) : clientDisconnected();
  }

  private async lookAtTokens(request: Fields): Promise<PreparedRequest> {
    return this.lookAt(await this.withoutTokens(request));
  }

  /** Token arrays hide what they say: guardrails get the text that they stand for. */
  private async withoutTokens(request: Fields): Promise<Fields> {
    const readable: Record<string, unknown> = { ...request };
    for (const name of TOKEN_FIELDS) if (isListOfTokens(request[name])) readable[name] = await this.read(name, request);
    return readable;
  }

  /** Only those that may refuse a request have to have it read: where they cannot, nobody can say that it may be sent. */
  private async read(name: TokenField, request: Fields): Promise<string | string[]> {
    const { deps, call, guards } = this;
    if (!guards.checksRequest && !guards.monitorsOnly) return UNREAD;
    try {
      return await tokensToText(deps, call, request[name] as number[], name);
    } catch (thrown) {
      if (guards.checksRequest) throw thrown;
      return UNREAD;
    }
  }

  private lookAt(readable: Fields): PreparedRequest | Promise<PreparedRequest> {
    this.texts = collectTexts(this.prepared.operation, readable, this.numbers);
    const looked = this.guards.request(this.texts);
    return looked instanceof Promise ? this.wait(readable, looked) : this.goOn(readable, looked);
  }

  private async wait(readable: Fields, looked: Promise<readonly string[]>): Promise<PreparedRequest> {
    return this.goOn(readable, await looked);
  }

  private goOn(readable: Fields, shown: readonly string[]): PreparedRequest {
    const { guards, prepared, call } = this;
    const { operation, uploaded } = prepared;
    this.shown = shown;
    for (const index of this.numbers) guards.stoodForNumber(shown[index] ?? "");
    this.beside = guards.during(shown);
    call.responseMeta.guardrails = guards.names;
    const changed = shown === this.texts ? readable : replaceTexts(operation, readable, shown);
    const request = readable === prepared.request ? changed : this.withTokens(readable, changed);
    if (request === prepared.request) return prepared;
    return { ...prepared, request, measure: measurePrompt(operation, request, uploaded) };
  }

  /** Tokens go on as they came where nothing was changed in what they say. */
  private withTokens(readable: Fields, changed: Fields): Fields {
    const { request } = this.prepared;
    const sent: Record<string, unknown> = { ...changed };
    for (const name of TOKEN_FIELDS) {
      const said = readable[name];
      if (said === request[name] || said !== changed[name]) continue;
      sent[name] = request[name];
      this.guards.readAs(name, said === UNREAD ? null : said);
    }
    return changed === readable ? request : sent;
  }

  /** What was found goes to the log, by category; those that only watch have a look before. Nobody waits for it. */
  private tell(asked: readonly string[]): void {
    if (this.guards.monitorsOnly) void this.watch(asked).then(() => this.logFound());
    else this.logFound();
  }

  private async watch(asked: readonly string[]): Promise<void> {
    try {
      await this.guards.observe(asked, "request");
      const said =
        this.accounting === null
          ? this.guards.givenAgain()
          : (this.accounting.guard?.said ?? [this.accounting.delivered.text]);
      await this.guards.observe(
        said.filter((text) => text !== ""),
        "answer",
      );
    } catch (err) {
      this.deps.log.warn({ callId: this.call.callId, err }, "a guardrail could not watch a call");
    }
  }

  private logFound(): void {
    const { found } = this.guards;
    if (found) this.deps.log.info({ callId: this.call.callId, found }, "guardrails found something");
  }
}

/** The call with how long its caller waits for everything together, where it says so. */
function timed({ clock }: GatewayDeps, call: InferenceCall, { options }: PreparedRequest): GuardedCall {
  const deadlineMs = clientDeadlineMs(call, options);
  if (deadlineMs === null) return call;
  const { callId, model, signal } = call;
  return { callId, model, signal, waitsMs: () => deadlineMs - clock.monotonicMs() };
}

/** Where tokens may stand in place of text. */
const TOKEN_FIELDS = ["prompt", "input"] as const;
type TokenField = (typeof TOKEN_FIELDS)[number];
/** No text at all. */
const UNREAD = "";

const holdsTokens = (request: Fields): boolean => isListOfTokens(request.prompt) || isListOfTokens(request.input);

const isListOfTokens = (value: unknown): boolean =>
  Array.isArray(value) && value.some((one) => typeof one === "number" || isTokens(one));

const isTokens = (value: unknown): boolean => Array.isArray(value) && value.some((one) => typeof one === "number");

async function refusalOf(beside: Promise<void> | null): Promise<GuardrailBlock | null> {
  try {
    await beside;
    return null;
  } catch (thrown) {
    return thrown instanceof GuardrailBlock ? thrown : null;
  }
}

function withNames(thrown: unknown, { names }: CallGuards): unknown {
  if (!(thrown instanceof GatewayError) || names === "") return thrown;
  return new GatewayError(thrown.kind, thrown.message, {
    cause: thrown.cause,
    faults: thrown.faults,
    details: thrown.details,
    headers: { ...thrown.headers, [APPLIED]: names },
    ...(thrown.param === null ? {} : { param: thrown.param }),
  });
}

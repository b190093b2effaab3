import { GatewayError } from "../../contract/errors.ts";
import { GuardrailBlock } from "../../guardrails/block.ts";
import type { CallGuards, GuardedCall } from "../../guardrails/call-guards.ts";
import type { Companion } from "../call/call-hooks.ts";
import { ownDeadlineMs } from "../call/call-options.ts";
import type { Fields, GatewayDeps, InferenceCall } from "../call/gateway.ts";
import type { Errand } from "../call/prepared-request.ts";
import { APPLIED } from "../call/response-metadata.ts";
import type { MeteredCall } from "../metering/call-accounting.ts";
import { measurePrompt } from "../metering/prompt-size.ts";
import { noteRefusal } from "../metering/reserve.ts";
import { newRecord } from "../metering/usage-record.ts";
import { tokensToText } from "../operations/tokens-to-text.ts";
import { callerLeft, leftWaiting } from "../pipeline/client-disconnect.ts";
import { wantsJson } from "./expects-json.ts";
import { collectTexts, replaceTexts } from "./request-texts.ts";
import { askedGuardrails } from "./requested-guardrails.ts";
import { AnswerGuard } from "./response-guard.ts";

const NO_TEXTS: readonly string[] = [];

/** The way of a call with guardrails: they look at its request, beside it, and at its answer. */
export class Guarding implements Companion {
  /** The texts of the request, and these as they may be sent. */
  private texts: readonly string[] | null = null;
  private shown: readonly string[] | null = null;
  private readonly numbers: number[] = [];
  /** Those that look beside the call. */
  private beside: Promise<void> | null = null;
  private meter: MeteredCall | null = null;

  private constructor(
    private readonly deps: GatewayDeps,
    private readonly call: InferenceCall,
    private readonly errand: Errand,
    readonly guards: CallGuards,
  ) {}

  /** Null, and nothing else is done, where no guardrail looks at the call. */
  static of(deps: GatewayDeps, call: InferenceCall, errand: Errand): Guarding | null {
    if (call.unguarded) return null;
    const asked = askedGuardrails(errand.request);
    const guards = deps.guardrails().of(timed(deps, call, errand), call.caller.guardrails, asked);
    if (guards === null) return null;
    const guarding = new Guarding(deps, call, errand, guards);
    errand.company.join(guarding);
    return guarding;
  }

  /** The call as it may be sent; throws where it may not. */
  look(): Errand | Promise<Errand> {
    const { request } = this.errand;
    return holdsTokens(request) ? this.lookAtTokens(request) : this.lookAt(request);
  }

  /** Whether the answer has to pass guardrails, too: then it is nobody else's. */
  get looksAtAnswer(): boolean {
    return this.guards.looksAtAnswer || this.beside !== null;
  }

  /** Puts the guardrails before the answer, unless they were done with the request. */
  begin(meter: MeteredCall): void {
    if (!this.looksAtAnswer && !this.guards.watches && this.guards.found === null) return;
    this.meter = meter;
    const { operation, request } = this.errand;
    const saysJson = (operation === "chat" || operation === "completion") && wantsJson(request);
    meter.guard = new AnswerGuard(this.guards, operation, this.beside, saysJson, request.anthropic_form === true);
  }

  /** What they found is told once the call has ended. */
  end(): null {
    if (this.meter !== null) this.tell(this.shown ?? NO_TEXTS);
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
      const { deps, call, errand } = this;
      noteRefusal(deps, newRecord(deps, call, errand.operation, errand.request, null, "rejected"), thrown);
      this.tell(this.texts);
    }
    if (this.call.signal.aborted && !(thrown instanceof GatewayError)) return this.left();
    // Where the upstream failed as well, a refusal is the better answer.
    const refusal = await refusalOf(this.beside);
    return withNames(refusal ?? thrown, this.guards);
  }

  /** The caller left while somebody was asked. */
  private left(): GatewayError {
    const { deps, call, errand } = this;
    return this.shown === null ? leftWaiting(deps, call, errand) : callerLeft();
  }

  private async lookAtTokens(request: Fields): Promise<Errand> {
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
    if (!guards.looksAtRequest && !guards.watches) return UNREAD;
    try {
      return await tokensToText(deps, call, request[name] as number[], name);
    } catch (thrown) {
      if (guards.looksAtRequest) throw thrown;
      return UNREAD;
    }
  }

  private lookAt(readable: Fields): Errand | Promise<Errand> {
    this.texts = collectTexts(this.errand.operation, readable, this.numbers);
    const looked = this.guards.request(this.texts);
    return looked instanceof Promise ? this.wait(readable, looked) : this.goOn(readable, looked);
  }

  private async wait(readable: Fields, looked: Promise<readonly string[]>): Promise<Errand> {
    return this.goOn(readable, await looked);
  }

  private goOn(readable: Fields, shown: readonly string[]): Errand {
    const { guards, errand, call } = this;
    const { operation, uploaded } = errand;
    this.shown = shown;
    for (const index of this.numbers) guards.stoodForNumber(shown[index] ?? "");
    this.beside = guards.during(shown);
    call.told.guardrails = guards.names;
    const changed = shown === this.texts ? readable : replaceTexts(operation, readable, shown);
    const request = readable === errand.request ? changed : this.withTokens(readable, changed);
    if (request === errand.request) return errand;
    return { ...errand, request, measure: measurePrompt(operation, request, uploaded) };
  }

  /** Tokens go on as they came where nothing was changed in what they say. */
  private withTokens(readable: Fields, changed: Fields): Fields {
    const { request } = this.errand;
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
    if (this.guards.watches) void this.watch(asked).then(() => this.logFound());
    else this.logFound();
  }

  private async watch(asked: readonly string[]): Promise<void> {
    try {
      await this.guards.observe(asked, "request");
      const said =
        this.meter === null ? this.guards.givenAgain() : (this.meter.guard?.said ?? [this.meter.delivered.text]);
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
function timed({ clock }: GatewayDeps, call: InferenceCall, { wishes }: Errand): GuardedCall {
  const deadlineMs = ownDeadlineMs(call, wishes);
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

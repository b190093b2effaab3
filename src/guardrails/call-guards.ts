import { recordIn } from "../lib/json.ts";
import { mapJsonText } from "../lib/json-texts.ts";
import { GuardrailBlock } from "./block.ts";
import { type Match, TooMuchFound } from "./detector.ts";
import type { Finding, Guard, JudgedCall } from "./guard.ts";
import type { GuardrailSchedule } from "./guardrail-schedule.ts";
import { findAll, findsAny } from "./scanner.ts";
import { SpanExpander } from "./span-expander.ts";
import { DetectJsonStage } from "./stages/detect-json-stage.ts";
import { JsonStringsStage, type PromptStage } from "./stages/json-strings-stage.ts";
import { quoteMasked } from "./stages/quote-stage.ts";
import { SpanStage } from "./stages/span-stage.ts";
import { chain, type Stage } from "./stages/stage.ts";
import { asJsonText, UnmaskStage, unmaskObject } from "./stages/unmask-stage.ts";
import { WindowStage } from "./stages/window-stage.ts";
import { cutAtPlaceholders, mayHoldPlaceholder, Vault } from "./vault.ts";

/** A call as its guardrails see it. */
export interface GuardedCall {
  readonly callId: string;
  readonly model: string;
  readonly signal: AbortSignal;
  /** How long its caller still waits, where it has said so. */
  readonly waitsMs?: () => number;
}

/** What is stored in place of what must not be, as JSON. */
const WITHHELD_TEXT = "[withheld by a guardrail]";
export const WITHHELD = JSON.stringify(WITHHELD_TEXT);

type Phase = JudgedCall["phase"];
type Extras = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** How a part of an answer is JSON: an object, or something around one; null for not at all. */
type JsonForm = "object" | "text" | null;

/**
 * What a part of an answer is: what the model says, or the JSON text of a tool's arguments, or something beside it. Nothing is
 * put back into what is sealed: its seal would not fit.
 */
export type AnswerPart = "content" | "arguments" | "aside" | "sealed";

/** The guardrails of one call, with what they have masked in it. Most calls have nothing to mask: all else is made when it is. */
export class CallGuards {
  /** What an answer says that was kept and is given again: for those that only watch. */
  givenAgain: () => readonly string[] = () => [];
  private vault: Vault | null = null;
  private counts: Map<string, Map<string, number>> | null = null;
  /** Fields of the request that say something in numbers, as what is stored has them. */
  private inWords: Record<string, unknown> | null = null;

  constructor(
    private readonly schedule: GuardrailSchedule,
    private readonly call: GuardedCall,
    private readonly extras: Extras,
  ) {}

  /** For the header that tells them. */
  get names(): string {
    return this.schedule.names;
  }

  /** Whether a request may be refused or masked. */
  get checksRequest(): boolean {
    return this.schedule.preCall.length > 0 || this.schedule.duringCall.length > 0;
  }

  /** Whether anything has to be done with the answer. */
  get checksResponse(): boolean {
    return this.putsBack || this.judgesAnswer;
  }

  /** Whether an answer may be refused or masked, and is more than given back what was masked in the request. */
  get judgesAnswer(): boolean {
    return this.schedule.postCall.length > 0;
  }

  /** Whether an answer is changed by what is found in it, so that nothing else in it may tell the same. */
  get masksAnswer(): boolean {
    return this.schedule.masksAnswer;
  }

  /** Whether some only watch. */
  get monitorsOnly(): boolean {
    return this.schedule.watching.length > 0;
  }

  /** What was found so far, by guardrail and category; null for nothing. Never what it was. */
  get found(): Readonly<Record<string, Readonly<Record<string, number>>>> | null {
    if (this.counts === null) return null;
    return Object.fromEntries(Array.from(this.counts, ([name, counts]) => [name, Object.fromEntries(counts)]));
  }

  /** The texts of a request as they may be sent; the same list where nothing was masked. */
  request(texts: readonly string[]): readonly string[] | Promise<readonly string[]> {
    const { preCall, masksRequest } = this.schedule;
    if (masksRequest) for (const text of texts) if (mayHoldPlaceholder(text)) this.masked().reserve(text);
    let current: readonly string[] = texts;
    for (let index = 0; index < preCall.length; index++) {
      const next = this.apply(preCall[index] as Guard, current, "request");
      if (next instanceof Promise) return this.applyRest(preCall.slice(index + 1), next);
      current = next;
    }
    return current;
  }

  /** Beside the call: throws where it is to be refused. Null where nobody looks. */
  during(texts: readonly string[]): Promise<void> | null {
    const { duringCall } = this.schedule;
    if (duringCall.length === 0) return null;
    const looking = Promise.all(duringCall.map(async (guard) => this.apply(guard, texts, "request")));
    const done = looking.then(() => undefined);
    // Whoever waits for it may come later than its failure.
    done.catch(() => undefined);
    return done;
  }

  /**
   * What a part of an answer goes through. `keep` hears what may be stored of it: masked, and nothing put back. Into JSON
   * text, which arguments always are and content is where `saysJson` or a guardrail wants it, values are put back with its escapes.
   */
  answer(part: AnswerPart, whole: boolean, keep: (text: string) => void, saysJson = false): Stage {
    const isJson = part === "arguments" || (part === "content" && (saysJson || this.schedule.wantsJson));
    if (!isJson) return this.way(part, whole, keep, null);
    return new DetectJsonStage((sign) => this.way(part, whole, keep, sign === "{" ? "object" : "text"));
  }

  /** Where in an answer that is there as a whole something is found, before anything of it is masked. */
  placesIn(text: string): readonly Match[] {
    return this.schedule.postCall.flatMap((guard) => {
      try {
        return findAll(guard.detectors ?? [], text);
      } catch (thrown) {
        throw refusalOf(guard, thrown, "answer");
      }
    });
  }

  private way(part: AnswerPart, whole: boolean, keep: (text: string) => void, json: JsonForm): Stage {
    const stages: Stage[] = this.schedule.postCall
      .filter(({ judge }) => !judge?.contentOnly || part === "content")
      .flatMap((guard) => {
        const stage = this.stageOf(guard, whole, json);
        return json === "object" && guard.action === "mask" ? [stage, quoteMasked(() => this.masked())] : [stage];
      });
    stages.push(tap(keep));
    if (this.putsBack && part !== "sealed") stages.push(this.unmasking(json));
    return chain(stages);
  }

  /** JSON that a model has written as the caller gets it, for who checks its form: a placeholder is no e-mail address. */
  restored(json: string): string {
    if (!this.putsBack) return json;
    const stage = this.unmasking(json.trimStart().startsWith("{") ? "object" : "text");
    return stage.push(json) + stage.end();
  }

  private unmasking(json: JsonForm): PromptStage {
    if (json === "object") return unmaskObject(this.masked());
    return new UnmaskStage(this.masked(), json === null ? undefined : asJsonText);
  }

  /** What the caller wrote, where an answer only names it. */
  putBack(text: string): string {
    return this.vault?.undo(text) ?? text;
  }

  /** What stands for a number in the JSON of the request, now that it is masked. */
  stoodForNumber(shown: string): void {
    this.vault?.wasNumber(shown);
  }

  /** JSON as it is stored, where guardrails look at what is stored alone. What they cannot mask is not stored; the call goes on. */
  stored(json: string): string {
    let shown = json;
    try {
      for (const guard of this.schedule.maskingStored) {
        const mask = (text: string): string => this.replaceAll(guard, text, "answer", false);
        // Its texts without their escapes, and those of arguments inside of them; then what a name beside a value tells.
        shown = mapJsonText(shown, (text) => (text.startsWith("{") ? mapJsonText(text, mask) : mask(text)));
        const beside = this.replaceAll(guard, shown, "answer", false, true);
        if (beside !== shown) shown = this.quoted(beside);
      }
      return shown;
    } catch (thrown) {
      if (thrown instanceof GuardrailBlock || thrown instanceof RangeError) return WITHHELD;
      throw thrown;
    }
  }

  /** What a field of token numbers says; null where nobody knows. */
  readAs(field: string, text: unknown): void {
    if (this.schedule.maskingStored.length > 0) this.inWords = { ...this.inWords, [field]: text ?? WITHHELD_TEXT };
  }

  /** The same for a request: its token numbers are stored as text, in which something can be found. */
  storedRequest(json: string): string {
    const request = this.inWords && recordIn(json);
    return this.stored(request ? JSON.stringify({ ...request, ...this.inWords }) : json);
  }

  private quoted(json: string): string {
    const stage = quoteMasked(() => this.masked());
    return stage.push(json) + stage.end();
  }

  /** Lets those that only watch have a look; refuses nothing. */
  async observe(texts: readonly string[], phase: Phase): Promise<void> {
    if (texts.length === 0) return;
    for (const guard of this.schedule.watching) {
      if (guard.judge)
        for (const { category } of await guard.judge.judge(texts, this.judged(guard, phase)))
          this.count(guard, category);
      else if (guard.action !== "mask") for (const text of texts) this.look(guard, text);
    }
  }

  private look(guard: Guard, text: string): void {
    const stage = new SpanStage(guard.detectors ?? [], ({ category }, found) => {
      this.count(guard, category);
      return found;
    });
    stage.whole(text);
  }

  /** What was masked so far. */
  private masked(): Vault {
    this.vault ??= new Vault();
    return this.vault;
  }

  /** Whether something that was masked in the request has to stand in the answer again. */
  private get putsBack(): boolean {
    return this.vault !== null && !this.vault.isEmpty;
  }

  private apply(guard: Guard, texts: readonly string[], phase: Phase): readonly string[] | Promise<readonly string[]> {
    if (!guard.judge) return this.replaceEach(guard, texts, phase);
    const found = guard.judge.judge(texts, this.judged(guard, phase));
    return found instanceof Promise
      ? found.then((findings) => this.settle(guard, texts, findings, phase))
      : this.settle(guard, texts, found, phase);
  }

  private async applyRest(guards: readonly Guard[], first: Promise<readonly string[]>): Promise<readonly string[]> {
    let current = await first;
    for (const guard of guards) current = await this.apply(guard, current, "request");
    return current;
  }

  private replaceEach(guard: Guard, texts: readonly string[], phase: Phase): readonly string[] {
    let changed: string[] | null = null;
    for (let index = 0; index < texts.length; index++) {
      const text = texts[index] as string;
      const shown = this.replaceAll(guard, text, phase, guard.reversible);
      if (shown === text) continue;
      changed ??= [...texts];
      changed[index] = shown;
    }
    return changed ?? texts;
  }

  /** Every match of a text that is there as a whole; what was masked before stays. */
  private replaceAll(guard: Guard, text: string, phase: Phase, kept: boolean, isJson = false): string {
    if (this.vault === null) return this.replaceIn(guard, text, phase, kept, isJson);
    const parts = cutAtPlaceholders(this.vault, text);
    const shown = parts.map((part, index) =>
      index % 2 === 1 ? part : this.replaceIn(guard, part, phase, kept, isJson),
    );
    return shown.length === 1 ? (shown[0] ?? "") : shown.join("");
  }

  /** Most texts have nothing to replace: that is looked at first, with nothing made for it. */
  private replaceIn(guard: Guard, text: string, phase: Phase, kept: boolean, isJson: boolean): string {
    try {
      return findsAny(guard.detectors ?? [], text) ? this.spans(guard, phase, kept, isJson).whole(text) : text;
    } catch (thrown) {
      throw refusalOf(guard, thrown, phase);
    }
  }

  /** What a judge has found: refused, or masked where it said at which places. */
  private settle(
    guard: Guard,
    texts: readonly string[],
    findings: readonly Finding[],
    phase: Phase,
  ): readonly string[] {
    if (findings.length === 0) return texts;
    const byText = Map.groupBy(findings, ({ index }) => index);
    // A request without any text can be refused as well.
    const given = texts.length === 0 ? [""] : texts;
    const shown = given.map((text, index) =>
      this.maskPlaces(guard, text, byText.get(index) ?? [], 0, phase, guard.reversible),
    );
    return texts.length === 0 ? texts : shown;
  }

  private maskPlaces(
    guard: Guard,
    text: string,
    findings: readonly Finding[],
    from: number,
    phase: Phase,
    kept: boolean,
  ): string {
    let [out, at] = ["", from];
    const widening = new SpanExpander(text, this.vault);
    for (const { category, start, end } of [...findings].sort((a, b) => (a.start ?? -1) - (b.start ?? -1))) {
      const isRefused = guard.action === "block" || start === null || end === null;
      // Of what is shown once more before a stream's next piece, it was told and masked already.
      if (!isRefused && end <= at) continue;
      this.count(guard, category);
      if (isRefused) throw new GuardrailBlock(guard.name, category, phase);
      const [first, last] = widening.of(start, end);
      const begin = Math.max(first, at);
      out += text.slice(at, begin) + this.masked().mask(text.slice(begin, last), category, kept);
      at = last;
    }
    return out + text.slice(at);
  }

  private stageOf(guard: Guard, whole: boolean, json: JsonForm): Stage {
    const { judge } = guard;
    if (!judge) {
      const spans = (isJson: boolean): PromptStage => bounded(guard, this.spans(guard, "answer", false, isJson));
      if (json === null) return spans(false);
      return chain([spans(true), new JsonStringsStage(() => spans(false))]);
    }
    const judged = this.judged(guard, "answer");
    const settle = (text: string, seen: number, findings: readonly Finding[]): string =>
      this.maskPlaces(guard, text, findings, seen, "answer", false);
    return new WindowStage(
      whole ? null : judge.windowChars,
      (text, seen) => {
        const found = judge.judge([judge.contentOnly ? this.restored(text) : text], judged);
        return found instanceof Promise
          ? found.then((findings) => settle(text, seen, findings))
          : settle(text, seen, found);
      },
      () => new GuardrailBlock(guard.name, "too long to be looked at", "answer"),
    );
  }

  private spans(guard: Guard, phase: Phase, kept: boolean, isJson: boolean): SpanStage {
    return new SpanStage(guard.detectors ?? [], ({ category }: Match, found, before) => {
      this.count(guard, category);
      if (guard.action === "block") throw new GuardrailBlock(guard.name, category, phase);
      if (!isJson) return this.masked().mask(found, category, kept);
      const [first, middle, last] = besideEscapes(found, before);
      return first + (middle === "" ? "" : this.masked().mask(middle, category, kept)) + last;
    });
  }

  private judged(guard: Guard, phase: Phase): JudgedCall {
    const { callId, model, signal, waitsMs } = this.call;
    // An answer is there already, and has been paid for.
    const leftMs = phase === "request" && waitsMs ? waitsMs() : null;
    return { callId, model, signal, phase, leftMs, extra: this.extras.get(guard.name) ?? {} };
  }

  private count({ name }: Guard, category: string): void {
    this.counts ??= new Map();
    const counts = this.counts.get(name) ?? new Map<string, number>();
    this.counts.set(name, counts.set(category, (counts.get(category) ?? 0) + 1));
  }
}

/** What could not be looked through to its end is refused. */
const refusalOf = ({ name }: Guard, thrown: unknown, phase: Phase): unknown =>
  thrown instanceof TooMuchFound ? new GuardrailBlock(name, thrown.category, phase) : thrown;

function bounded(guard: Guard, stage: SpanStage): PromptStage {
  const within = (work: () => string): string => {
    try {
      return work();
    } catch (thrown) {
      throw refusalOf(guard, thrown, "answer");
    }
  };
  return { push: (text) => within(() => stage.push(text)), end: () => within(() => stage.end()) };
}

const tap = (keep: (text: string) => void): Stage => ({
  push(text) {
    keep(text);
    return text;
  },
  end: () => "",
});

/** What of a match in JSON text can be replaced without cutting an escape in two: parts of one at its ends stay. */
function besideEscapes(found: string, before: string): [string, string, string] {
  const slashes = (text: string): number => /\\*$/.exec(text)?.[0].length ?? 0;
  const cut = slashes(before) % 2 === 0 ? 0 : found.startsWith("u") ? 5 : 1;
  const rest = found.slice(cut);
  const kept = slashes(rest) % 2;
  return [found.slice(0, cut), rest.slice(0, rest.length - kept), rest.slice(rest.length - kept)];
}

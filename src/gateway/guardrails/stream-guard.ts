import type { Stage } from "../../guardrails/stages/stage.ts";
import { isRecord, recordIn } from "../../lib/json.ts";
import { eventsOf, SSE_DONE, sseText } from "../../lib/sse.ts";
import { parseAnswer, requireRecord } from "../attempts/read-response.ts";
import { type FrameSource, type Frames, textOf } from "../streaming/write-stream.ts";
import { DeferredNativeFields } from "./deferred-native-fields.ts";
import { dropEchoes, dropOwnForm, type Place, placesOfChoice, takeSources } from "./response-fields.ts";

type Chunk = Record<string, unknown>;

/** What looks at the chunks of a stream. */
interface FrameGuard {
  readonly checksResponse: boolean;
  readonly masksAnswer: boolean;
  readonly judgesAnswer: boolean;
  readonly inBlocks: boolean;
  beside(): Promise<void>;
  nameStop(choice: Chunk): void;
  stage(part: Place["part"], whole: boolean, keep: (text: string) => void): Stage;
}

/** One text of an answer on its way through the guardrails. */
interface RelayDirection {
  readonly stage: Stage;
  readonly choice: number;
  /** The last piece of it: what comes behind it is put into one like this. */
  place: Place;
  /** Of arguments: what came of them, where it matters whether they are whole. */
  given: string;
}

/**
 * A stream whose chunks guardrails look at. What they hold back goes out with a later chunk, at the latest with the one that
 * ends its choice.
 */
export class GuardedFrames implements FrameSource {
  finished = false;
  private readonly lanes = new Map<string, RelayDirection>();
  private readonly echoes = new DeferredNativeFields();
  private last: Chunk = {};
  private begun = false;
  private sent = false;
  private hasSpoken = false;
  private hasEnded = false;
  private silence = "";
  /** Texts that were over before the chunk that is looked at. */
  private over: Chunk[] | null = null;
  private fault: { readonly thrown: unknown } | null = null;

  constructor(
    private readonly source: FrameSource,
    private readonly guard: FrameGuard,
    private readonly keep: (text: string) => void,
    /** The call is refused before anything of it was sent. */
    private readonly refuse: (thrown: unknown) => Promise<void>,
  ) {}

  async next(): Promise<string | null> {
    for (;;) {
      if (this.fault) throw await this.ending(this.fault.thrown);
      if (this.finished) return null;
      const text = await this.pull();
      if (text === "") continue;
      this.sent = true;
      return text;
    }
  }

  close(): void {
    this.source.close();
  }

  /** The next frames, of which there may be none; a fault behind them is kept for the next time. */
  private async pull(): Promise<string> {
    try {
      if (!this.begun) {
        this.begun = true;
        const first = await this.source.next();
        await this.besideFirst();
        return await this.pass(first);
      }
      return await this.pass(await this.source.next());
    } catch (thrown) {
      this.fault = { thrown };
      return thrown instanceof Refused ? "" : this.rest();
    }
  }

  /** What came before an upstream's fault is the caller's all the same. */
  private async rest(): Promise<string> {
    try {
      return this.hasSpoken ? await this.flush() : "";
    } catch (thrown) {
      this.fault = { thrown: new Refused(thrown) };
      return "";
    }
  }

  private async besideFirst(): Promise<void> {
    try {
      await this.guard.beside();
    } catch (thrown) {
      throw new Refused(thrown);
    }
  }

  /** What was found is told to the books before it is to the caller, where the caller has nothing yet. */
  private async ending(thrown: unknown): Promise<unknown> {
    if (!(thrown instanceof Refused)) return thrown;
    if (!this.sent) await this.refuse(thrown.reason);
    return thrown.reason;
  }

  private async pass(given: Frames | null): Promise<string> {
    const frames = given === null ? null : textOf(given);
    if (!this.guard.checksResponse) {
      this.finished = frames === null || this.source.finished;
      return frames ?? "";
    }
    let out = "";
    try {
      for (const { data } of frames === null ? END : eventsOf(frames)) {
        if (data === SSE_DONE) {
          const rest = await this.flush();
          out += this.silence + rest;
          this.silence = "";
          if (frames !== null) out += sseText(SSE_DONE);
          this.finished = true;
          break;
        }
        const chunk = this.read(data);
        if (chunk === null) return out + (await this.rest());
        const left = await this.look(chunk);
        out += this.takeOver();
        if (left) out += this.afterSilence(chunk);
      }
    } catch (thrown) {
      if (out === "") throw new Refused(thrown);
      this.fault = { thrown: new Refused(thrown) };
    }
    return out;
  }

  /** Null, and a fault of the upstream, where it says nothing that can be read. */
  private read(data: string): Chunk | null {
    try {
      return requireRecord(parseAnswer(data));
    } catch (thrown) {
      this.fault = { thrown };
      return null;
    }
  }

  /** Who speaks is told with the first word: an answer that is refused before it is then a plain error. */
  private afterSilence(chunk: Chunk): string {
    const frame = this.silence + sseText(JSON.stringify(chunk));
    this.hasSpoken ||= (chunk.choices as readonly Chunk[]).some(isSpeaking);
    this.silence = this.hasSpoken ? "" : frame;
    return this.hasSpoken ? frame : "";
  }

  /** False where nothing is left of the chunk for now. */
  private async look(chunk: Chunk): Promise<boolean> {
    const choices = (Array.isArray(chunk.choices) ? chunk.choices : []).filter(isRecord);
    if (this.guard.masksAnswer) takeSources(chunk);
    else if (this.guard.judgesAnswer) this.echoes.takeSources(chunk);
    const { choices: _choices, usage: _usage, ...facts } = chunk;
    this.last = facts;
    const left: Chunk[] = [];
    for (const choice of choices) if (await this.lookAt(choice)) left.push(choice);
    chunk.choices = left;
    this.hasEnded ||= choices.some(isEnding);
    if (this.hasEnded && this.lanes.size === 0) this.echoes.giveSources(chunk);
    return left.length > 0 || choices.length === 0;
  }

  private async lookAt(choice: Chunk): Promise<boolean> {
    const index = typeof choice.index === "number" ? choice.index : 0;
    dropOwnForm(choice);
    this.guard.nameStop(choice);
    // Some say all that was said so far beside each piece of it.
    if (isRecord(choice.delta)) delete choice.message;
    if (this.guard.masksAnswer) dropEchoes(choice);
    let held = this.guard.judgesAnswer && this.echoes.take(choice, index);
    const places = placesOfChoice(choice, index);
    if (this.lanes.size > 0) await this.endOthers(places, choice, index);
    let turn = beginsCall(choice) ? CALLS_TURN : 0;
    for (const place of places) {
      const given = String(place.holder[place.field]);
      if (given !== "") turn = Math.max(turn, turnOf(place));
      const lane = this.laneOf(place, index);
      if (this.guard.inBlocks && place.part === "arguments") lane.given += given;
      const shown = await lane.stage.push(given);
      place.holder[place.field] = shown;
      held ||= shown === "" && given !== "";
    }
    const ends = isEnding(choice);
    if (ends) {
      await this.endInto(choice, index);
      this.echoes.give(choice, index);
    } else for (const place of places) if (turnOf(place) < turn) await this.endWithin(choice, place);
    return ends || !held || isTelling(choice);
  }

  private laneOf(place: Place, choice: number): RelayDirection {
    const lane = this.lanes.get(place.lane) ?? {
      stage: this.guard.stage(place.part, false, this.keep),
      choice,
      place,
      given: "",
    };
    this.lanes.set(place.lane, lane);
    lane.place = place;
    return lane;
  }

  /**
   * Where something else begins to be said, what is held back of a text that is over comes before it: thoughts always, and in
   * blocks everything, because there what comes late is a block of its own, or comes to one that has ended.
   */
  private async endOthers(places: readonly Place[], choice: Chunk, index: number): Promise<void> {
    if (!places.some(isSaid) && !beginsCall(choice)) return;
    for (const [name, lane] of this.lanes) {
      if (lane.choice !== index || !this.isOver(lane) || places.some((place) => place.lane === name && isSaid(place)))
        continue;
      this.lanes.delete(name);
      const rest = await lane.stage.end();
      if (rest === "") continue;
      this.over ??= [];
      this.over.push(this.chunkOf(index, lane.place, rest));
    }
  }

  /** The same where the chunk itself says something else behind it. */
  private async endWithin(choice: Chunk, place: Place): Promise<void> {
    const lane = this.lanes.get(place.lane);
    if (!lane || !this.isOver(lane)) return;
    this.lanes.delete(place.lane);
    const rest = await lane.stage.end();
    if (rest !== "") append(choice, place, rest);
  }

  /** Arguments of several calls may come in turns. */
  private isOver({ place, given }: RelayDirection): boolean {
    if (!this.guard.inBlocks) return isThought(place);
    return place.part !== "arguments" || given === "" || recordIn(given) !== null;
  }

  private takeOver(): string {
    if (this.over === null) return "";
    const out = this.over.map((chunk) => this.afterSilence(chunk)).join("");
    this.over = null;
    return out;
  }

  /** What is held back of a choice goes out with the chunk that ends it. */
  private async endInto(choice: Chunk, index: number): Promise<void> {
    for (const [name, lane] of this.lanes) {
      if (lane.choice !== index) continue;
      this.lanes.delete(name);
      const rest = await lane.stage.end();
      if (rest !== "") append(choice, lane.place, rest);
    }
  }

  /** What is held back of choices that never ended, as chunks of its own. */
  private async flush(): Promise<string> {
    let out = "";
    for (const [name, { stage, choice: index, place }] of this.lanes) {
      this.lanes.delete(name);
      const rest = await stage.end();
      if (rest === "") continue;
      out += sseText(JSON.stringify(this.chunkOf(index, place, rest)));
    }
    return out;
  }

  private chunkOf(index: number, place: Place, rest: string): Chunk {
    const isText = place.field === "text";
    const choice: Chunk = { index, ...(isText ? { text: "" } : { delta: {} }), finish_reason: null };
    append(choice, place, rest);
    return { ...this.last, choices: [choice] };
  }
}

/** Thrown by a guardrail, not by the upstream. */
class Refused {
  constructor(readonly reason: unknown) {}
}

const END = [{ data: SSE_DONE }] as const;

const isThought = ({ field }: Place): boolean => field.startsWith("reasoning");

/** In which order the parts of one chunk are said. */
const CALLS_TURN = 2;
const turnOf = (place: Place): number => {
  if (isThought(place)) return 0;
  return place.part === "arguments" ? CALLS_TURN : 1;
};

const isSaid = ({ holder, field }: Place): boolean => holder[field] !== "";

const beginsCall = ({ delta }: Chunk): boolean =>
  isRecord(delta) && Array.isArray(delta.tool_calls) && delta.tool_calls.some((call) => isRecord(call) && call.id);

/** Puts more of a text behind what a choice has of it. */
function append(choice: Chunk, { lane, field, wrap }: Place, rest: string): void {
  if (!isRecord(choice.delta)) {
    choice[field] = String(choice[field] ?? "") + rest;
    return;
  }
  const { delta } = choice;
  if (wrap) {
    delta.content = [...(Array.isArray(delta.content) ? delta.content : []), wrap(rest)];
    return;
  }
  const [, kind = "", position = "0"] = lane.split("/");
  if (kind === "tool" || kind === "custom") {
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls : [];
    const index = Number(position);
    const holder = kind === "tool" ? "function" : "custom";
    const own = calls.find((one) => isRecord(one) && one.index === index);
    const said = isRecord(own) ? own[holder] : null;
    if (isRecord(said)) said[field] = String(said[field] ?? "") + rest;
    else delta.tool_calls = [...calls, { index, [holder]: { [field]: rest } }];
  } else if (kind === "function" || kind === "audio") {
    const holder = kind === "function" ? "function_call" : "audio";
    const own = isRecord(delta[holder]) ? delta[holder] : {};
    delta[holder] = { ...own, [field]: String(own[field] ?? "") + rest };
  } else delta[field] = String(delta[field] ?? "") + rest;
}

/** Whether a choice tells anything beside texts that are held back, such as who speaks or which tool is called. */
function isTelling(choice: Chunk): boolean {
  const said = isRecord(choice.delta) ? choice.delta : choice;
  return Object.entries(said).some(([name, value]) => {
    if (name === "index" || value === "" || value === null || value === undefined) return false;
    if (name === "tool_calls" && Array.isArray(value)) return value.some(isTellingCall);
    return name !== "logprobs" && name !== "finish_reason";
  });
}

/** Whether a choice says, calls or ends something. */
function isSpeaking({ delta, finish_reason, ...choice }: Chunk): boolean {
  const said = isRecord(delta) ? delta : choice;
  const { role: _role, ...rest } = said;
  return isEnding({ finish_reason }) || isTelling(isRecord(delta) ? { delta: rest } : rest);
}

const isEnding = ({ finish_reason }: Chunk): boolean => finish_reason !== null && finish_reason !== undefined;

const isTellingCall = (call: unknown): boolean =>
  !isRecord(call) ||
  call.id !== undefined ||
  !isRecord(call.function) ||
  call.function.name !== undefined ||
  (typeof call.function.arguments === "string" && call.function.arguments !== "");

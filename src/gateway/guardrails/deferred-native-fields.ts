import { isRecord } from "../../lib/json.ts";
import { takeBeside, takeEchoes, takeSources } from "./response-fields.ts";

type Holder = Record<string, unknown>;
type Echoes = { logprobs: Holder | null; readonly beside: Holder; readonly said: Holder };

/** What tells again what is held back waits as well: it goes out with the end of its choice, once nothing of that is refused. */
export class DeferredNativeFields {
  private readonly held = new Map<number, Echoes>();
  private sources: Holder | null = null;

  /** Takes them out of a chunk, beside its choices. */
  takeSources(chunk: Holder): void {
    const taken = takeSources(chunk);
    if (taken === null) return;
    this.sources ??= {};
    for (const name in taken) this.sources[name] = taken[name];
  }

  /** Puts all of them into a chunk, once no choice has anything held back. */
  giveSources(chunk: Holder): void {
    if (this.sources !== null) Object.assign(chunk, this.sources);
    this.sources = null;
  }

  /** Takes them out of a chunk's choice; whether there were any. */
  take(choice: Holder, index: number): boolean {
    const echoes = this.held.get(index) ?? { logprobs: null, beside: {}, said: {} };
    let found = false;
    if (isRecord(choice.logprobs)) {
      echoes.logprobs ??= {};
      for (const name in choice.logprobs) addTo(echoes.logprobs, name, choice.logprobs[name]);
      choice.logprobs = null;
      found = true;
    }
    const beside = takeBeside(choice);
    for (const name in beside) addTo(echoes.beside, name, beside[name]);
    found ||= beside !== null;
    for (const said of [choice.delta, choice.message]) {
      const taken = isRecord(said) ? takeEchoes(said) : null;
      if (taken === null) continue;
      for (const name in taken) addTo(echoes.said, name, taken[name]);
      found = true;
    }
    if (found) this.held.set(index, echoes);
    return found;
  }

  /** Puts all of them into the chunk that ends the choice. */
  give(choice: Holder, index: number): void {
    const echoes = this.held.get(index);
    if (!echoes) return;
    this.held.delete(index);
    if (echoes.logprobs) choice.logprobs = echoes.logprobs;
    Object.assign(choice, echoes.beside);
    if (Object.keys(echoes.said).length === 0) return;
    const delta = { ...(isRecord(choice.delta) ? choice.delta : {}) };
    for (const name in echoes.said) addTo(delta, name, echoes.said[name]);
    choice.delta = delta;
  }
}

/** Lists go on from chunk to chunk, and so do the fields of a provider's own; of anything else the last one counts. */
function addTo(holder: Holder, name: string, value: unknown): void {
  const previous = holder[name];
  if (isRecord(previous) && isRecord(value)) holder[name] = { ...previous, ...value };
  else if (Array.isArray(previous) && Array.isArray(value)) for (const one of value) previous.push(one);
  else if (value !== null || previous === undefined) holder[name] = value;
}

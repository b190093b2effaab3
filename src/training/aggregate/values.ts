/** The numbers of one model, wherever they lie: in memory, or in a file that is read block by block. */
export interface Values {
  readonly length: number;
  /** Fills `into` with the numbers from `start` on; there are as many as that. */
  read(start: number, into: Float32Array): void;
}

export function inMemory(values: Float32Array): Values {
  return { length: values.length, read: (start, into) => into.set(values.subarray(start, start + into.length)) };
}

/** The same number everywhere. */
export const broadcast = (length: number, value: number): Values => ({ length, read: (_, into) => into.fill(value) });

/** global + factor * (values - base), rounded as in two steps: a change shortened, or carried over to another model. */
export function changed(values: Values, base: Values, global: Values, factor: number): Values {
  let [own, from] = [new Float32Array(0), new Float32Array(0)];
  return {
    length: values.length,
    read(start, into) {
      if (own.length < into.length) [own, from] = [new Float32Array(into.length), new Float32Array(into.length)];
      values.read(start, own.subarray(0, into.length));
      base.read(start, from.subarray(0, into.length));
      global.read(start, into);
      for (let at = 0; at < into.length; at++) {
        const change = Math.fround((own[at] as number) - (from[at] as number));
        into[at] = (into[at] as number) + factor * change;
      }
    },
  };
}

/** Part of the numbers, from one place up to another. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export const wholeOf = (values: readonly Values[]): Span => ({ from: 0, to: lengthOf(values) });

export function lengthOf(values: readonly Values[]): number {
  const [first] = values;
  if (first === undefined) throw new RangeError("there is nothing to aggregate");
  if (values.some(({ length }) => length !== first.length)) throw new RangeError("the models are not of one length");
  return first.length;
}

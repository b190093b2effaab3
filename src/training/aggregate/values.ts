/** The numbers of one model, wherever they lie: in memory, or in a file that is read block by block. */
export interface Values {
  readonly length: number;
  /** Fills `into` with the numbers from `start` on; there are as many as that. */
  read(start: number, into: Float32Array): void;
}

export function inMemory(values: Float32Array): Values {
  return { length: values.length, read: (start, into) => into.set(values.subarray(start, start + into.length)) };
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

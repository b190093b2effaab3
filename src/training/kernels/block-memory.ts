/** How many numbers of each input are worked on at once: few enough that all of them stay near the processor. */
export const BLOCK = 4096;
/** The most inputs that any kernel has. */
export const INPUTS_MAX = 64;
const PAGE = 65_536;

/** Where things lie: inputs of one block each, then sums in float64, the output, the weights, and what a sum is divided by. */
export const SUMS_AT = INPUTS_MAX * BLOCK * 4;
export const OUTPUT_AT = SUMS_AT + BLOCK * 8;
export const WEIGHTS_AT = OUTPUT_AT + BLOCK * 4;
export const DIVISOR_AT = WEIGHTS_AT + INPUTS_MAX * 8;
const BYTES = DIVISOR_AT + 8;

/** The memory that all kernels of a thread work in, one at a time. */
export class BlockMemory {
  readonly memory = new WebAssembly.Memory({ initial: Math.ceil(BYTES / PAGE) });
  readonly inputs: readonly Float32Array[] = Array.from(
    { length: INPUTS_MAX },
    (_, at) => new Float32Array(this.memory.buffer, at * BLOCK * 4, BLOCK),
  );
  readonly output = new Float32Array(this.memory.buffer, OUTPUT_AT, BLOCK);
  readonly weights = new Float64Array(this.memory.buffer, WEIGHTS_AT, INPUTS_MAX);
  private readonly divisors = new Float64Array(this.memory.buffer, DIVISOR_AT, 1);

  set divisor(value: number) {
    this.divisors[0] = value;
  }
}

let own: BlockMemory | null = null;

/**
 * One for the thread: for a new memory the runtime collects all garbage again and again, which took 20 ms of each mean of two
 * small models in a process with a million objects.
 */
export function blockMemory(): BlockMemory {
  own ??= new BlockMemory();
  return own;
}

export type Kernel = () => void;

export function instantiate(bytes: Uint8Array<ArrayBuffer>): Kernel {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { m: blockMemory().memory } });
  return instance.exports.run as Kernel;
}

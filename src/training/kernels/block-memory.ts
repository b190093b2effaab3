/** How many numbers of each input are worked on at once: few enough that all of them stay near the processor. */
export const BLOCK = 4096;
const PAGE = 65_536;

/** The memory of a kernel: inputs of one block each, then sums in float64, then weights. */
export class BlockMemory {
  readonly memory: WebAssembly.Memory;
  readonly sumsAt: number;
  readonly weightsAt: number;
  readonly outputAt: number;

  constructor(readonly inputs: number) {
    this.sumsAt = inputs * BLOCK * 4;
    this.outputAt = this.sumsAt + BLOCK * 8;
    this.weightsAt = this.outputAt + BLOCK * 4;
    const bytes = this.weightsAt + (inputs + 1) * 8;
    this.memory = new WebAssembly.Memory({ initial: Math.ceil(bytes / PAGE) });
  }

  input(at: number): Float32Array {
    return new Float32Array(this.memory.buffer, at * BLOCK * 4, BLOCK);
  }

  get output(): Float32Array {
    return new Float32Array(this.memory.buffer, this.outputAt, BLOCK);
  }

  /** The weights of the inputs, and behind them what the sum is divided by. */
  get weights(): Float64Array {
    return new Float64Array(this.memory.buffer, this.weightsAt, this.inputs + 1);
  }
}

export type Kernel = () => void;

export function instantiate(bytes: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory): Kernel {
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { m: memory } });
  return instance.exports.run as Kernel;
}

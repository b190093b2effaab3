import { BLOCK, DIVISOR_AT, instantiate, type Kernel, OUTPUT_AT, SUMS_AT, WEIGHTS_AT } from "./block-memory.ts";
import { moduleOf, op } from "./wasm-bytes.ts";

/** How many inputs one pass adds up. */
export const GROUP_MAX = 16;

interface Pass {
  readonly inputs: number;
  /** Whether the sums begin at zero, or go on from where the pass before left them. */
  readonly first: boolean;
  /** Whether the sums are divided and written as the result. */
  readonly last: boolean;
}

/**
 * Adds weight times value of each input, in their order, in float64; the last pass divides and rounds once. Each number has a
 * sum of its own, so the result does not depend on how the work is cut up. No fused multiply-add: it would differ by machine.
 */
export function meanKernel(pass: Pass): Kernel {
  const key = `${pass.inputs} ${pass.first} ${pass.last}`;
  let kernel = kernels.get(key);
  if (kernel === undefined) {
    kernel = instantiate(compile(pass));
    kernels.set(key, kernel);
  }
  return kernel;
}

/** Four for each number of inputs at most. */
const kernels = new Map<string, Kernel>();

const AT = 0;
const TWICE = 1;
const [LOW, HIGH, VALUE, DIVISOR, WEIGHTS] = [2, 3, 4, 5, 6] as const;

function compile({ inputs, first, last }: Pass): Uint8Array<ArrayBuffer> {
  const code: number[] = [];
  for (let input = 0; input < inputs; input++) {
    code.push(...op.i32(0), ...op.loadSplat64(WEIGHTS_AT + input * 8), ...op.set(WEIGHTS + input));
  }
  code.push(...op.i32(0), ...op.loadSplat64(DIVISOR_AT), ...op.set(DIVISOR));
  code.push(...op.loop, ...op.get(AT), ...op.i32(1), ...op.shl, ...op.set(TWICE));
  if (first) code.push(...op.zero, ...op.set(LOW), ...op.zero, ...op.set(HIGH));
  else code.push(...op.get(TWICE), ...op.load(SUMS_AT), ...op.set(LOW));
  if (!first) code.push(...op.get(TWICE), ...op.load(SUMS_AT + 16), ...op.set(HIGH));
  for (let input = 0; input < inputs; input++) code.push(...addInput(input));
  code.push(...(last ? writeMean : keepSums));
  code.push(...op.get(AT), ...op.i32(16), ...op.add, ...op.tee(AT), ...op.i32(BLOCK * 4), ...op.lessThan);
  code.push(...op.brIf(0), ...op.end);
  return moduleOf({ parameters: 0, integers: 2, vectors: 4 + inputs, code });
}

function addInput(input: number): number[] {
  const weighted = [...op.promote, ...op.get(WEIGHTS + input), ...op.multiplyDoubles, ...op.addDoubles];
  return [
    ...[...op.get(AT), ...op.load(input * BLOCK * 4), ...op.set(VALUE)],
    ...[...op.get(LOW), ...op.get(VALUE), ...weighted, ...op.set(LOW)],
    ...[...op.get(HIGH), ...op.get(VALUE), ...op.get(VALUE), ...op.upperHalf, ...weighted, ...op.set(HIGH)],
  ];
}

const keepSums: readonly number[] = [
  ...[...op.get(TWICE), ...op.get(LOW), ...op.store(SUMS_AT)],
  ...[...op.get(TWICE), ...op.get(HIGH), ...op.store(SUMS_AT + 16)],
];

const writeMean: readonly number[] = [
  ...op.get(AT),
  ...[...op.get(LOW), ...op.get(DIVISOR), ...op.divideDoubles, ...op.demote],
  ...[...op.get(HIGH), ...op.get(DIVISOR), ...op.divideDoubles, ...op.demote],
  ...[...op.join, ...op.store(OUTPUT_AT)],
];

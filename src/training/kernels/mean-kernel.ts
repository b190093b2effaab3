import { BLOCK, type BlockMemory, instantiate, type Kernel } from "./block-memory.ts";
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
export function meanKernel(memory: BlockMemory, pass: Pass): Kernel {
  return instantiate(compile(memory, pass), memory.memory);
}

const AT = 0;
const TWICE = 1;
const [LOW, HIGH, VALUE, DIVISOR, WEIGHTS] = [2, 3, 4, 5, 6] as const;

function compile(memory: BlockMemory, { inputs, first, last }: Pass): Uint8Array<ArrayBuffer> {
  const code: number[] = [];
  const weightAt = (input: number) => memory.weightsAt + input * 8;
  for (let input = 0; input < inputs; input++) {
    code.push(...op.i32(0), ...op.loadSplat64(weightAt(input)), ...op.set(WEIGHTS + input));
  }
  code.push(...op.i32(0), ...op.loadSplat64(weightAt(memory.inputs)), ...op.set(DIVISOR));
  code.push(...op.loop, ...op.get(AT), ...op.i32(1), ...op.shl, ...op.set(TWICE));
  if (first) code.push(...op.zero, ...op.set(LOW), ...op.zero, ...op.set(HIGH));
  else code.push(...op.get(TWICE), ...op.load(memory.sumsAt), ...op.set(LOW));
  if (!first) code.push(...op.get(TWICE), ...op.load(memory.sumsAt + 16), ...op.set(HIGH));
  for (let input = 0; input < inputs; input++) code.push(...addInput(input));
  code.push(...(last ? writeMean(memory) : keepSums(memory)));
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

const keepSums = ({ sumsAt }: BlockMemory): number[] => [
  ...[...op.get(TWICE), ...op.get(LOW), ...op.store(sumsAt)],
  ...[...op.get(TWICE), ...op.get(HIGH), ...op.store(sumsAt + 16)],
];

const writeMean = ({ outputAt }: BlockMemory): number[] => [
  ...op.get(AT),
  ...[...op.get(LOW), ...op.get(DIVISOR), ...op.divideDoubles, ...op.demote],
  ...[...op.get(HIGH), ...op.get(DIVISOR), ...op.divideDoubles, ...op.demote],
  ...[...op.join, ...op.store(outputAt)],
];

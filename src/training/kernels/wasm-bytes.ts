/** The few parts of WebAssembly that the kernels are written in, as bytes. */
export const op = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  end: [0x0b],
  brIf: (depth: number) => [0x0d, ...unsigned(depth)],
  get: (local: number) => [0x20, ...unsigned(local)],
  set: (local: number) => [0x21, ...unsigned(local)],
  tee: (local: number) => [0x22, ...unsigned(local)],
  i32: (value: number) => [0x41, ...signed(value)],
  add: [0x6a],
  shl: [0x74],
  lessThan: [0x49],
  load: (offset: number) => [0xfd, 0x00, 0x04, ...unsigned(offset)],
  store: (offset: number) => [0xfd, 0x0b, 0x04, ...unsigned(offset)],
  loadSplat64: (offset: number) => [0xfd, 0x0a, 0x03, ...unsigned(offset)],
  zero: [0xfd, 0x0c, ...new Array<number>(16).fill(0)],
  /** The upper half of the first operand becomes the lower half. */
  upperHalf: [0xfd, 0x0d, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15],
  /** The lower halves of two operands, one after the other. */
  join: [0xfd, 0x0d, 0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23],
  promote: [0xfd, 0x5f],
  demote: [0xfd, 0x5e],
  /** The second operand where it is smaller, else the first: one instruction on every machine. */
  lesser: [0xfd, 0xea, 0x01],
  /** The second operand where it is larger, else the first. */
  greater: [0xfd, 0xeb, 0x01],
  addDoubles: [0xfd, 0xf0, 0x01],
  multiplyDoubles: [0xfd, 0xf2, 0x01],
  divideDoubles: [0xfd, 0xf3, 0x01],
} as const;

const I32 = 0x7f;
const V128 = 0x7b;

interface KernelFunction {
  /** Numbers of 32 bits that it takes. */
  readonly parameters: number;
  /** Further locals: numbers of 32 bits, then vectors. */
  readonly integers: number;
  readonly vectors: number;
  readonly code: readonly number[];
}

/** A module with one function `run` over an imported memory. */
export function moduleOf({ parameters, integers, vectors, code }: KernelFunction): Uint8Array<ArrayBuffer> {
  const body = [2, ...unsigned(integers), I32, ...unsigned(vectors), V128, ...code, 0x0b];
  const bytes = [
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, ...unsigned(parameters), ...new Array<number>(parameters).fill(I32), 0]),
    ...section(2, [1, 1, 0x65, 1, 0x6d, 0x02, 0x00, 0x00]),
    ...section(3, [1, 0]),
    ...section(7, [1, 3, 0x72, 0x75, 0x6e, 0x00, 0x00]),
    ...section(10, [1, ...unsigned(body.length), ...body]),
  ];
  return Uint8Array.from(bytes);
}

const section = (id: number, content: readonly number[]): number[] => [id, ...unsigned(content.length), ...content];

function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest === 0 ? low : low | 0x80);
  } while (rest !== 0);
  return bytes;
}

function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0);
    bytes.push(done ? low : low | 0x80);
    if (done) return bytes;
  }
}

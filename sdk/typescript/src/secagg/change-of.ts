import { Failure, invalid } from "../failure.ts";
import { readTensors } from "../tensors/read-tensors.ts";
import { fromSmall } from "../tensors/small-floats.ts";
import { asFloat32, type Tensor, type Tensors } from "../tensors/tensor.ts";
import type { Change } from "./fixed-point.ts";

const FLOATS: ReadonlySet<string> = new Set(["F32", "F16", "BF16"]);
const PIECE = 16_384;

const wrong = (why: string) =>
  new Failure(500, "invalid_result", `the train function's model cannot be summed: ${why}`);

interface Part {
  readonly name: string;
  readonly from: Numbers;
  readonly to: Numbers;
}

/** The numbers of a tensor as they lie there; `at` tells one of them. */
interface Numbers {
  readonly length: number;
  at(place: number): number;
}

/** What training changed, in float64 and in the order of the tensors. Integers are not summed. */
export function changeOf(base: Uint8Array, trained: Uint8Array): Change {
  const [before, after] = [readTensors(base), readTrained(trained)];
  if (after.size !== before.size) throw wrong(`it has ${after.size} tensors, not ${before.size}`);
  const parts = [...before].flatMap(([name, tensor]): Part[] => {
    if (tensor.dtype === "F64") {
      throw invalid("unsupported_format", `${name} is F64; floats of 32 bits or fewer are summed`);
    }
    const own = after.get(name);
    if (own === undefined) throw wrong(`it has no tensor ${name}`);
    if (own.dtype !== tensor.dtype) throw wrong(`${name} is ${own.dtype}, not ${tensor.dtype}`);
    if (own.shape.join() !== tensor.shape.join()) throw wrong(`${name} is [${own.shape}], not [${tensor.shape}]`);
    return FLOATS.has(tensor.dtype) ? [{ name, from: numbersOf(tensor), to: numbersOf(own) }] : [];
  });
  const length = parts.reduce((sum, { from }) => sum + from.length, 0);
  if (length === 0) throw invalid("unsupported_format", "the parameters have no floats that could be summed");
  return { length, pieces: piecesOf(parts) };
}

/** Piece by piece in one array: the change of a large model never exists as a whole. */
function* piecesOf(parts: readonly Part[]): Generator<Float64Array> {
  const piece = new Float64Array(PIECE);
  for (const { name, from, to } of parts) {
    for (let start = 0; start < from.length; start += PIECE) {
      const count = Math.min(PIECE, from.length - start);
      for (let at = 0; at < count; at++) {
        const value = to.at(start + at) - from.at(start + at);
        if (!Number.isFinite(value)) throw wrong(`${name} holds a number that is not finite`);
        piece[at] = value;
      }
      yield piece.subarray(0, count);
    }
  }
}

function readTrained(bytes: Uint8Array): Tensors {
  try {
    return readTensors(bytes);
  } catch (thrown) {
    throw wrong(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function numbersOf(tensor: Tensor): Numbers {
  const { dtype, bytes } = tensor;
  if (dtype === "F32") {
    const values = asFloat32(tensor);
    return { length: values.length, at: (place) => values[place] as number };
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const kind = dtype as "F16" | "BF16";
  return { length: bytes.length >> 1, at: (place) => fromSmall(view.getUint16(place * 2, true), kind) };
}

import { Failure, invalid } from "../failure.ts";
import { readTensors } from "../tensors/read-tensors.ts";
import { fromSmall } from "../tensors/small-floats.ts";
import type { Tensor, Tensors } from "../tensors/tensor.ts";

const FLOATS: ReadonlySet<string> = new Set(["F32", "F16", "BF16"]);

const wrong = (why: string) =>
  new Failure(500, "invalid_result", `the train function's model cannot be summed: ${why}`);

/** What training changed, as one row of float64 in the order of the tensors. Integers are not summed. */
export function changeOf(base: Uint8Array, trained: Uint8Array): Float64Array {
  const [before, after] = [readTensors(base), readTrained(trained)];
  if (after.size !== before.size) throw wrong(`it has ${after.size} tensors, not ${before.size}`);
  const parts = [...before].flatMap(([name, tensor]) => {
    if (tensor.dtype === "F64")
      throw invalid("unsupported_format", `${name} is F64; floats of 32 bits or fewer are summed`);
    const own = after.get(name);
    if (own === undefined) throw wrong(`it has no tensor ${name}`);
    if (own.dtype !== tensor.dtype) throw wrong(`${name} is ${own.dtype}, not ${tensor.dtype}`);
    if (own.shape.join() !== tensor.shape.join()) throw wrong(`${name} is [${own.shape}], not [${tensor.shape}]`);
    return FLOATS.has(tensor.dtype) ? [{ name, from: floatsOf(tensor), to: floatsOf(own) }] : [];
  });
  const change = new Float64Array(parts.reduce((sum, { from }) => sum + from.length, 0));
  if (change.length === 0) throw invalid("unsupported_format", "the parameters have no floats that could be summed");
  let place = 0;
  for (const { name, from, to } of parts) {
    for (let at = 0; at < from.length; at++, place++) {
      const value = (to[at] as number) - (from[at] as number);
      if (!Number.isFinite(value)) throw wrong(`${name} holds a number that is not finite`);
      change[place] = value;
    }
  }
  return change;
}

function readTrained(bytes: Uint8Array): Tensors {
  try {
    return readTensors(bytes);
  } catch (thrown) {
    throw wrong(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function floatsOf({ dtype, bytes }: Tensor): Float32Array {
  const { buffer } = new Uint8Array(bytes);
  if (dtype === "F32") return new Float32Array(buffer);
  return Float32Array.from(new Uint16Array(buffer), (bits) => fromSmall(bits, dtype as "F16" | "BF16"));
}

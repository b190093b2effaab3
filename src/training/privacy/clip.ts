import { difference, moved, normOf } from "../vectors.ts";

/** The model whose change is no longer than `norm`; as it is where it was shorter. */
export function clipUpdate(values: Float32Array, global: Float32Array, norm: number): Float32Array {
  const change = difference(values, global);
  const length = normOf(change);
  return length <= norm ? values : moved(global, change, norm / length);
}

import { Failure } from "./failure.ts";
import type { Method } from "./functions.ts";
import { writeSafetensors } from "./tensors/safetensors.ts";
import { isTensors } from "./tensors/tensor.ts";

/** What is answered: bytes or numbers, checked, with the names of the wire. */
export interface Result {
  readonly parameters?: Uint8Array;
  readonly numbers: ReadonlyArray<readonly [name: string, value: number | Readonly<Record<string, number>>]>;
}

const wrong = (message: string) => new Failure(500, "invalid_result", message);

/** How many examples a training says that it had; one when it says nothing. */
export function numExamplesOf({ numbers }: Result): number {
  const count = numbers.find(([name]) => name === "num_examples")?.[1];
  return typeof count === "number" ? count : 1;
}

export function readResult(method: Method, returned: unknown): Result {
  return method === "evaluate" ? readEvaluation(returned) : readParameters(method, returned);
}

function readParameters(method: Method, returned: unknown): Result {
  const rich = isRecord(returned) && "parameters" in returned ? returned : null;
  const parameters = asBytes(rich ? rich.parameters : returned);
  if (parameters === null) throw wrong(`the ${method} function must return bytes or named tensors`);
  return { parameters, numbers: rich ? extras(method, rich) : [] };
}

function readEvaluation(returned: unknown): Result {
  const rich = isRecord(returned) && "accuracy" in returned ? returned : null;
  const accuracy = asNumber(rich ? rich.accuracy : returned);
  if (accuracy === null) throw wrong("the evaluate function gave no finite number");
  return { numbers: [["accuracy", accuracy], ...(rich ? extras("evaluate", rich) : [])] };
}

function extras(method: Method, rich: Record<string, unknown>): Result["numbers"] {
  const numbers: Array<[string, number | Record<string, number>]> = [];
  const { loss, metrics } = rich;
  const numExamples = rich.numExamples ?? rich.num_examples;
  if (method === "evaluate" && loss !== undefined) numbers.push(["loss", finite("loss", loss)]);
  if (numExamples !== undefined) {
    const count = finite("num_examples", numExamples);
    if (!Number.isSafeInteger(count) || count < 0) throw wrong("num_examples is not a count");
    numbers.push(["num_examples", count]);
  }
  if (metrics !== undefined) {
    if (!isRecord(metrics)) throw wrong("metrics is not an object of numbers");
    const entries = Object.entries(metrics).map(([name, value]) => [name, finite(`metrics.${name}`, value)] as const);
    numbers.push(["metrics", Object.fromEntries(entries)]);
  }
  return numbers;
}

function finite(name: string, value: unknown): number {
  const number = asNumber(value);
  if (number === null) throw wrong(`${name} is not a finite number`);
  return number;
}

/** Numbers of any kind: a bigint, or a tensor of one element that has `item()`. */
function asNumber(value: unknown): number | null {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  const item = isRecord(value) ? value.item : undefined;
  return typeof item === "function" ? asNumber(item.call(value)) : null;
}

function asBytes(value: unknown): Uint8Array | null {
  if (value instanceof Uint8Array) return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  return isTensors(value) ? writeSafetensors(value) : null;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !ArrayBuffer.isView(value) && !(value instanceof Map);
}

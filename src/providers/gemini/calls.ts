import type { Message } from "../../contract/chat.ts";
import { GatewayError } from "../../contract/errors.ts";
import { isRecord, parseJson } from "../../lib/json.ts";
import { type Rules, usesCallIds } from "./rules.ts";
import { callSignature, LOST_SIGNATURE } from "./signature.ts";
import type { Part } from "./wire.ts";

/** The calls made so far, by id: Google knows a result by the function's name. */
export type CallNames = Map<string, { readonly name: string; readonly order: number }>;

/** The function calls of an assistant message, which are remembered in `names`. */
export function encodeCalls(message: Message, names: CallNames, rules: Rules): Part[] {
  const given: readonly unknown[] = message.tool_calls ?? [];
  const older = message.function_call;
  const calls = given.length === 0 && older ? [{ id: older.name, function: older }] : given;
  return calls.map((call, at) => {
    const { id, name, args, signature } = readCall(call);
    if (id !== null) names.set(id, { name, order: names.size });
    // In a turn of several calls Google seals the first, and asks for the seal there.
    const seal = signature ?? (at === 0 && rules.traits.checksSignatures ? LOST_SIGNATURE : null);
    return {
      functionCall: { ...(usesCallIds(rules) && id !== null ? { id } : {}), name, args },
      ...(seal === null ? {} : { thoughtSignature: seal }),
    };
  });
}

function readCall(call: unknown) {
  const func = isRecord(call) ? call.function : null;
  if (!isRecord(call) || !isRecord(func) || typeof func.name !== "string" || func.name === "") {
    throw new GatewayError("invalid_request", "A tool call of an assistant message has no function name.", {
      param: "messages",
    });
  }
  return {
    id: typeof call.id === "string" && call.id !== "" ? call.id : null,
    name: func.name,
    args: argumentsOf(func.arguments),
    signature: callSignature(call),
  };
}

/** A model may have written broken arguments; the conversation about them has to go on. */
function argumentsOf(given: unknown): Record<string, unknown> {
  if (isRecord(given)) return given;
  if (typeof given !== "string" || given.trim() === "") return {};
  try {
    const parsed = parseJson(given);
    if (isRecord(parsed)) return parsed;
  } catch {
    // Not JSON: shown to the model as it wrote it.
  }
  return { arguments: given };
}

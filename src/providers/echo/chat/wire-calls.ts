import type { AnsweredCall } from "./answer.ts";

interface CallForms {
  /** The call with its identity: whole in a plain answer, with no input yet in a stream. */
  readonly opening: (input: string) => object;
  /** One more piece of the input in a stream. */
  readonly continued: (piece: string) => object;
}

/** A tool call in OpenAI's wire form: functions carry `arguments`, custom tools `input`. */
export function newCall({ kind, name }: AnsweredCall, id: string): CallForms {
  const head = { id: `call_${id}`, type: kind };
  if (kind === "custom") {
    return {
      opening: (input) => ({ ...head, custom: { name, input } }),
      continued: (piece) => ({ custom: { input: piece } }),
    };
  }
  return {
    opening: (input) => ({ ...head, function: newFunctionCall(name, input) }),
    continued: (piece) => ({ function: { arguments: piece } }),
  };
}

export function newFunctionCall(name: string, input: string): object {
  return { name, arguments: input };
}

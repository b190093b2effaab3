import { type CallMeta, type Question, questionOf } from "../coordinator/question.ts";
import { jsonBlob } from "./json-form.ts";
import type { Spooled } from "./spool.ts";

/** The forms of a request that a plan allows; with "auto" the participant decides. */
export type Wire = "auto" | "binary" | "json";
/** Writes the bytes of a body to a file. */
export type Spool = (pieces: AsyncIterable<Uint8Array>) => Promise<Spooled>;

/** The form of a request: multipart, JSON at the path of its operation, or JSON at `/call`. */
export type Form = "binary" | "json" | "call";
export type Operation = "train" | "evaluate" | "aggregate";

/** One request in the forms that participants need. */
export interface RequestBodies {
  readonly operation: Operation;
  of(form: Form): Question | Promise<Question>;
}

interface ModelRequest {
  readonly operation: Operation;
  /** Null: the participant starts from nothing. */
  readonly modelPath: string | null;
  readonly meta: CallMeta;
  /** The other fields in JSON. */
  readonly jsonFields: Readonly<Record<string, unknown>>;
}

/** Makes a request with one model. Each form is made once, for the first participant that needs it. */
export function modelBodies({ operation, modelPath, meta, jsonFields }: ModelRequest): RequestBodies {
  const made = new Map<Form, Question>();
  const make = (form: Form): Question => {
    if (form === "binary") return questionOf(modelPath, meta);
    const fields = withMethod(form, operation, jsonFields);
    return { type: "application/json", body: jsonBlob({ fields, models: modelPath }) };
  };
  return {
    operation,
    of(form) {
      const body = made.get(form) ?? make(form);
      made.set(form, body);
      return body;
    },
  };
}

/** At `/call` the body names the operation. */
export const withMethod = (form: Form, operation: Operation, fields: Readonly<Record<string, unknown>>) =>
  form === "call" ? { method: operation, ...fields } : fields;

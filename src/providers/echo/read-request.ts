import type { Form } from "./call.ts";
import { badRequest } from "./failure.ts";
import type { Fields } from "./fields.ts";
import { isFields } from "./fields.ts";

interface ReadRequest {
  readonly body: Fields;
  readonly form: Form | undefined;
}

export async function readRequest(request: Request): Promise<ReadRequest> {
  if (request.method === "GET") return { body: {}, form: undefined };
  const isForm = request.headers.get("content-type")?.startsWith("multipart/form-data") ?? false;
  return isForm ? readForm(request) : { body: await readJson(request), form: undefined };
}

/** Echo does its work on the event loop of the gateway, so what it takes is bounded: this is its context. */
const CONTEXT_CHARS_MAX = 2 * 1024 * 1024;

async function readJson(request: Request): Promise<Fields> {
  const text = await request.text();
  if (text.length > CONTEXT_CHARS_MAX) {
    const message = `This model's maximum context length is ${CONTEXT_CHARS_MAX} characters; the request has ${text.length}.`;
    throw badRequest(message, "messages", "context_length_exceeded");
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("The body of the request is not valid JSON.", null, "invalid_json");
  }
  if (isFields(value)) return value;
  throw badRequest("The body of the request must be a JSON object.", null, "invalid_type");
}

async function readForm(request: Request): Promise<ReadRequest> {
  const form = await request.formData().catch(() => {
    throw badRequest("The body of the request is not a valid multipart form.", null, "invalid_multipart");
  });
  const body: Record<string, unknown> = {};
  for (const [name, value] of form) if (typeof value === "string") body[name] = value;
  if (typeof body.echo_fault === "string") body.echo_fault = parseFaultText(body.echo_fault);
  return { body, form };
}

function parseFaultText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest("'echo_fault' is not valid JSON.", "echo_fault", "invalid_json");
  }
}

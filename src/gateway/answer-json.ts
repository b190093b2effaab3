import type { Deployment } from "../catalog/deployment.ts";
import { GatewayError } from "../contract/errors.ts";
import { isRecord } from "../lib/json.ts";
import { answerHeaders } from "./answer-headers.ts";

export interface AnswerContext {
  /** The name that the caller asked for: the answer carries it, whatever the upstream calls its model. */
  readonly model: string;
  readonly deployment: Deployment;
}

export async function answerJson(response: Response, context: AnswerContext): Promise<Response> {
  const body = await readAnswer(response);
  body.model = context.model;
  return Response.json(body, { headers: answerHeaders(context.deployment) });
}

/** An answer that is not a JSON object never reaches the caller. */
async function readAnswer(response: Response): Promise<Record<string, unknown>> {
  let body: unknown;
  try {
    body = await response.json();
  } catch (cause) {
    throw new GatewayError("upstream", "The provider's answer is not valid JSON.", { cause });
  }
  if (!isRecord(body)) throw new GatewayError("upstream", "The provider's answer is not a JSON object.");
  return body;
}

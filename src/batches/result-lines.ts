import { newNamedId } from "../lib/ids.ts";
import type { CallAnswer } from "./batch-deps.ts";

const newRequestId = (): string => newNamedId("batch_req_");

const UNCALLED = {
  expired: {
    code: "batch_expired",
    message: "This request could not be executed before the completion window expired.",
  },
  cancelled: { code: "batch_cancelled", message: "This request was not executed: the batch was cancelled." },
} as const;

/** The line of a file that tells what a call was answered with. */
export function answeredLine(customId: string, answer: Extract<CallAnswer, { kind: "answer" }>): string {
  const response = { status_code: answer.status, request_id: answer.requestId, body: answer.body };
  return JSON.stringify({ id: newRequestId(), custom_id: customId, response, error: null });
}

/** The line that tells why there was no call. */
export const uncalledLine = (customId: string, why: keyof typeof UNCALLED): string =>
  JSON.stringify({ id: newRequestId(), custom_id: customId, response: null, error: UNCALLED[why] });

import { hmacHex } from "../../lib/hmac.ts";
import { recordIn } from "../../lib/json.ts";
import type { Judge, JudgeServices } from "../guard.ts";
import { readFindings } from "./read-findings.ts";

export interface WebhookSettings {
  readonly name: string;
  readonly url: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly windowChars: number;
}

/**
 * Somebody else's judgement, over HTTP. The body is signed with its time and an id, so that nobody else can ask and nothing
 * can be asked twice unnoticed: `v1,` and the HMAC-SHA-256, in hexadecimal, of `<id>.<seconds>.<body>`.
 */
export const webhook = (
  { name, url, secret, headers, windowChars }: WebhookSettings,
  { post, nowMs, newId }: Pick<JudgeServices, "post" | "nowMs" | "newId">,
): Judge => ({
  windowChars,
  async judge(texts, { callId, model, phase, extra, signal }) {
    const body = JSON.stringify({ guardrail: name, phase, callId, model, texts, extra });
    const [id, seconds] = [newId(), String(Math.floor(nowMs() / 1000))];
    const signed = {
      "content-type": "application/json",
      "webhook-id": id,
      "webhook-timestamp": seconds,
      "webhook-signature": `v1,${hmacHex(secret, `${id}.${seconds}.${body}`)}`,
    };
    const { status, text } = await post({ url, headers: { ...headers, ...signed }, body }, signal);
    if (status < 200 || status > 299) throw new Error(`the guardrail's address answered ${status}`);
    const answer = recordIn(text);
    // The parser would tell what it stumbled over, and that may be a part of what is being judged.
    if (!answer) throw new Error("the guardrail's answer is no JSON object");
    return readFindings(answer.findings, texts);
  },
});

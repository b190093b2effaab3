import { recordIn } from "../lib/json.ts";
import type { Send } from "./coordinator/participant-client.ts";
import type { Probe } from "./records.ts";

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const NAMES_MAX = 100;
const TEXT_MAX = 200;

const NO_INFO: readonly number[] = [404, 405];
const METHOD_NOT_ALLOWED = 405;

/** Asks a participant how it is, and what it has. What it says is its own word, so it is cut and never more than text. */
export async function probeParticipant(send: Send, url: string, token: string | null): Promise<Omit<Probe, "at">> {
  const failed = (detail: string) => ({ ok: false, detail: detail.slice(0, TEXT_MAX), datasets: [] });
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const headers: Record<string, string> = { accept: "application/json" };
    if (token !== null) headers.authorization = `Bearer ${token}`;
    const response = await send(`${url}/info`, { method: "GET", headers, signal });
    if (!response.ok) {
      await response.body?.cancel();
      if (response.status === 401) return failed("It wants another token.");
      if (NO_INFO.includes(response.status) && (await trainsWithoutInfo(send, url, { headers, signal })))
        return { ok: true, detail: "a participant of the contract, without /info", datasets: [] };
      return failed(`It answered ${response.status}.`);
    }
    const info = recordIn(await readSome(response));
    const methods = textsOf(info?.methods);
    if (info === null || methods.length === 0) return failed("What answers there is no participant.");
    if (!methods.includes("train")) return failed("It does not train.");
    const name = typeof info.name === "string" ? info.name : "a participant without a name";
    return { ok: true, detail: name.slice(0, TEXT_MAX), datasets: textsOf(info.datasets) };
  } catch (thrown) {
    const isLate = thrown instanceof Error && thrown.name === "TimeoutError";
    return failed(isLate ? "It did not answer in time." : thrown instanceof Error ? thrown.message : String(thrown));
  }
}

/** Whether a server without `/info` has a path of the contract: it then refuses a GET there, and trains nothing. */
async function trainsWithoutInfo(send: Send, url: string, init: RequestInit): Promise<boolean> {
  for (const path of ["/train", "/call"]) {
    const response = await send(url + path, { ...init, method: "GET" });
    await response.body?.cancel();
    if (response.status === METHOD_NOT_ALLOWED) return true;
  }
  return false;
}

const textsOf = (value: unknown): string[] =>
  Array.isArray(value)
    ? value
        .filter((one) => typeof one === "string")
        .slice(0, NAMES_MAX)
        .map((one) => one.slice(0, TEXT_MAX))
    : [];

async function readSome(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of response.body ?? []) {
    length += part.length;
    if (length > ANSWER_BYTES_MAX) return "";
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

import { isRecord } from "../../src/lib/json.ts";

/** What a client saw of its call. */
export interface Seen {
  readonly marker: string;
  readonly streamed: boolean;
  /** `whole`: all of the answer; `cut`: it began and broke off; `refused`: an error answer; `lost`: no answer at all. */
  readonly outcome: "whole" | "cut" | "refused" | "lost";
  readonly status: number | null;
}

export interface Load {
  readonly seen: readonly Seen[];
  /** No further calls are begun; resolves when the running ones have ended. */
  stop(): Promise<void>;
}

/** Clients that call one after the other, plain and streamed in turn, each call with a marker of its own. */
export function startLoad(url: () => string, key: string, clients: number, nextMarker: () => string): Load {
  const seen: Seen[] = [];
  let stopped = false;
  const run = async (): Promise<void> => {
    for (let turn = 0; !stopped; turn++) {
      const result = await callOnce(url(), key, nextMarker(), turn % 2 === 0);
      seen.push(result);
      // A client of a server that is gone does not spin.
      if (result.outcome === "lost") await Bun.sleep(25);
    }
  };
  const running = Array.from({ length: clients }, run);
  return {
    seen,
    async stop() {
      stopped = true;
      await Promise.all(running);
    },
  };
}

async function callOnce(url: string, key: string, marker: string, streamed: boolean): Promise<Seen> {
  let status: number | null = null;
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({
        model: "counted",
        stream: streamed,
        user: marker,
        messages: [{ role: "user", content: "count me" }],
      }),
    });
    ({ status } = response);
    const text = await response.text();
    if (!response.ok) return { marker, streamed, outcome: "refused", status };
    return { marker, streamed, outcome: isWhole(text, streamed) ? "whole" : "cut", status };
  } catch {
    return { marker, streamed, outcome: status === null ? "lost" : "cut", status };
  }
}

function isWhole(text: string, streamed: boolean): boolean {
  if (streamed) return text.endsWith("data: [DONE]\n\n");
  try {
    const answer: unknown = JSON.parse(text);
    return isRecord(answer) && isRecord(answer.usage);
  } catch {
    return false;
  }
}

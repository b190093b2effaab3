import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import type { KeyApi } from "../../api/key-api.ts";
import { readEvents } from "../../api/read-events.ts";
import { keyOf } from "./keys.ts";
import type { Message, Run } from "./records.ts";

/** What a run says while it is streamed. The server has all of it; this is how it is seen at once. */
export interface LiveRun {
  /** What the person has just said. */
  readonly said: string | null;
  readonly runId: string | null;
  readonly texts: readonly { readonly id: string; readonly text: string }[];
}

interface Delta {
  readonly id: string;
  readonly delta: { readonly content?: readonly { readonly text?: { readonly value?: string } }[] };
}

const NOTHING: LiveRun = { said: null, runId: null, texts: [] };

/** Runs an assistant on a thread and follows the stream of what happens. A page that is left does not end the run. */
export function useThreadRun(api: KeyApi, threadId: string) {
  const client = useQueryClient();
  const [live, setLive] = useState<LiveRun | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const leave = useRef(new AbortController());
  useEffect(() => {
    leave.current = new AbortController();
    return () => leave.current.abort();
  }, []);
  const renew = (...what: readonly string[]) =>
    client.invalidateQueries({ queryKey: keyOf(api, "threads", threadId, ...what) });

  /** Whether the call was taken; what becomes of the run, the run itself says. */
  const follow = async (path: string, json: object, said: string | null): Promise<boolean> => {
    const { signal } = leave.current;
    setError(null);
    setLive({ ...NOTHING, said });
    let isTaken = false;
    try {
      const response = await api.open("POST", path, { ...json, stream: true }, signal);
      isTaken = true;
      for await (const { name, data } of readEvents(response)) {
        if (data === "[DONE]") break;
        const event = JSON.parse(data) as unknown;
        if (name === "error") throw new ApiError({ status: 502, headers: response.headers }, event);
        if (/^thread\.run\.(created|step\.(created|completed))$/.test(name)) void renew();
        setLive((before) => withEvent(before ?? NOTHING, name, event));
      }
    } catch (thrown) {
      if (!signal.aborted) setError(thrown as Error);
    }
    if (signal.aborted) return isTaken;
    await renew();
    setLive(null);
    return isTaken;
  };
  return { live, error, follow, renew };
}

function withEvent(live: LiveRun, name: string, event: unknown): LiveRun {
  if (name === "thread.message.delta") {
    const { id, delta } = event as Delta;
    const piece = (delta.content ?? []).map(({ text }) => text?.value ?? "").join("");
    const at = live.texts.findIndex((one) => one.id === id);
    const before = live.texts[at];
    if (before === undefined) return { ...live, texts: [...live.texts, { id, text: piece }] };
    return { ...live, texts: live.texts.with(at, { id, text: before.text + piece }) };
  }
  if (name === "thread.message.created") {
    return { ...live, texts: [...live.texts, { id: (event as Message).id, text: "" }] };
  }
  if (name === "thread.run.created" || name === "thread.run.queued") return { ...live, runId: (event as Run).id };
  return live;
}

import { useCallback, useRef, useState } from "react";
import { call } from "../../api/client.ts";
import { type ChatSettings, chatBody } from "./chat-settings.ts";
import { type Answer, type Column, type Entry, messagesOf, newAnswer, newId, openCalls } from "./conversation.ts";
import { isAnythingSaid, readPieces, withPiece } from "./read-answer.ts";

const newColumn = (model: string): Column => ({ id: newId(), model, entries: [] });

/** Conversations beside each other: what is asked goes to all of them at once. */
export function useChat(models: readonly string[], keyId: string | null, settings: ChatSettings) {
  const [columns, setColumns] = useState<readonly Column[]>(() => models.map(newColumn));
  const running = useRef(new Map<string, AbortController>());
  const [runs, setRuns] = useState(0);

  const change = useCallback((columnId: string, edit: (column: Column) => Column): void => {
    setColumns((all) => all.map((column) => (column.id === columnId ? edit(column) : column)));
  }, []);

  const run = async (column: Column, entries: readonly Entry[]): Promise<void> => {
    let answer = newAnswer(column.model);
    const show = (next: Answer): void => {
      answer = next;
      change(column.id, ({ entries: shown, ...rest }) => ({
        ...rest,
        entries: shown.some(({ id }) => id === next.id)
          ? shown.map((entry) => (entry.id === next.id ? next : entry))
          : [...entries, next],
      }));
    };
    const abort = new AbortController();
    running.current.set(column.id, abort);
    setRuns(running.current.size);
    const startMs = performance.now();
    const elapsed = (): number => Math.round(performance.now() - startMs);
    show(answer);
    try {
      const response = await call("POST", "/v1/chat/completions", {
        json: chatBody(column.model, messagesOf(entries, settings.system), settings),
        headers: { "x-gw-key-id": keyId ?? "" },
        signal: abort.signal,
      });
      show({ ...answer, timing: { ...answer.timing, callId: response.headers.get("x-gw-call-id") } });
      for await (const piece of readPieces(response)) {
        const next = withPiece(answer, piece, response);
        const isFirst = answer.timing.firstMs === null && isAnythingSaid(next);
        show(isFirst ? { ...next, timing: { ...next.timing, firstMs: elapsed() } } : next);
      }
      show({ ...answer, state: "done", timing: { ...answer.timing, totalMs: elapsed() } });
    } catch (thrown) {
      const timing = { ...answer.timing, totalMs: elapsed() };
      if (abort.signal.aborted) show({ ...answer, state: "stopped", timing });
      else show({ ...answer, state: "failed", error: thrown as Error, timing });
    } finally {
      if (running.current.get(column.id) === abort) running.current.delete(column.id);
      setRuns(running.current.size);
    }
  };

  return {
    columns,
    isRunning: runs > 0,
    ask(text: string, images: readonly string[]): void {
      for (const column of columns) {
        if (column.model === "" || running.current.has(column.id)) continue;
        // Calls that nobody has answered would make the next question invalid.
        const skipped = openCalls(column.entries).map(({ id, name }) => resultOf(id, name, "(no answer)"));
        const question: Entry = { kind: "question", id: newId(), text, images };
        void run(column, [...column.entries, ...skipped, question]);
      }
    },
    answerTool(columnId: string, callId: string, name: string, text: string): void {
      const column = columns.find(({ id }) => id === columnId);
      if (!column) return;
      const entries = [...column.entries, resultOf(callId, name, text)];
      change(columnId, (one) => ({ ...one, entries }));
      if (openCalls(entries).length === 0) void run({ ...column, entries }, entries);
    },
    /** The last question once more, with the settings as they are now. */
    again(columnId: string): void {
      const column = columns.find(({ id }) => id === columnId);
      if (!column || running.current.has(columnId)) return;
      const at = column.entries.findLastIndex(({ kind }) => kind === "answer");
      if (at >= 0) void run(column, column.entries.slice(0, at));
    },
    stop(): void {
      for (const abort of running.current.values()) abort.abort();
    },
    clear(): void {
      for (const abort of running.current.values()) abort.abort();
      setColumns((all) => all.map((column) => ({ ...newColumn(column.model) })));
    },
    setModel: (columnId: string, model: string): void => change(columnId, (column) => ({ ...column, model })),
    add: (model: string): void => setColumns((all) => [...all, newColumn(model)]),
    remove(columnId: string): void {
      running.current.get(columnId)?.abort();
      setColumns((all) => all.filter(({ id }) => id !== columnId));
    },
  };
}

const resultOf = (callId: string, name: string, text: string): Entry => ({
  kind: "result",
  id: newId(),
  callId,
  name,
  text,
});

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { upload } from "../../api/upload.ts";
import { keyOf } from "./keys.ts";
import type { StoredFile } from "./records.ts";

export interface Upload {
  readonly id: string;
  readonly name: string;
  /** From 0 to 1. */
  readonly share: number;
  readonly error: Error | null;
  readonly stop: () => void;
}

/** Files on their way, one after the other; one that is over is in the list, one that failed stays until it is put away. */
export function useUploads(api: KeyApi, onStored?: (file: StoredFile) => Promise<unknown>) {
  const client = useQueryClient();
  const [uploads, setUploads] = useState<readonly Upload[]>([]);
  const leave = useRef(new AbortController());
  useEffect(() => {
    leave.current = new AbortController();
    return () => leave.current.abort();
  }, []);
  const drop = (id: string): void => setUploads((all) => all.filter((one) => one.id !== id));
  const put = (id: string, changes: Partial<Upload>): void =>
    setUploads((all) => all.map((one) => (one.id === id ? { ...one, ...changes } : one)));

  const send = async (id: string, file: File, purpose: string, signal: AbortSignal): Promise<void> => {
    const form = new FormData();
    form.append("purpose", purpose);
    form.append("file", file, file.name);
    try {
      signal.throwIfAborted();
      const onProgress = (share: number): void => put(id, { share });
      const stored = await upload<StoredFile>("/v1/files", form, { headers: api.headers, onProgress, signal });
      await onStored?.(stored);
      await client.invalidateQueries({ queryKey: keyOf(api, "files") });
      drop(id);
    } catch (thrown) {
      if (signal.aborted) drop(id);
      else put(id, { error: thrown as Error });
    }
  };

  const start = async (files: readonly File[], purpose = "assistants"): Promise<void> => {
    const added = files.map((file) => {
      const id = crypto.randomUUID();
      const abort = new AbortController();
      const signal = AbortSignal.any([abort.signal, leave.current.signal]);
      const stop = (): void => {
        abort.abort();
        drop(id);
      };
      return { file, signal, row: { id, name: file.name, share: 0, error: null, stop } satisfies Upload };
    });
    setUploads((all) => [...all, ...added.map(({ row }) => row)]);
    for (const { row, file, signal } of added) await send(row.id, file, purpose, signal);
  };
  return { uploads, start };
}

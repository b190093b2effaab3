import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { KeyApi } from "../../api/key-api.ts";
import { keyOf } from "./keys.ts";
import type { Thread } from "./records.ts";

/** Where a thread that was begun here keeps what these pages know of it. */
export const TITLE = "title";
export const ASSISTANT = "assistant_id";

/** Begins a thread, with an assistant or without, and opens it. */
export function useStartThread(api: KeyApi) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: (assistantId: string | null) =>
      api.post<Thread>("/v1/threads", assistantId === null ? {} : { metadata: { [ASSISTANT]: assistantId } }),
    async onSuccess({ id }) {
      await navigate({ to: `/threads/${id}` });
      await client.invalidateQueries({ queryKey: keyOf(api, "threads") });
    },
  });
}

export const titleOf = ({ metadata }: Thread, otherwise = "A thread without a name"): string =>
  metadata[TITLE] || otherwise;

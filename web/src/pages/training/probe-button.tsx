import { Button } from "@mantine/core";
import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ParticipantRecord } from "../../../../src/contract/training.ts";
import { apiPost } from "../../api/client.ts";
import { notifyDone } from "../../components/notify.ts";

interface ProbeButtonProps {
  readonly participant: ParticipantRecord;
  readonly queryKey: QueryKey;
}

/** Asks a participant how it is; the row shows what it said. */
export function ProbeButton({ participant: { id, name }, queryKey }: ProbeButtonProps) {
  const client = useQueryClient();
  const probe = useMutation({
    mutationFn: () => apiPost<ParticipantRecord>(`/api/training/participants/${id}/probe`),
    onSuccess({ probe: found }) {
      if (found?.ok) notifyDone(`${name} answers.`);
      return client.invalidateQueries({ queryKey });
    },
  });
  return (
    <Button
      size="xs"
      variant="default"
      aria-label={`Ask ${name}`}
      loading={probe.isPending}
      onClick={() => probe.mutate()}
    >
      Ask
    </Button>
  );
}

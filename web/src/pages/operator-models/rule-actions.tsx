import { Button, Group } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiDelete } from "../../api/client.ts";
import { notifyDone } from "../../components/notify.ts";
import { RemoveButton } from "../../components/remove-button.tsx";
import { RULES_KEY } from "./use-rules.ts";

interface RuleActionsProps {
  /** As the buttons name it. */
  readonly name: string;
  readonly what: string;
  readonly path: string;
  readonly source: "configuration" | "database";
  /** Whether the file says something else. */
  readonly isOverriding: boolean;
  readonly onEdit: () => void;
}

/** Change it, and take back what was set here: to what the file says where it says something, else to nothing. */
export function RuleActions({ name, what, path, source, isOverriding, onEdit }: RuleActionsProps) {
  const client = useQueryClient();
  const back = useMutation({
    mutationFn: () => apiDelete(path),
    onSuccess() {
      notifyDone(`${name} is as the file has it again.`);
      return client.invalidateQueries({ queryKey: RULES_KEY });
    },
  });
  return (
    <Group gap="xs" justify="flex-end">
      <Button size="xs" variant="default" onClick={onEdit} aria-label={`Change ${what} ${name}`}>
        Change
      </Button>
      {source === "database" && isOverriding && (
        <Button size="xs" variant="default" loading={back.isPending} onClick={() => back.mutate()}>
          Back to the file's
        </Button>
      )}
      {source === "database" && !isOverriding && (
        <RemoveButton name={name} what={what} queryKey={RULES_KEY} remove={() => apiDelete(path)}>
          It no longer holds for the next call.
        </RemoveButton>
      )}
    </Group>
  );
}

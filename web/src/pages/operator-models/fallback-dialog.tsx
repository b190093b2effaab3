import { MultiSelect, Select } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPut } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { type FallbackView, fallbackPath, groupName, RULES_KEY, WHEN } from "./use-rules.ts";

interface FallbackDialogProps {
  /** Null for a new one. */
  readonly fallback: FallbackView | null;
  readonly groups: readonly string[];
  readonly onClose: () => void;
}

export function FallbackDialog({ fallback, groups, onClose }: FallbackDialogProps) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      group: fallback?.group ?? "",
      kind: fallback?.kind ?? ("general" as FallbackView["kind"]),
      targets: [...(fallback?.targets ?? [])],
    },
    validate: { group: (name) => (name === "" ? "Choose the group that may fail." : null) },
  });
  const save = useFormMutation({
    form,
    send: ({ group, kind, targets }) => apiPut(fallbackPath({ group, kind }), { targets }),
    onDone() {
      notifyDone(`Who stands in for ${groupName(form.getValues().group)} is set.`);
      void client.invalidateQueries({ queryKey: RULES_KEY });
      onClose();
    },
  });
  const { group } = form.getValues();
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={fallback === null ? "New fallback" : `Who stands in for ${groupName(fallback.group)}`}
      action="Save"
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      <Select
        label="Group"
        data={["*", ...groups].map((value) => ({ value, label: groupName(value) }))}
        searchable
        disabled={fallback !== null}
        {...form.getInputProps("group")}
      />
      <Select
        label="When"
        data={Object.entries(WHEN).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        disabled={fallback !== null}
        {...form.getInputProps("kind")}
      />
      <MultiSelect
        label="Stand in"
        description="In the order in which they are chosen. Without any, nobody stands in."
        data={groups.filter((name) => name !== group && !name.includes("*"))}
        searchable
        clearable
        {...form.getInputProps("targets")}
      />
    </FormDialog>
  );
}

import { Checkbox, Select, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPut } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { type AliasView, aliasPath, RULES_KEY } from "./use-rules.ts";

interface AliasDialogProps {
  /** Null for a new one. */
  readonly alias: AliasView | null;
  readonly groups: readonly string[];
  readonly onClose: () => void;
}

export function AliasDialog({ alias, groups, onClose }: AliasDialogProps) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { alias: alias?.alias ?? "", model: alias?.model ?? "", hidden: alias?.hidden ?? false },
    validate: {
      alias: (text) => (text.trim() === "" ? "Give it a name." : null),
      model: (name) => (name === "" ? "Choose the group that it stands for." : null),
    },
  });
  const save = useFormMutation({
    form,
    send: ({ alias: name, model, hidden }) => apiPut(aliasPath(name.trim()), { model, hidden }),
    onDone() {
      notifyDone(`${form.getValues().alias} can be called.`);
      void client.invalidateQueries({ queryKey: RULES_KEY });
      onClose();
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={alias === null ? "New alias" : `Change the alias ${alias.alias}`}
      action="Save"
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      <TextInput
        label="Alias"
        description="The name that callers send as the model."
        maxLength={512}
        disabled={alias !== null}
        data-autofocus={alias === null || undefined}
        {...form.getInputProps("alias")}
      />
      <Select label="Stands for" data={[...groups]} searchable {...form.getInputProps("model")} />
      <Checkbox
        label="Leave it out of lists of models"
        description="It can be called all the same."
        {...form.getInputProps("hidden", { type: "checkbox" })}
      />
    </FormDialog>
  );
}

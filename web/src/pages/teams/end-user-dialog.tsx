import { NumberInput, Switch, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { EndUserRecord } from "../../../../src/contract/end-users.ts";
import { apiPatch, apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { LimitFields } from "./limit-fields.tsx";
import { checkUsd, countOrNull, limitBody, limitValues } from "./limit-values.ts";

const NO_LIMITS = { budget: null, rpmLimit: null, tpmLimit: null };

interface EndUserDialogProps {
  /** Null: somebody new. */
  readonly endUser: EndUserRecord | null;
  readonly onClose: () => void;
}

export function EndUserDialog({ endUser, onClose }: EndUserDialogProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const form = useForm({
    initialValues: {
      id: "",
      alias: endUser?.alias ?? "",
      blocked: endUser?.blocked ?? false,
      parallelLimit: (endUser?.parallelLimit ?? "") as number | string,
      ...limitValues(endUser ?? NO_LIMITS),
    },
    validate: { budget: checkUsd },
  });
  const save = useFormMutation({
    form,
    send({ id, alias, blocked, parallelLimit, ...limits }) {
      const body = {
        alias: alias.trim() === "" ? null : alias,
        blocked,
        parallelLimit: countOrNull(parallelLimit),
        ...limitBody(limits, endUser?.softBudget ?? null),
      };
      return endUser === null
        ? apiPost("/api/end-users", { id, ...body })
        : apiPatch(`/api/end-users/${encodeURIComponent(endUser.id)}`, body);
    },
    onDone() {
      notifyDone("It holds for the very next call.");
      void client.invalidateQueries({ queryKey: [...key, "end-users"] });
      onClose();
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title={endUser === null ? "Limit an end user" : `Change ${endUser.id}`}
      action="Save"
      onSubmit={save.onSubmit}
      error={save.error}
      isPending={save.isPending}
    >
      {endUser === null && (
        <TextInput
          label="Name"
          description="As your calls tell it."
          required
          maxLength={256}
          data-autofocus
          {...form.getInputProps("id")}
        />
      )}
      <TextInput label="Shown as" maxLength={100} {...form.getInputProps("alias")} />
      <LimitFields form={form} />
      <NumberInput
        label="Calls at one time"
        min={0}
        allowDecimal={false}
        thousandSeparator=","
        placeholder="no limit"
        {...form.getInputProps("parallelLimit")}
      />
      <Switch label="Calls for them are refused" {...form.getInputProps("blocked", { type: "checkbox" })} />
    </FormDialog>
  );
}

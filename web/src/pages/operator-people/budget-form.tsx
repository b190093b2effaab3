import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { BUDGETS_KEY, type BudgetRow, limitsOf } from "./budget.ts";
import { LimitFields } from "./limit-fields.tsx";
import { gatewayLimits, type LimitValues, limitValues, NO_LIMITS, validateLimits } from "./limits.ts";

interface BudgetFormProps {
  readonly edited: BudgetRow | "new" | null;
  readonly onClose: () => void;
}

export const BudgetForm = ({ edited, onClose }: BudgetFormProps) => (
  <FormModal
    opened={edited !== null}
    onClose={onClose}
    title={edited === "new" || edited === null ? "Make a budget" : `Change ${edited.budget_id}`}
  >
    {edited !== null && <Fields budget={edited === "new" ? null : edited} onClose={onClose} />}
  </FormModal>
);

function Fields({ budget, onClose }: { budget: BudgetRow | null; onClose: () => void }) {
  const client = useQueryClient();
  const [name, setName] = useState("");
  const form = useForm<LimitValues>({
    initialValues: limitValues(budget === null ? NO_LIMITS : limitsOf(budget)),
    validate: validateLimits,
  });
  const save = useFormMutation({
    form,
    send: (values) =>
      budget === null
        ? apiPost("/budget/new", { ...gatewayLimits(values), budget_id: name.trim() === "" ? null : name.trim() })
        : apiPost("/budget/update", { ...gatewayLimits(values), budget_id: budget.budget_id }),
    onDone() {
      notifyDone(budget === null ? "The budget is made." : "The budget is changed, for all that have it.");
      void client.invalidateQueries({ queryKey: BUDGETS_KEY });
      onClose();
    },
  });
  return (
    <form onSubmit={save.onSubmit} noValidate>
      <Stack>
        {budget === null && (
          <TextInput
            label="Name"
            description="Letters, digits, dots, dashes. Made up where it is empty."
            maxLength={64}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
          />
        )}
        <LimitFields form={form} />
        <FormError error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {budget === null ? "Make it" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

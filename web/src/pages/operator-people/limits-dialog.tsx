import { Button, Group, Select, Stack, TagsInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { BUDGETS_KEY, type BudgetRow } from "./budget.ts";
import { LimitFields } from "./limit-fields.tsx";
import { type Allowed, type AllowedValues, allowedValues, validateLimits } from "./limits.ts";

interface LimitsDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Whose limits: "Limits of the team Research". */
  readonly title: string;
  readonly allowed: Allowed;
  readonly send: (values: AllowedValues) => Promise<unknown>;
  readonly onDone: () => void;
}

/** What somebody may call, spend and ask for in a minute. */
export const LimitsDialog = ({ opened, onClose, title, ...rest }: LimitsDialogProps) => (
  <FormModal opened={opened} onClose={onClose} title={title}>
    {opened && <Fields onClose={onClose} {...rest} />}
  </FormModal>
);

function Fields({ allowed, send, onDone, onClose }: Omit<LimitsDialogProps, "opened" | "title">) {
  const form = useForm<AllowedValues>({ initialValues: allowedValues(allowed), validate: validateLimits });
  const save = useFormMutation({
    form,
    send,
    onDone() {
      onDone();
      onClose();
    },
  });
  const { budgetId } = form.getValues();
  return (
    <form onSubmit={save.onSubmit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          They hold for the very next call. What is empty is not limited.
        </Text>
        <BudgetChoice value={budgetId} onChange={(id) => form.setFieldValue("budgetId", id)} />
        {budgetId === "" && <LimitFields form={form} />}
        <TagsInput
          label="Models it may call"
          description="Names of groups, patterns such as openai/*, or access groups; Enter adds one."
          placeholder={form.getValues().models.length === 0 ? "All" : ""}
          {...form.getInputProps("models")}
        />
        <FormError error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Shown where there are budgets under names at all. */
function BudgetChoice({ value, onChange }: { value: string; onChange: (id: string) => void }) {
  const { data = [] } = useQuery({
    queryKey: BUDGETS_KEY,
    queryFn: ({ signal }) => apiGet<readonly BudgetRow[]>("/budget/list", {}, signal),
  });
  if (data.length === 0 && value === "") return null;
  return (
    <Select
      label="Budget under a name"
      placeholder="None: limits of its own"
      data={data.map(({ budget_id }) => budget_id)}
      value={value || null}
      onChange={(id) => onChange(id ?? "")}
      clearable
      searchable
    />
  );
}

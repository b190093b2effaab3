import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { FormError } from "../../components/form-error.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { LimitFields } from "./limit-fields.tsx";
import { type Limits, type LimitValues, limitValues, validateLimits } from "./limits.ts";

interface LimitsDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Whose limits: "Limits of the team Research". */
  readonly title: string;
  readonly limits: Limits;
  readonly send: (values: LimitValues) => Promise<unknown>;
  readonly onDone: () => void;
}

export const LimitsDialog = ({ opened, onClose, title, ...rest }: LimitsDialogProps) => (
  <Modal opened={opened} onClose={onClose} title={title} closeButtonProps={{ "aria-label": "Close" }}>
    {opened && <Fields onClose={onClose} {...rest} />}
  </Modal>
);

function Fields({ limits, send, onDone, onClose }: Omit<LimitsDialogProps, "opened" | "title">) {
  const form = useForm<LimitValues>({ initialValues: limitValues(limits), validate: validateLimits });
  const save = useFormMutation({
    form,
    send,
    onDone() {
      onDone();
      onClose();
    },
  });
  return (
    <form onSubmit={save.onSubmit} noValidate>
      <Stack>
        <Text size="sm" c="dimmed">
          They hold for the very next call. What is empty is not limited.
        </Text>
        <LimitFields form={form} />
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

import { Button, Group, Stack } from "@mantine/core";
import type { FormEventHandler, ReactNode } from "react";
import type { ApiError } from "../api/api-error.ts";
import { FormError } from "./form-error.tsx";
import { FormModal } from "./form-modal.tsx";

interface FormDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** A verb: "Save". */
  readonly action: string;
  readonly onSubmit: FormEventHandler<HTMLFormElement>;
  readonly error: ApiError | null;
  readonly isPending: boolean;
  readonly children: ReactNode;
}

/** A form in a dialog: fields, what went wrong, and two buttons. */
export const FormDialog = ({ opened, onClose, title, action, children, ...form }: FormDialogProps) => (
  <FormModal opened={opened} onClose={onClose} title={title} size="lg">
    <form onSubmit={form.onSubmit}>
      <Stack>
        {children}
        <FormError error={form.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={form.isPending}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  </FormModal>
);

import { Checkbox, Select, SimpleGrid, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { FreshTokenRecord, TokenScope } from "../../../../src/contract/management-tokens.ts";
import { apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganization, useOrganizations } from "../../session/session.ts";

export const TOKENS_KEY = ["management-tokens"] as const;

/** A record, so that none can be forgotten. */
const SCOPES: Readonly<Record<TokenScope, string>> = {
  "keys:read": "read API keys",
  "keys:write": "create, change and remove API keys",
  "teams:read": "read teams, their members and invitations",
  "teams:write": "change teams, invite and remove their members",
  "usage:read": "read calls and usage",
  "billing:read": "read balance, purchases and statements",
  "organization:read": "read the organization and its members",
  "audit:read": "read the audit log",
  "metrics:read": "read the metrics of the server (administrators only)",
};

interface TokenDialogProps {
  readonly onClose: () => void;
  readonly onMade: (made: FreshTokenRecord) => void;
}

export function TokenDialog({ onClose, onMade }: TokenDialogProps) {
  const client = useQueryClient();
  const active = useOrganization();
  const organizations = useOrganizations().data?.data ?? [];
  const form = useForm({
    initialValues: { name: "", organizationId: active?.id ?? null, scopes: [] as string[], expiresAt: "" },
    validate: {
      name: (text) => (text.trim() === "" ? "It needs a name." : null),
      scopes: (chosen) => (chosen.length === 0 ? "Choose one or more." : null),
    },
  });
  const create = useFormMutation({
    form,
    send: ({ name, organizationId, scopes, expiresAt }) =>
      apiPost<FreshTokenRecord>("/api/management-tokens", {
        name,
        scopes,
        ...(organizationId === null ? {} : { organizationId }),
        expiresAt: expiresAt === "" ? null : new Date(expiresAt).toISOString(),
      }),
    onDone(made) {
      void client.invalidateQueries({ queryKey: TOKENS_KEY });
      onClose();
      onMade(made);
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="New token"
      action="Create the token"
      onSubmit={create.onSubmit}
      error={create.error}
      isPending={create.isPending}
    >
      <TextInput
        label="Name"
        description="What it is for: a program, a machine."
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <Select
        label="Organization"
        description="The only one that it reaches."
        required
        data={organizations.map(({ id, name }) => ({ value: id, label: name }))}
        allowDeselect={false}
        {...form.getInputProps("organizationId")}
      />
      <Checkbox.Group
        label="Scopes"
        description="What it may be used for, within what you may do yourself."
        {...form.getInputProps("scopes")}
      >
        <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs" mb="xs">
          {Object.entries(SCOPES).map(([scope, about]) => (
            <Checkbox key={scope} value={scope} label={scope} description={about} />
          ))}
        </SimpleGrid>
      </Checkbox.Group>
      <TextInput
        label="Ends"
        description="In your time zone. Empty: never."
        type="datetime-local"
        {...form.getInputProps("expiresAt")}
      />
    </FormDialog>
  );
}

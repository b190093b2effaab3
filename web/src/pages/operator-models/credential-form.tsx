import { Button, Group, PasswordInput, Select, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPost, apiPut } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { fieldsOf } from "./provider-fields.ts";
import { PROVIDERS_KEY, type ProviderCredential, providerChoice, useProviders } from "./use-providers.ts";

interface CredentialFormProps {
  readonly edited: ProviderCredential | "new" | null;
  readonly onClose: () => void;
}

export const CredentialForm = ({ edited, onClose }: CredentialFormProps) => (
  <FormModal
    opened={edited !== null}
    onClose={onClose}
    title={edited === "new" || edited === null ? "Keep a credential" : `Change ${edited.name}`}
  >
    {edited !== null && <Fields credential={edited === "new" ? null : edited} onClose={onClose} />}
  </FormModal>
);

type Values = Record<string, string>;

function Fields({ credential, onClose }: { credential: ProviderCredential | null; onClose: () => void }) {
  const { data: providers } = useProviders();
  const client = useQueryClient();
  const form = useForm<Values>({
    initialValues: { name: credential?.name ?? "", provider: credential?.provider ?? "" },
  });
  const { name = "", provider = "" } = form.getValues();
  const fields = fieldsOf(provider);
  const save = useFormMutation({
    form,
    send: (values) => {
      const filled = fields.filter((field) => (values[field.name] ?? "") !== "");
      const kept = Object.fromEntries(filled.map((field) => [field.name, values[field.name]]));
      const path = `/api/admin/providers/${provider}/credentials`;
      return credential === null
        ? apiPost(path, { name, values: kept })
        : apiPut(`${path}/${encodeURIComponent(name)}`, { values: kept });
    },
    onDone() {
      notifyDone(credential === null ? `${name} is kept.` : `${name} is changed; models use it from now on.`);
      void client.invalidateQueries({ queryKey: PROVIDERS_KEY });
      onClose();
    },
  });
  return (
    <form onSubmit={save.onSubmit}>
      <Stack>
        <Select
          label="Provider"
          data={providers?.filter(({ id }) => fieldsOf(id).length > 0).map(providerChoice) ?? []}
          searchable
          required
          disabled={credential !== null}
          limit={100}
          {...form.getInputProps("provider")}
        />
        <TextInput
          label="Name"
          required
          disabled={credential !== null}
          maxLength={128}
          {...form.getInputProps("name")}
        />
        {provider !== "" &&
          fields.map((field) => {
            const input = {
              label: field.label,
              description: field.hint,
              value: form.getValues()[field.name] ?? "",
              onChange: (event: React.ChangeEvent<HTMLInputElement>) =>
                form.setFieldValue(field.name, event.currentTarget.value),
              ...(credential === null ? {} : { placeholder: "Stays as it is" }),
            };
            if (!field.isSecret) return <TextInput key={field.name} {...input} />;
            const shows = { "aria-label": `Show ${field.label}` };
            return <PasswordInput key={field.name} {...input} autoComplete="off" visibilityToggleButtonProps={shows} />;
          })}
        <Text size="sm" c="dimmed">
          Values are sealed when they are kept. Nobody can read them again, only replace them.
        </Text>
        <FormError error={save.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {credential === null ? "Keep it" : "Save"}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

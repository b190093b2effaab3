import { Card, Code, PasswordInput, Select, SimpleGrid, Text, TextInput, Title } from "@mantine/core";
import type { ModelFormApi } from "./model-values.ts";
import { fieldsOf } from "./provider-fields.ts";
import { useProviders } from "./use-providers.ts";

/** How the provider is reached: a kept credential, or values of the model's own. */
export function ReachFields({ form, isNew }: { form: ModelFormApi; isNew: boolean }) {
  const { data: providers } = useProviders();
  const provider = String(form.getValues().provider);
  const credentials = providers?.find(({ id }) => id === provider)?.credentials ?? [];
  const fields = fieldsOf(provider);
  return (
    <Card component="section" aria-label="How it is reached">
      <Title order={2}>How it is reached</Title>
      <Text size="sm" c="dimmed" mb="md">
        Keys are kept sealed and never shown again. <Code>os.environ/NAME</Code> takes a value from the server's
        environment.
      </Text>
      {provider === "" ? (
        <Text size="sm">Choose the provider first.</Text>
      ) : fields.length === 0 ? (
        <Text size="sm">It runs inside of this process: nothing is needed.</Text>
      ) : (
        <SimpleGrid cols={{ base: 1, sm: 2 }} style={{ alignItems: "end" }}>
          {credentials.length > 0 && (
            <Select
              label="Kept credential"
              description="Its values are used where the fields here are empty."
              data={credentials.map(({ name }) => name)}
              clearable
              {...(isNew ? {} : { placeholder: "Stays as it is" })}
              value={String(form.getValues().credentialName) || null}
              onChange={(value) => form.setFieldValue("credentialName", value ?? "")}
            />
          )}
          {fields.map(({ name, label, isSecret, hint }) => {
            const input = { key: form.key(name), label, description: hint, ...form.getInputProps(name) };
            if (!isSecret) return <TextInput {...input} key={name} />;
            return (
              <PasswordInput
                {...input}
                key={name}
                autoComplete="off"
                {...(isNew ? {} : { placeholder: "Stays as it is" })}
                visibilityToggleButtonProps={{ "aria-label": `Show ${label}` }}
              />
            );
          })}
        </SimpleGrid>
      )}
    </Card>
  );
}

import { Button, Card, Group, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone } from "../../components/notify.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";

export function PasswordCard() {
  const client = useQueryClient();
  const form = useForm({ initialValues: { currentPassword: "", newPassword: "" } });
  const change = useFormMutation({
    form,
    send: (values) => apiPost("/api/auth/password/change", values),
    onDone() {
      form.reset();
      notifyDone("Your password is changed; all other sessions have ended.");
      void client.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <Card component="section" aria-label="Password">
      <Title order={2}>Password</Title>
      <Text c="dimmed" size="sm" mb="md">
        All other sessions end when it changes.
      </Text>
      <form onSubmit={change.onSubmit}>
        <Stack maw={420}>
          <PasswordInput
            label="Present password"
            required
            autoComplete="current-password"
            {...form.getInputProps("currentPassword")}
          />
          <PasswordInput
            label="New password"
            required
            autoComplete="new-password"
            {...form.getInputProps("newPassword")}
          />
          <FormError error={change.error} />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Card>
  );
}

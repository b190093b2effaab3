import { Button, Center, Code, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { ME_KEY } from "../../session/session.ts";
import { QrCode } from "./qr-code.tsx";

export interface Secret {
  readonly secret: string;
  readonly uri: string;
}

interface TwoFactorSetupProps {
  readonly secret: Secret | null;
  readonly onClose: () => void;
  readonly onDone: (recoveryCodes: readonly string[]) => void;
}

/** Scan, then show with a first code that it worked. */
export function TwoFactorSetup({ secret, onClose, onDone }: TwoFactorSetupProps) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { code: "", password: "" } });
  const enable = useFormMutation({
    form,
    send: ({ code, password }) =>
      apiPost<{ recoveryCodes: string[] }>("/api/auth/2fa/enable", {
        code: code.trim(),
        ...(password === "" ? {} : { password }),
      }),
    onDone({ recoveryCodes }) {
      form.reset();
      onClose();
      onDone(recoveryCodes);
      void client.invalidateQueries({ queryKey: ME_KEY });
    },
  });
  return (
    <FormModal opened={secret !== null} onClose={onClose} title="Switch the second factor on">
      {secret && (
        <form onSubmit={enable.onSubmit}>
          <Stack>
            <Text size="sm">Scan this with an app for codes, or type the secret into it.</Text>
            <Center>
              <QrCode text={secret.uri} label="QR code of the secret" />
            </Center>
            <Group gap="xs" justify="center" wrap="nowrap">
              <Code className="wraps">{secret.secret}</Code>
              <CopyButton value={secret.secret} label="Copy the secret" />
            </Group>
            <TextInput
              label="Code that the app shows"
              required
              inputMode="numeric"
              autoComplete="one-time-code"
              data-autofocus
              {...form.getInputProps("code")}
            />
            <PasswordInput
              label="Your password"
              description="Leave it empty if you sign in elsewhere and have none."
              autoComplete="current-password"
              {...form.getInputProps("password")}
            />
            <FormError error={enable.error} />
            <Button type="submit" loading={enable.isPending}>
              Switch it on
            </Button>
          </Stack>
        </form>
      )}
    </FormModal>
  );
}

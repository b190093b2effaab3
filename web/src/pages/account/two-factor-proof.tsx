import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { FormModal } from "../../components/form-modal.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { ME_KEY } from "../../session/session.ts";

export type ProvenAction = "disable" | "renew";

const WORDS = {
  disable: {
    title: "Switch the second factor off?",
    about: "From then on the password alone is enough.",
    button: "Switch it off",
  },
  renew: { title: "New recovery codes?", about: "The old ones end.", button: "Make new ones" },
} as const;
const PATHS = { disable: "/api/auth/2fa/disable", renew: "/api/auth/2fa/recovery-codes" } as const;

interface TwoFactorProofProps {
  readonly action: ProvenAction | null;
  readonly onClose: () => void;
  readonly onCodes: (codes: readonly string[]) => void;
}

/** Both need the password once more, or a code of who has none: a page left open is not enough. */
export function TwoFactorProof({ action, onClose, onCodes }: TwoFactorProofProps) {
  const client = useQueryClient();
  const form = useForm({ initialValues: { password: "", code: "" } });
  const prove = useFormMutation({
    form,
    send: ({ password, code }) =>
      apiPost<{ recoveryCodes?: string[] }>(PATHS[action ?? "renew"], {
        ...(password === "" ? {} : { password }),
        ...(code.trim() === "" ? {} : { code: code.trim() }),
      }),
    onDone({ recoveryCodes }) {
      form.reset();
      onClose();
      if (recoveryCodes) onCodes(recoveryCodes);
      void client.invalidateQueries({ queryKey: ME_KEY });
    },
  });
  const words = WORDS[action ?? "renew"];
  return (
    <FormModal opened={action !== null} onClose={onClose} title={words.title}>
      <form onSubmit={prove.onSubmit}>
        <Stack>
          <Text size="sm">{words.about}</Text>
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            data-autofocus
            {...form.getInputProps("password")}
          />
          <TextInput
            label="Code"
            description="Of the app, or a recovery code, if you have no password."
            autoComplete="one-time-code"
            {...form.getInputProps("code")}
          />
          <FormError error={prove.error} />
          <Button type="submit" {...(action === "disable" ? { color: "red.9" } : {})} loading={prove.isPending}>
            {words.button}
          </Button>
        </Stack>
      </form>
    </FormModal>
  );
}

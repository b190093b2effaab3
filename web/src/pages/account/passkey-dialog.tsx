import { PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQueryClient } from "@tanstack/react-query";
import type { PasskeyRecord } from "../../../../src/contract/passkeys.ts";
import { apiPost } from "../../api/client.ts";
import { FormDialog } from "../../components/form-dialog.tsx";
import { notifyDone } from "../../components/notify.ts";
import { makePasskey } from "../../components/passkey-device.ts";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useSignedIn } from "../../session/session.ts";
import { nameOfBrowser } from "./name-of-browser.ts";

export const PASSKEYS_KEY = ["passkeys"] as const;

type Begun = { readonly options: Parameters<typeof makePasskey>[0] };

/** The password first, so that a wrong one leaves nothing behind on the device. */
export function PasskeyDialog({ onClose }: { readonly onClose: () => void }) {
  const client = useQueryClient();
  const { user } = useSignedIn();
  const form = useForm({
    initialValues: { name: nameOfBrowser(window.navigator.userAgent), password: "", code: "" },
    validate: { name: (text) => (text.trim() === "" ? "It needs a name." : null) },
  });
  const add = useFormMutation({
    form,
    async send({ name, password, code }) {
      const { options } = await apiPost<Begun>("/api/auth/passkeys/options", {
        ...(password === "" ? {} : { password }),
        ...(code.trim() === "" ? {} : { code: code.trim() }),
      });
      const credential = await makePasskey(options);
      return apiPost<PasskeyRecord>("/api/auth/passkeys", { name, credential });
    },
    onDone({ name }) {
      void client.invalidateQueries({ queryKey: PASSKEYS_KEY });
      notifyDone(`${name} logs you in from now on.`);
      onClose();
    },
  });
  return (
    <FormDialog
      opened
      onClose={onClose}
      title="Add a passkey"
      action="Go on"
      onSubmit={add.onSubmit}
      error={add.error}
      isPending={add.isPending}
    >
      <Text size="sm">
        Your browser then asks where to keep it: on this device, on your phone, or on a security key.
      </Text>
      <TextInput
        label="Name"
        description="By which you know it again in the list."
        required
        maxLength={100}
        data-autofocus
        {...form.getInputProps("name")}
      />
      <PasswordInput
        label="Your password"
        description="Leave it empty if you sign in elsewhere and have none."
        autoComplete="current-password"
        {...form.getInputProps("password")}
      />
      {user.twoFactorEnabled && (
        <TextInput
          label="Code"
          description="Of the app for your second factor, if you have no password."
          autoComplete="one-time-code"
          {...form.getInputProps("code")}
        />
      )}
    </FormDialog>
  );
}

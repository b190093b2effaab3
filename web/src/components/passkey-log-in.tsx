import { Button } from "@mantine/core";
import { IconFingerprint } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import type { ApiError } from "../api/api-error.ts";
import { apiPost } from "../api/client.ts";
import { FormError } from "./form-error.tsx";
import { askPasskey } from "./passkey-device.ts";

type Asked = { readonly options: Parameters<typeof askPasskey>[0] };

/** Nothing is typed: the device knows who it is. */
export function PasskeyLogIn({ onDone }: { readonly onDone: (csrfToken: string | undefined) => void }) {
  const logIn = useMutation<{ csrfToken?: string }, ApiError>({
    async mutationFn() {
      const { options } = await apiPost<Asked>("/api/auth/passkeys/sign-in/options");
      const credential = await askPasskey(options);
      return apiPost("/api/auth/passkeys/sign-in", { credential, cookie: true });
    },
    meta: { showsError: true },
    onSuccess: ({ csrfToken }) => onDone(csrfToken),
  });
  return (
    <>
      <FormError error={logIn.error} />
      <Button
        variant="default"
        fullWidth
        leftSection={<IconFingerprint size={18} />}
        loading={logIn.isPending}
        onClick={() => logIn.mutate()}
      >
        Log in with a passkey
      </Button>
    </>
  );
}

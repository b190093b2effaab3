import { Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiGet, apiPost, withQuery } from "../api/client.ts";
import { AppLink } from "./app-link.tsx";
import { FormError } from "./form-error.tsx";
import { hasPasskeys } from "./passkey-device.ts";
import { PasskeyLogIn } from "./passkey-log-in.tsx";
import { useFormMutation } from "./use-form-mutation.ts";

interface LogInFormProps {
  /** Where it is known who comes. */
  readonly email?: string;
  /** Where somebody comes back to who logs in elsewhere. */
  readonly returnTo: string;
  readonly onDone: (csrfToken: string | undefined) => void;
}

/** E-mail, password and, where it is asked for, the code of a second factor; or a passkey, or an account elsewhere. */
export function LogInForm({ email = "", returnTo, onDone }: LogInFormProps) {
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({ initialValues: { email, password: "", code: "" } });
  const logIn = useFormMutation({
    form,
    send: ({ email, password, code }) =>
      apiPost<{ csrfToken?: string }>("/api/auth/token", {
        email: email.trim(),
        password,
        cookie: true,
        ...(code.trim() === "" ? {} : { code: code.trim() }),
      }).catch((thrown) => {
        if (thrown.needsCode) setNeedsCode(true);
        throw thrown;
      }),
    onDone: ({ csrfToken }) => onDone(csrfToken),
  });
  const isFirstAsk = logIn.error?.needsCode === true && form.getValues().code === "";
  return (
    <>
      <form onSubmit={logIn.onSubmit}>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            required
            autoComplete="username"
            autoFocus={email === ""}
            {...form.getInputProps("email")}
          />
          <Stack gap={6}>
            <PasswordInput
              label="Password"
              required
              autoComplete="current-password"
              data-autofocus={email !== "" || undefined}
              {...form.getInputProps("password")}
            />
            <AppLink to="/forgot-password" size="sm">
              Forgot your password?
            </AppLink>
          </Stack>
          {needsCode && (
            <TextInput
              label="Code"
              description="Of the app for your second factor, or a recovery code."
              autoComplete="one-time-code"
              required
              autoFocus
              {...form.getInputProps("code")}
            />
          )}
          <FormError error={isFirstAsk ? null : logIn.error} />
          <Button type="submit" loading={logIn.isPending} fullWidth>
            Log in
          </Button>
        </Stack>
      </form>
      <OtherWays returnTo={returnTo} onDone={onDone} />
    </>
  );
}

interface Oidc {
  readonly enabled: boolean;
  readonly name: string | null;
  readonly loginUrl: string | null;
}

function OtherWays({ returnTo, onDone }: Pick<LogInFormProps, "returnTo" | "onDone">) {
  const { data } = useQuery({
    queryKey: ["oidc"],
    queryFn: () => apiGet<Oidc>("/api/auth/oidc"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const elsewhere = data?.enabled ? data.loginUrl : null;
  if (elsewhere === null && !hasPasskeys()) return null;
  return (
    <>
      <Divider label="or" />
      {hasPasskeys() && <PasskeyLogIn onDone={onDone} />}
      {elsewhere !== null && (
        <Button component="a" variant="default" fullWidth href={withQuery(elsewhere, { return_to: returnTo })}>
          Log in with {data?.name}
        </Button>
      )}
    </>
  );
}

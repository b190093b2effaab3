import { Button, Divider, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { apiGet, apiPost, withQuery } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { FormError } from "../../components/form-error.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { SignInCard } from "./sign-in-card.tsx";
import { ownPath, useEnter } from "./use-enter.ts";

export default function LogInPage() {
  const enter = useEnter();
  const [needsCode, setNeedsCode] = useState(false);
  const form = useForm({ initialValues: { email: "", password: "", code: "" } });
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
    onDone: ({ csrfToken }) => void enter(csrfToken),
  });
  const isFirstAsk = logIn.error?.needsCode === true && form.getValues().code === "";
  return (
    <SignInCard
      title="Log in"
      footer={
        <>
          No account yet? <AppLink to="/signup">Sign up</AppLink>
        </>
      }
    >
      <form onSubmit={logIn.onSubmit}>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            required
            autoComplete="username"
            autoFocus
            {...form.getInputProps("email")}
          />
          <Stack gap={6}>
            <PasswordInput
              label="Password"
              required
              autoComplete="current-password"
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
      <SingleSignOn />
    </SignInCard>
  );
}

interface Oidc {
  readonly enabled: boolean;
  readonly name: string | null;
  readonly loginUrl: string | null;
}

function SingleSignOn() {
  const { to } = useSearch({ strict: false }) as { to?: string };
  const { data } = useQuery({
    queryKey: ["oidc"],
    queryFn: () => apiGet<Oidc>("/api/auth/oidc"),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!data?.enabled || data.loginUrl === null) return null;
  return (
    <>
      <Divider label="or" />
      <Button
        component="a"
        variant="default"
        fullWidth
        href={withQuery(data.loginUrl, { return_to: `/ui${ownPath(to)}` })}
      >
        Log in with {data.name}
      </Button>
    </>
  );
}

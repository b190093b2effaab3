import { Button, PasswordInput, Stack, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { apiPost } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ButtonLink } from "../../components/button-link.tsx";
import { FormError } from "../../components/form-error.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { LinkFailed } from "./link-failed.tsx";
import { useLinkToken } from "./link-token.ts";
import { SignInCard } from "./sign-in-card.tsx";

export default function ResetPasswordPage() {
  const token = useLinkToken();
  const form = useForm({ initialValues: { password: "" } });
  const reset = useFormMutation({
    form,
    send: ({ password }) => apiPost("/api/auth/password/reset", { token, password }),
  });
  if (reset.isSuccess) {
    return (
      <SignInCard title="Your password is changed">
        <Text>All sessions have ended. Log in with the new one.</Text>
        <ButtonLink to="/login" fullWidth>
          Log in
        </ButtonLink>
      </SignInCard>
    );
  }
  const another = <AppLink to="/forgot-password">Ask for another link</AppLink>;
  if (token === "") {
    return (
      <SignInCard title="New password" footer={another}>
        <LinkFailed error={null} />
      </SignInCard>
    );
  }
  return (
    <SignInCard title="New password" footer={another}>
      <form onSubmit={reset.onSubmit}>
        <Stack>
          <PasswordInput
            label="New password"
            required
            autoComplete="new-password"
            autoFocus
            {...form.getInputProps("password")}
          />
          <FormError error={reset.error} />
          <Button type="submit" loading={reset.isPending} fullWidth>
            Change it
          </Button>
        </Stack>
      </form>
    </SignInCard>
  );
}

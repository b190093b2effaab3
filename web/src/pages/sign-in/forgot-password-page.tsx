import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { apiPost } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { FormError } from "../../components/form-error.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { SignInCard } from "./sign-in-card.tsx";

export default function ForgotPasswordPage() {
  const form = useForm({ initialValues: { email: "" } });
  const ask = useFormMutation({
    form,
    send: ({ email }) =>
      apiPost<{ delivery: "mail" | "administrator" }>("/api/auth/password/forgot", { email: email.trim() }),
  });
  const footer = <AppLink to="/login">Back to the log-in</AppLink>;
  if (ask.data) {
    return (
      <SignInCard title="Look into your mail" footer={footer}>
        <Text>
          {ask.data.delivery === "mail"
            ? "If somebody has this address here, a letter with a link is on its way. The link is good for an hour."
            : "This installation sends no mail. Ask its administrator for a link to a new password."}
        </Text>
      </SignInCard>
    );
  }
  return (
    <SignInCard title="Forgotten password" about="We mail you a link to choose a new one." footer={footer}>
      <form onSubmit={ask.onSubmit}>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            required
            autoComplete="username"
            autoFocus
            {...form.getInputProps("email")}
          />
          <FormError error={ask.error} />
          <Button type="submit" loading={ask.isPending} fullWidth>
            Send the link
          </Button>
        </Stack>
      </form>
    </SignInCard>
  );
}

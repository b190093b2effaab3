import { Button, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import type { ReactNode } from "react";
import { apiPost } from "../../api/client.ts";
import { pageFacts } from "../../api/page-facts.ts";
import { AppLink } from "../../components/app-link.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { FormError } from "../../components/form-error.tsx";
import { shellQuoted } from "../../components/shell-quoted.ts";
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
  if (ask.data?.delivery === "administrator")
    return <WithoutMail email={form.getValues().email.trim()} footer={footer} />;
  if (ask.data) {
    return (
      <SignInCard title="Look into your mail" footer={footer}>
        <Text>
          If somebody has this address here, a letter with a link is on its way. The link is good for an hour.
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

/** Nobody hears of it by mail: whoever runs the installation makes the link, and may well be who reads this. */
const WithoutMail = ({ email, footer }: { email: string; footer: ReactNode }) => (
  <SignInCard title="No mail is sent here" footer={footer}>
    <Stack>
      <Text>
        Ask whoever runs this installation for a link to a new password. They find it beside your name on their page of
        users.
      </Text>
      <Text>If that is you, make the link with the master key, where Turnpike runs:</Text>
      <CodeBlock code={resetCommand(email)} label="Copy the command" />
    </Stack>
  </SignInCard>
);

/** Where the command line looks unless it is told otherwise. */
const USUAL_SERVER = "http://127.0.0.1:4000";

function resetCommand(email: string): string {
  const { origin } = window.location;
  const user = /^[\w.@+-]+$/.test(email) ? email : shellQuoted(email);
  const lines = ["TURNPIKE_TOKEN=<master key>", `${pageFacts.command} admin users reset-password`, user];
  return [...lines, ...(origin === USUAL_SERVER ? [] : [`--url ${origin}`])].join(" \\\n  ");
}

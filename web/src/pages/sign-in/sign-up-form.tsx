import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { apiPost } from "../../api/client.ts";
import { FormError } from "../../components/form-error.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useEnter } from "./use-enter.ts";

interface SignUpFormProps {
  /** Who was invited joins the organization that invites, under this address. */
  readonly invitation?: { readonly token: string; readonly email: string };
}

export function SignUpForm({ invitation }: SignUpFormProps) {
  const enter = useEnter();
  const form = useForm({
    initialValues: { name: "", email: invitation?.email ?? "", organizationName: "", password: "" },
  });
  const signUp = useFormMutation({
    form,
    send: ({ name, email, organizationName, password }) =>
      apiPost<{ csrfToken?: string }>("/api/auth/signup", {
        name: name.trim(),
        email: email.trim(),
        password,
        cookie: true,
        ...(invitation ? { invitationToken: invitation.token } : {}),
        ...(organizationName.trim() === "" ? {} : { organizationName: organizationName.trim() }),
      }),
    onDone: ({ csrfToken }) => void enter(csrfToken),
  });
  return (
    <form onSubmit={signUp.onSubmit}>
      <Stack>
        <TextInput
          label="Name"
          required
          maxLength={100}
          autoComplete="name"
          autoFocus
          {...form.getInputProps("name")}
        />
        <TextInput
          label="E-mail"
          type="email"
          required
          readOnly={invitation !== undefined}
          autoComplete="username"
          {...form.getInputProps("email")}
        />
        {!invitation && (
          <TextInput
            label="Organization"
            description="Its name, which you can change later. Empty: it is called after you."
            maxLength={100}
            autoComplete="organization"
            {...form.getInputProps("organizationName")}
          />
        )}
        <PasswordInput
          label="Password"
          description="Eight characters or more; a long one is better than an odd one."
          required
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <FormError error={signUp.error} />
        <Button type="submit" loading={signUp.isPending} fullWidth>
          Sign up
        </Button>
      </Stack>
    </form>
  );
}

import { Alert, Button, Group, Text } from "@mantine/core";
import { IconMail } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { apiPost } from "../api/client.ts";
import { notifyDone } from "../components/notify.ts";
import { useSignedIn } from "../session/session.ts";

/** Until mail is known to reach the person. */
export function VerifyNotice() {
  const { user, sendsMail } = useSignedIn();
  const resend = useMutation({
    mutationFn: () => apiPost("/api/auth/verify-email/resend"),
    onSuccess: () => notifyDone(`A letter is on its way to ${user.email}.`),
  });
  if (user.emailVerified || !sendsMail) return null;
  return (
    <Alert mb="lg" color="yellow" icon={<IconMail size={18} />} title="Is this your address?">
      <Group justify="space-between">
        <Text size="sm">
          We have not seen yet that mail to <b className="wraps">{user.email}</b> reaches you.
        </Text>
        <Button size="xs" variant="default" loading={resend.isPending} onClick={() => resend.mutate()}>
          Send the letter again
        </Button>
      </Group>
    </Alert>
  );
}

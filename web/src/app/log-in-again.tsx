import { Button, Modal, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { keepCsrfToken } from "../api/client.ts";
import { LogInForm } from "../components/log-in-form.tsx";
import { forgetSession, useSignedIn } from "../session/session.ts";

/** Above every other dialog: the page below may have one open, with what was typed into it. */
const ABOVE_ALL = 1000;

/** Covers a page whose session is over, so that nothing of it is seen and nothing that was typed is lost. */
export default function LogInAgain() {
  const client = useQueryClient();
  const { user } = useSignedIn();
  const goOn = (csrfToken: string | undefined): void => {
    keepCsrfToken(csrfToken ?? null);
    void client.invalidateQueries();
  };
  return (
    <Modal
      opened
      fullScreen
      zIndex={ABOVE_ALL}
      title="Log in again"
      onClose={() => undefined}
      withCloseButton={false}
      closeOnEscape={false}
      transitionProps={{ duration: 0 }}
      // Escape in here must not close a dialog of the page below.
      onFocus={({ target }) => target.setAttribute("data-mantine-stop-propagation", "true")}
    >
      <Stack maw={440} mx="auto" pt={{ base: "md", sm: 64 }}>
        <Text>Your session has ended. The page is as you left it: log in, and go on.</Text>
        <LogInForm email={user.email} returnTo={window.location.pathname + window.location.search} onDone={goOn} />
        <Button variant="subtle" color="gray" onClick={() => forgetSession(client)}>
          Leave the page instead
        </Button>
      </Stack>
    </Modal>
  );
}

import { Alert } from "@mantine/core";
import { useSearch } from "@tanstack/react-router";
import { AppLink } from "../../components/app-link.tsx";
import { LogInForm } from "../../components/log-in-form.tsx";
import { SignInCard } from "./sign-in-card.tsx";
import { ownPath, useEnter } from "./use-enter.ts";

export default function LogInPage() {
  const enter = useEnter();
  const { to } = useSearch({ strict: false }) as { to?: string };
  return (
    <SignInCard
      title="Log in"
      footer={
        <>
          No account yet?{" "}
          <AppLink to="/signup" {...(to === undefined ? {} : { search: { to } })}>
            Sign up
          </AppLink>
        </>
      }
    >
      {!window.isSecureContext && <NotEncrypted />}
      <LogInForm returnTo={`/ui${ownPath(to)}`} onDone={(csrfToken) => void enter(csrfToken)} />
    </SignInCard>
  );
}

/** The cookie of a session is for encrypted connections: a browser drops it here, and logging in would seem to do nothing. */
const NotEncrypted = () => (
  <Alert color="yellow" title="This address is not encrypted">
    A browser keeps no session here. Open this page with an address that begins with https://, or on the server's own
    machine with http://localhost.
  </Alert>
);

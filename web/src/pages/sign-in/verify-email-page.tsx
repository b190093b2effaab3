import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { AppLink } from "../../components/app-link.tsx";
import { ButtonLink } from "../../components/button-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { ME_KEY, useLogOut, useMe } from "../../session/session.ts";
import { Elsewhere, isRefused, LinkFailed } from "./link-failed.tsx";
import { useLinkToken } from "./link-token.ts";
import { SignInCard } from "./sign-in-card.tsx";

/**
 * A button rather than the mere opening: programs that look into mail open links too. Who is not logged in does that first: an
 * account that a stranger made with their address is not to be verified by its owner.
 */
export default function VerifyEmailPage() {
  const token = useLinkToken();
  const client = useQueryClient();
  const { data: me } = useMe();
  const verify = useMutation({
    mutationFn: () => apiPost("/api/auth/verify-email", { token }),
    meta: { showsError: true },
    onSuccess: () => client.invalidateQueries({ queryKey: ME_KEY }),
  });
  if (verify.isSuccess) {
    return (
      <SignInCard title="Thank you">
        <Text>Your address is verified.</Text>
        <ButtonLink to="/" fullWidth>
          Go on
        </ButtonLink>
      </SignInCard>
    );
  }
  if (token === "") {
    return (
      <SignInCard title="E-mail address" footer={<Elsewhere />}>
        <LinkFailed error={null} />
      </SignInCard>
    );
  }
  if (!me || me.hasEnded) return <LogInFirst token={token} />;
  if (verify.error?.status === 403) return <OtherAccount email={me.user.email} error={verify.error} />;
  if (verify.error && isRefused(verify.error)) {
    return (
      <SignInCard title="E-mail address" footer={<Elsewhere />}>
        <LinkFailed error={verify.error} />
      </SignInCard>
    );
  }
  return (
    <SignInCard title="Is this your address?" about="You followed the link that we mailed to it.">
      <Stack>
        {verify.error && <LinkFailed error={verify.error} />}
        <Button fullWidth loading={verify.isPending} onClick={() => verify.mutate()}>
          Yes, it is mine
        </Button>
      </Stack>
    </SignInCard>
  );
}

const LogInFirst = ({ token }: { token: string }) => (
  <SignInCard
    title="Is this your address?"
    about="You followed the link that we mailed to it. Log in to the account that you made with it to go on."
    footer={
      <>
        You made no account? Leave it alone, or <AppLink to="/forgot-password">set a password</AppLink> and it is yours.
      </>
    }
  >
    <ButtonLink to="/login" search={{ to: `/verify-email?token=${encodeURIComponent(token)}` }} fullWidth>
      Log in
    </ButtonLink>
  </SignInCard>
);

function OtherAccount({ email, error }: { email: string; error: Error }) {
  const logOut = useLogOut();
  return (
    <SignInCard title="Is this your address?">
      <Stack>
        <ErrorState error={error} title="This is another account" />
        <Text>
          You are logged in as <b className="wraps">{email}</b>.
        </Text>
        <Button variant="default" loading={logOut.isPending} onClick={() => logOut.mutate()}>
          Log out
        </Button>
      </Stack>
    </SignInCard>
  );
}

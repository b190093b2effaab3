import { Button, Skeleton, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { InvitationPreviewRecord } from "../../../../src/contract/invitations.ts";
import { apiPost } from "../../api/client.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { isMissing } from "../../components/thing-failed.tsx";
import { Time } from "../../components/time.tsx";
import { useLogOut, useMe } from "../../session/session.ts";
import { Elsewhere, LinkFailed } from "./link-failed.tsx";
import { useLinkToken } from "./link-token.ts";
import { SignInCard } from "./sign-in-card.tsx";
import { SignUpForm } from "./sign-up-form.tsx";

export default function InvitationPage() {
  const token = useLinkToken();
  const preview = useQuery({
    queryKey: ["invitation", token],
    queryFn: () => apiPost<InvitationPreviewRecord>("/api/invitations/preview", { token }),
    enabled: token !== "",
  });
  if (token === "" || isMissing(preview)) {
    return (
      <SignInCard title="Invitation" footer={<Elsewhere />}>
        <LinkFailed error={preview.error} onRetry={() => void preview.refetch()}>
          <Text c="dimmed">Ask whoever invited you for another one.</Text>
        </LinkFailed>
      </SignInCard>
    );
  }
  if (!preview.data) {
    return (
      <SignInCard title="Invitation">
        <Skeleton height={180} />
      </SignInCard>
    );
  }
  const { organizationName, teamName, invitedByName, expiresAt } = preview.data;
  return (
    <SignInCard
      title={`Join ${organizationName}`}
      about={
        <>
          {invitedByName ?? "Somebody"} invites you to the team <b>{teamName}</b>. The link is good until{" "}
          <Time at={expiresAt} />.
        </>
      }
    >
      <Answer token={token} invitation={preview.data} />
    </SignInCard>
  );
}

/** What to do depends on who is looking: nobody, the person who was invited, or somebody else. */
function Answer({ token, invitation }: { token: string; invitation: InvitationPreviewRecord }) {
  const { data: me } = useMe();
  const client = useQueryClient();
  const navigate = useNavigate();
  const logOut = useLogOut();
  const accept = useMutation({
    mutationFn: () => apiPost("/api/invitations/accept", { token }),
    meta: { showsError: true },
    async onSuccess() {
      await client.resetQueries();
      await navigate({ to: "/" as never });
    },
  });
  if (!me && !invitation.hasAccount) return <SignUpForm invitation={{ token, email: invitation.email }} />;
  if (!me) {
    return (
      <Stack>
        <Text>
          Log in as <b>{invitation.email}</b> to accept.
        </Text>
        <ButtonLink to="/login" search={{ to: `/invitation?token=${encodeURIComponent(token)}` }} fullWidth>
          Log in
        </ButtonLink>
      </Stack>
    );
  }
  if (me.user.email !== invitation.email) {
    return (
      <Stack>
        <Text>
          The invitation is for <b>{invitation.email}</b>; you are signed in as <b>{me.user.email}</b>.
        </Text>
        <Button variant="default" loading={logOut.isPending} onClick={() => logOut.mutate()}>
          Log out
        </Button>
      </Stack>
    );
  }
  return (
    <Stack>
      {accept.error && <ErrorState error={accept.error} title="That did not work" />}
      <Button fullWidth loading={accept.isPending} onClick={() => accept.mutate()}>
        Accept the invitation
      </Button>
    </Stack>
  );
}

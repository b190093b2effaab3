import { Button, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { ME_KEY } from "../../session/session.ts";
import { LinkFailed } from "./link-failed.tsx";
import { useLinkToken } from "./link-token.ts";
import { SignInCard } from "./sign-in-card.tsx";

/** A button rather than the mere opening: programs that look into mail open links too. */
export default function VerifyEmailPage() {
  const token = useLinkToken();
  const client = useQueryClient();
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
      <SignInCard title="E-mail address">
        <LinkFailed error={null} />
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

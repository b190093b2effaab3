import { Stack } from "@mantine/core";
import { PageHeader } from "../../components/page-header.tsx";
import { useSignedIn } from "../../session/session.ts";
import { PasskeysCard } from "./passkeys-card.tsx";
import { PasswordCard } from "./password-card.tsx";
import { SessionsCard } from "./sessions-card.tsx";
import { TokensCard } from "./tokens-card.tsx";
import { TwoFactorCard } from "./two-factor-card.tsx";

export default function AccountPage() {
  const { user } = useSignedIn();
  return (
    <>
      <PageHeader title="Account" about={`${user.name} · ${user.email}`} />
      <Stack gap="lg" maw={760}>
        <PasskeysCard />
        <TwoFactorCard />
        <PasswordCard />
        <SessionsCard />
        <TokensCard />
      </Stack>
    </>
  );
}

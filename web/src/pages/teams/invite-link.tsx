import { Code, Group, Stack, Text } from "@mantine/core";
import type { InvitationRecord } from "../../../../src/contract/organizations.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Time } from "../../components/time.tsx";
import classes from "./invite-link.module.css";

/** How the person gets the invitation: by mail, or by a link that is shown this once. */
export const InviteLink = ({ invitation: { email, inviteUrl, expiresAt } }: { invitation: InvitationRecord }) =>
  inviteUrl === undefined ? (
    <Text>
      The invitation went to <b>{email}</b> by mail. Its link is good until <Time at={expiresAt} />.
    </Text>
  ) : (
    <Stack gap="sm">
      <Text>
        No mail is sent here: hand this link to <b>{email}</b>. It is shown this once and is good until{" "}
        <Time at={expiresAt} />.
      </Text>
      <Code block className={classes.link}>
        {inviteUrl}
      </Code>
      <Group>
        <CopyButton value={inviteUrl} label="Copy the link" withText />
      </Group>
    </Stack>
  );

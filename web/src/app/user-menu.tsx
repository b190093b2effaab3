import { ActionIcon, Menu, Text } from "@mantine/core";
import { IconBook, IconLogout, IconUserCircle } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useLogOut, useSignedIn } from "../session/session.ts";

export function UserMenu() {
  const { user, impersonation } = useSignedIn();
  const navigate = useNavigate();
  const logOut = useLogOut();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label="Your account">
          <IconUserCircle size={26} stroke={1.4} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          <Text size="sm" fw={600} c="var(--mantine-color-text)" truncate>
            {user.name}
          </Text>
          <Text size="xs" truncate>
            {user.email}
          </Text>
        </Menu.Label>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconUserCircle size={16} stroke={1.6} />}
          onClick={() => void navigate({ to: "/account" as never })}
        >
          Account
        </Menu.Item>
        <Menu.Item leftSection={<IconBook size={16} stroke={1.6} />} component="a" href="/docs">
          The API
        </Menu.Item>
        {!impersonation && (
          <Menu.Item
            leftSection={<IconLogout size={16} stroke={1.6} />}
            onClick={() => logOut.mutate(undefined, { onSettled: () => void navigate({ to: "/login" as never }) })}
          >
            Log out
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

import { AppShell, Box, Burger, Group, ScrollArea } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useRouterState } from "@tanstack/react-router";
import { type ReactNode, useEffect } from "react";
import { AppLink } from "../components/app-link.tsx";
import { useSignedIn } from "../session/session.ts";
import { ColorSchemeButton } from "./color-scheme-button.tsx";
import { Navigation } from "./navigation.tsx";
import { OrganizationSwitcher } from "./organization-switcher.tsx";
import { SEEN_AS_HEIGHT, SeenAsBanner } from "./seen-as-banner.tsx";
import classes from "./shell.module.css";
import { UserMenu } from "./user-menu.tsx";
import { VerifyNotice } from "./verify-notice.tsx";
import { Wordmark } from "./wordmark.tsx";

const HEADER_HEIGHT = 56;

/** Header, navigation and the page, from a phone to a wide screen. On a tablet, navigation would take the room of the tables. */
export function Shell({ children }: { children: ReactNode }) {
  const [isOpen, menu] = useDisclosure();
  const me = useSignedIn();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes whenever the page changes.
  useEffect(() => menu.close(), [path]);
  return (
    <AppShell
      header={{ height: HEADER_HEIGHT + (me.impersonation ? SEEN_AS_HEIGHT : 0) }}
      navbar={{ width: 236, breakpoint: "md", collapsed: { mobile: !isOpen } }}
      padding={{ base: "md", md: "xl" }}
    >
      <a href="#page" className={classes.skip}>
        To the page
      </a>
      <AppShell.Header className={classes.panel}>
        <SeenAsBanner me={me} />
        <Group h={HEADER_HEIGHT} px="md" justify="space-between" wrap="nowrap">
          <Group gap="sm" wrap="nowrap">
            <Burger opened={isOpen} onClick={menu.toggle} hiddenFrom="md" size="sm" aria-label="Navigation" />
            <AppLink to="/" underline="never" c="inherit" aria-label="Turnpike, to the overview">
              <Wordmark />
            </AppLink>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <ColorSchemeButton />
            <UserMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar className={classes.panel} aria-label="Pages">
        <Box p="sm" pb={0}>
          <OrganizationSwitcher />
        </Box>
        <ScrollArea px="sm" pt="sm" flex={1} type="auto" scrollbarSize={8} className={classes.pages}>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="page" tabIndex={-1} className={classes.main}>
        <div className={classes.page}>
          <VerifyNotice />
          {children}
        </div>
      </AppShell.Main>
    </AppShell>
  );
}

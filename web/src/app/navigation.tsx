import { Box, Stack, Text } from "@mantine/core";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { AppLink } from "../components/app-link.tsx";
import { useMaySee } from "../session/session.ts";
import classes from "./navigation.module.css";
import { NAV_GROUPS, type NavEntry, type NavGroup, type PageSpec } from "./page-spec.ts";
import { PAGES } from "./pages.ts";

type NavPage = PageSpec & { readonly nav: NavEntry };
const isInNavigation = (page: PageSpec): page is NavPage => page.nav !== undefined;

/** What somebody may see, in groups; a group without a page is not there. */
export function Navigation() {
  const maySee = useMaySee();
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const shown = PAGES.filter(isInNavigation).filter(({ access }) => access === "public" || maySee(access));
  const list = useRef<HTMLDivElement>(null);
  // An operator has more entries than fit: where one is stays in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the entry moves when the page or the list changes.
  useEffect(() => {
    list.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [path, shown.length]);
  return (
    <Stack gap="lg" pb={32} ref={list}>
      {(Object.keys(NAV_GROUPS) as NavGroup[]).map((group) => {
        const pages = shown.filter(({ nav }) => nav.group === group).sort((a, b) => a.nav.order - b.nav.order);
        if (pages.length === 0) return null;
        return (
          <Box key={group}>
            <Text size="xs" fw={600} c="dimmed" px="sm" mb={4}>
              {NAV_GROUPS[group]}
            </Text>
            {pages.map(({ path: to, nav: { label, icon: Icon } }) => (
              <AppLink
                key={to}
                to={to}
                className={classes.entry}
                underline="never"
                data-active={isActive(path, to) || undefined}
                aria-current={isActive(path, to) ? "page" : undefined}
              >
                <Icon size={18} stroke={1.6} />
                {label}
              </AppLink>
            ))}
          </Box>
        );
      })}
    </Stack>
  );
}

function isActive(path: string, to: string): boolean {
  const base = to.replace(/\/+$/, "");
  return base === "" ? path === "/" || path === "" : path === base || path.startsWith(`${base}/`);
}

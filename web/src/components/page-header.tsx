import { Group, Stack, Text, Title } from "@mantine/core";
import { type ReactNode, useLayoutEffect } from "react";
import { AppLink } from "./app-link.tsx";
import { nameTab } from "./name-tab.ts";

/** The list that a thing stands in. */
export interface Back {
  readonly to: string;
  readonly words: string;
}

interface PageHeaderProps {
  /** On the page of one thing. */
  readonly back?: Back;
  readonly title: ReactNode;
  /** What the tab of the browser is called, where the title is more than text. */
  readonly tab?: string;
  /** One sentence: what the page is for. */
  readonly about?: ReactNode;
  /** Buttons at the right; below the title on a phone. */
  readonly actions?: ReactNode;
}

/** The first thing on every page, with its one `h1`. The tab is called as the page is: of several models, each has its own. */
export function PageHeader({ back, title, tab, about, actions }: PageHeaderProps) {
  const name = tab ?? (typeof title === "string" ? title : undefined);
  useLayoutEffect(() => (name === undefined ? undefined : nameTab(name)), [name]);
  return (
    <>
      {back !== undefined && (
        <Text size="sm" mb="xs">
          <AppLink to={back.to}>{back.words}</AppLink>
        </Text>
      )}
      <Group justify="space-between" align="flex-start" mb="xl" gap="md">
        <Stack gap={4} miw={0} flex="1 1 280px">
          <Title order={1} className="wraps">
            {title}
          </Title>
          {about !== undefined && (
            <Text c="dimmed" maw={680}>
              {about}
            </Text>
          )}
        </Stack>
        {actions !== undefined && <Group gap="sm">{actions}</Group>}
      </Group>
    </>
  );
}

import { Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface PageHeaderProps {
  readonly title: ReactNode;
  /** One sentence: what the page is for. */
  readonly about?: ReactNode;
  /** Buttons at the right; below the title on a phone. */
  readonly actions?: ReactNode;
}

/** The first thing on every page, with its one `h1`. */
export const PageHeader = ({ title, about, actions }: PageHeaderProps) => (
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
);

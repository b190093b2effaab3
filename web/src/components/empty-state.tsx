import { Center, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";

interface EmptyStateProps {
  readonly icon: ComponentType<{ size?: number | string; stroke?: number | string }>;
  readonly title: string;
  /** What to do next. */
  readonly children?: ReactNode;
  readonly action?: ReactNode;
  /** It stands in place of the whole page, and has its heading. */
  readonly isPage?: boolean;
}

/** Where there is nothing yet: says why, and what to do next. */
export const EmptyState = ({ icon: Icon, title, children, action, isPage = false }: EmptyStateProps) => (
  <Center py={56} px="md">
    <Stack align="center" gap="sm" maw={440} miw={0}>
      <ThemeIcon size={48} radius="xl" variant="light" color="gray">
        <Icon size={24} stroke={1.5} />
      </ThemeIcon>
      <Title order={isPage ? 1 : 2} size="h2" ta="center">
        {title}
      </Title>
      <Text component="div" c="dimmed" ta="center" maw="100%">
        {children}
      </Text>
      {action}
    </Stack>
  </Center>
);

import { Card, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";

interface SignInCardProps {
  readonly title: string;
  readonly about?: ReactNode;
  readonly children: ReactNode;
  /** Where else one may want to go. */
  readonly footer?: ReactNode;
}

/** One column, one thing to do. */
export const SignInCard = ({ title, about, children, footer }: SignInCardProps) => (
  <Stack gap="md">
    <Card padding="xl" radius="lg">
      <Stack gap="lg">
        <Stack gap={4}>
          <Title order={1} className="wraps">
            {title}
          </Title>
          {about !== undefined && (
            <Text component="div" c="dimmed" className="wraps">
              {about}
            </Text>
          )}
        </Stack>
        {children}
      </Stack>
    </Card>
    {footer !== undefined && (
      <Text component="div" ta="center" size="sm" c="dimmed">
        {footer}
      </Text>
    )}
  </Stack>
);

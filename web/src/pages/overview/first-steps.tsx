import { Card, Group, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { PAGES } from "../../app/pages.ts";
import { AppLink } from "../../components/app-link.tsx";
import { useMaySee, useOrganization, useOrganizationKey } from "../../session/session.ts";

/** Until there was a first call; then no more. */
const REFRESH_MS = 15_000;

interface Step {
  readonly title: string;
  readonly to: string;
  readonly link: string;
  readonly isDone: boolean;
}

/** What is left to do before the first call; none once there was one, undefined while that is read. */
export function useFirstSteps(): readonly Step[] | undefined {
  const key = useOrganizationKey();
  const organization = useOrganization();
  const count = (path: string) => () => apiGet<Paged<unknown>>(path, { pageSize: 1 }).then(({ meta }) => meta.total);
  const refetchInterval = ({ state }: { state: { data?: number | undefined } }) =>
    state.data === 0 ? REFRESH_MS : false;
  const calls = useQuery({ queryKey: [...key, "logs", "count"], queryFn: count("/api/gw/logs"), refetchInterval });
  const keys = useQuery({ queryKey: [...key, "keys", "count"], queryFn: count("/api/api-keys") });
  if (calls.isPending || keys.isPending) return undefined;
  if (!organization || organization.role === "viewer" || calls.data !== 0 || keys.data === undefined) return [];
  const hasCredit = organization.billing === "invoiced" || organization.quota.available > 0;
  return [
    { title: "Have some credit", to: "/billing", link: "Add credit", isDone: hasCredit },
    { title: "Make a key", to: "/keys", link: "To the keys", isDone: keys.data > 0 },
    { title: "Call a model", to: "/playground", link: "Try one in the playground", isDone: false },
  ];
}

export function FirstSteps({ steps }: { steps: readonly Step[] }) {
  const maySee = useMaySee();
  return (
    <Card component="section" aria-label="First steps">
      <Title order={2} mb="sm">
        Three steps to the first answer
      </Title>
      <Stack gap="sm">
        {steps.map(({ title, to, link, isDone }) => (
          <Group key={title} gap="sm">
            <ThemeIcon variant="light" radius="xl" size={26} color={isDone ? "pine" : "gray"}>
              {isDone ? <IconCheck size={15} aria-label="done" /> : <IconCircle size={15} aria-label="to do" />}
            </ThemeIcon>
            <Text c={isDone ? "dimmed" : ""}>{title}</Text>
            {!isDone && PAGES.some(({ path }) => path === to) && (to !== "/billing" || maySee("organization")) && (
              <AppLink to={to} size="sm">
                {link}
              </AppLink>
            )}
            {!isDone && to === "/billing" && !maySee("organization") && (
              <Text size="sm" c="dimmed">
                An owner or administrator of the organization buys it.
              </Text>
            )}
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

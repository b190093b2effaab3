import { Button, Card, Group, SegmentedControl, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPatch } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { Facts } from "../../components/facts.tsx";
import { notifyDone } from "../../components/notify.ts";
import { Time } from "../../components/time.tsx";
import { platformAllowed } from "./limits.ts";
import { LimitsDialog } from "./limits-dialog.tsx";
import { LimitsText } from "./limits-text.tsx";
import { type AdminOrganization, ORGANIZATIONS_KEY } from "./organization.ts";

/** How an organization pays, what it may, and whether it may anything. */
export function OrganizationSettings({ organization }: { organization: AdminOrganization }) {
  const client = useQueryClient();
  const [isLimiting, limits] = useDisclosure();
  const [isAsking, ask] = useDisclosure();
  const path = `/api/admin/organizations/${organization.id}`;
  const refresh = () => client.invalidateQueries({ queryKey: ORGANIZATIONS_KEY });
  const change = useMutation({
    mutationFn: (changes: Record<string, unknown>) => apiPatch<AdminOrganization>(path, changes),
    onSuccess() {
      ask.close();
      notifyDone("It is changed, and holds for the next call.");
      return refresh();
    },
  });
  const isBlocked = organization.status === "blocked";
  return (
    <Card component="section" aria-label="What it may do">
      <Group justify="space-between" mb="md">
        <Title order={2}>What it may do</Title>
        <Group gap="sm">
          <Button variant="default" onClick={limits.open}>
            Change the limits
          </Button>
          <Button variant="default" {...(isBlocked ? {} : { c: "var(--mantine-color-error)" })} onClick={ask.open}>
            {isBlocked ? "Unblock" : "Block"}
          </Button>
        </Group>
      </Group>
      <Stack gap="md">
        <div>
          <Text size="sm" fw={560} mb={4} id="pays">
            Pays
          </Text>
          <SegmentedControl
            aria-labelledby="pays"
            data={[
              { value: "prepaid", label: "in advance" },
              { value: "invoiced", label: "on invoice" },
            ]}
            value={change.isPending ? String(change.variables.billing ?? organization.billing) : organization.billing}
            onChange={(billing) => change.mutate({ billing })}
          />
          <Text size="sm" c="dimmed" mt={4}>
            Who pays in advance is refused when nothing is left.
          </Text>
        </div>
        <Facts
          items={[
            ["Limits", <LimitsText key="limits" limits={organization} />],
            ["Budget under a name", organization.budgetId ?? undefined],
            ["Models", organization.models.length === 0 ? "all" : organization.models.join(", ")],
            ["Billing e-mail", organization.billingEmail ?? "the owner's"],
            ["Time zone", organization.timezone],
            ["Keeps requests and answers", organization.storePrompts ? "yes" : "no"],
            ["People", organization.membersCount.toLocaleString()],
            ["Since", <Time key="since" at={organization.createdAt} />],
          ]}
        />
      </Stack>
      <LimitsDialog
        opened={isLimiting}
        onClose={limits.close}
        title={`Limits of ${organization.name}`}
        allowed={organization}
        send={(values) => apiPatch(path, platformAllowed(values))}
        onDone={() => {
          notifyDone("The limits are changed.");
          void refresh();
        }}
      />
      <ConfirmDialog
        opened={isAsking}
        onClose={ask.close}
        title={isBlocked ? `Unblock ${organization.name}?` : `Block ${organization.name}?`}
        action={isBlocked ? "Unblock" : "Block"}
        isDangerous={!isBlocked}
        isPending={change.isPending}
        onConfirm={() => change.mutate({ status: isBlocked ? "active" : "blocked" })}
      >
        {isBlocked
          ? "Its keys work again from the next call on."
          : "All of its keys are refused from the very next call on."}
      </ConfirmDialog>
    </Card>
  );
}

import { Badge, Box, Button, Group, Menu, Stack, Text } from "@mantine/core";
import { IconPlus, IconWebhook } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EndpointRecord, FreshEndpointRecord } from "../../../../src/contract/purchases.ts";
import { apiDelete, apiPatch, apiPost } from "../../api/client.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { notifyDone } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { Time } from "../../components/time.tsx";
import { useOpened } from "../../components/use-opened.ts";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { Deliveries } from "./deliveries.tsx";
import { EndpointDialog } from "./endpoint-dialog.tsx";
import { eventName } from "./events.ts";
import { FreshSecret } from "./fresh-secret.tsx";

/** Whose deliveries are looked at. */
const FILTERS = { deliveries: "" };
type Asked = { readonly endpoint: EndpointRecord; readonly what: "rotate" | "remove" };

export default function WebhooksPage() {
  const key = useOrganizationKey();
  const table = useTable(FILTERS);
  const query = usePagedQuery<EndpointRecord>(table, { key: [...key, "webhooks"], path: "/api/webhook-endpoints" });
  const [edited, setEdited] = useState<EndpointRecord | "new" | null>(null);
  const { open, close } = useOpened((deliveries, how) => table.set({ deliveries, page: table.state.page }, how));
  const [fresh, setFresh] = useState<FreshEndpointRecord | null>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      New webhook
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Webhooks"
        about="Your own service is told when credit runs low, a budget is spent, a payment comes in or a key is made. Deliveries are signed, and tried again for three days."
        actions={add}
      />
      <DataTable
        label="Webhooks"
        columns={columns(({ id }) => open(id), setEdited, setAsked)}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconWebhook} title="No webhooks yet" action={add}>
            Add the address of a service of yours, and choose what it is told.
          </EmptyState>
        }
      />
      {edited && (
        <EndpointDialog
          endpoint={edited === "new" ? null : edited}
          onClose={() => setEdited(null)}
          onMade={(made) => setFresh(made)}
        />
      )}
      <FreshSecret made={fresh} onClose={() => setFresh(null)} />
      <Deliveries endpointId={table.state.deliveries || null} onClose={close} />
      {asked && <Ask asked={asked} onClose={() => setAsked(null)} onFresh={setFresh} />}
    </>
  );
}

const columns = (
  onDeliveries: (endpoint: EndpointRecord) => void,
  onEdit: (endpoint: EndpointRecord) => void,
  onAsk: (asked: Asked) => void,
): readonly Column<EndpointRecord>[] => [
  {
    name: "url",
    header: "Address",
    isSortable: true,
    cell: ({ url, description, status }) => (
      <Stack gap={0}>
        <Text size="sm" className="wraps">
          <Breakable>{url}</Breakable>
        </Text>
        <Text size="xs" c="dimmed" className="wraps">
          {description}
        </Text>
        <Box hiddenFrom="sm" mt={4}>
          <Status status={status} />
        </Box>
      </Stack>
    ),
  },
  {
    name: "events",
    header: "Told of",
    from: "md",
    cell: ({ events }) => (events.length === 0 ? "everything" : events.map(eventName).join(", ")),
  },
  {
    name: "status",
    header: "Status",
    from: "sm",
    isSortable: true,
    cell: ({ status }) => <Status status={status} />,
  },
  {
    name: "createdAt",
    header: "Made",
    from: "lg",
    isSortable: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="day" size="sm" />,
  },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    cell: (endpoint) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="xs"
          variant="default"
          onClick={() => onDeliveries(endpoint)}
          aria-label={`Deliveries to ${endpoint.url}`}
        >
          Deliveries
        </Button>
        <EndpointMenu endpoint={endpoint} onEdit={onEdit} onAsk={onAsk} />
      </Group>
    ),
  },
];

const Status = ({ status }: Pick<EndpointRecord, "status">) => (
  <Badge variant="light" color={status === "active" ? "pine" : "gray"} tt="none">
    {status === "active" ? "on" : "off"}
  </Badge>
);

interface EndpointMenuProps {
  readonly endpoint: EndpointRecord;
  readonly onEdit: (endpoint: EndpointRecord) => void;
  readonly onAsk: (asked: Asked) => void;
}

function EndpointMenu({ endpoint, onEdit, onAsk }: EndpointMenuProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const isOn = endpoint.status === "active";
  const toggle = useMutation({
    mutationFn: () => apiPatch(`/api/webhook-endpoints/${endpoint.id}`, { status: isOn ? "disabled" : "active" }),
    onSuccess: () => client.invalidateQueries({ queryKey: [...key, "webhooks"] }),
  });
  return (
    <RowMenu label={`More about ${endpoint.url}`}>
      <Menu.Item onClick={() => onEdit(endpoint)}>Change</Menu.Item>
      <Menu.Item onClick={() => toggle.mutate()}>{isOn ? "Switch off" : "Switch on"}</Menu.Item>
      <Menu.Item onClick={() => onAsk({ endpoint, what: "rotate" })}>New secret</Menu.Item>
      <Menu.Item c="var(--mantine-color-error)" onClick={() => onAsk({ endpoint, what: "remove" })}>
        Remove
      </Menu.Item>
    </RowMenu>
  );
}

interface AskProps {
  readonly asked: Asked;
  readonly onClose: () => void;
  readonly onFresh: (made: FreshEndpointRecord) => void;
}

function Ask({ asked: { endpoint, what }, onClose, onFresh }: AskProps) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const path = `/api/webhook-endpoints/${endpoint.id}`;
  const work = useMutation({
    mutationFn: async () => {
      if (what === "rotate") onFresh(await apiPost<FreshEndpointRecord>(`${path}/rotate`));
      else await apiDelete(path);
    },
    onSuccess() {
      if (what === "remove") notifyDone("The webhook is removed.");
      onClose();
      return client.invalidateQueries({ queryKey: [...key, "webhooks"] });
    },
  });
  return (
    <ConfirmDialog
      opened
      onClose={onClose}
      title={what === "rotate" ? "Give it a new secret?" : "Remove this webhook?"}
      action={what === "rotate" ? "New secret" : "Remove"}
      isPending={work.isPending}
      onConfirm={() => work.mutate()}
    >
      {what === "rotate"
        ? `The old secret ends at once: what is sent to ${endpoint.url} from then on is signed with the new one.`
        : `Nothing is sent to ${endpoint.url} any more, and the record of its deliveries goes with it.`}
    </ConfirmDialog>
  );
}

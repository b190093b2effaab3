import { Badge, Button, Code, Group, Menu, Stack, Text } from "@mantine/core";
import { IconPlus, IconSearch, IconUserHeart } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { EndUserRecord } from "../../../../src/contract/end-users.ts";
import { apiDelete, apiPatch } from "../../api/client.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { AppLink } from "../../components/app-link.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { notifyDone } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { RemovalDialog } from "../../components/remove-button.tsx";
import { RowMenu } from "../../components/row-menu.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { EndUserDialog } from "./end-user-dialog.tsx";
import { LimitsText } from "./limits-text.tsx";

const FILTERS = { search: "" };

export default function EndUsersPage() {
  const key = useOrganizationKey();
  const table = useTable(FILTERS, "id");
  const query = usePagedQuery<EndUserRecord>(table, {
    key: [...key, "end-users"],
    path: "/api/end-users",
    query: { search: table.state.search },
  });
  const [edited, setEdited] = useState<EndUserRecord | "new" | null>(null);
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEdited("new")}>
      Limit an end user
    </Button>
  );
  return (
    <>
      <PageHeader
        title="End users"
        about="Your own customers, by the names that your calls tell. Single ones of them can have a budget, limits, or be blocked."
        actions={add}
      />
      <Group mb="md">
        <SearchField
          label="Search end users"
          value={table.state.search}
          onSearch={(search) => table.set({ search, page: "1" })}
        />
      </Group>
      <DataTable
        label="End users"
        columns={columns(setEdited)}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          table.state.search === "" ? (
            <EmptyState icon={IconUserHeart} title="Nobody is limited" action={add}>
              A call says whom it is made for with <Code>user</Code> or the header <Code>x-gw-end-user-id</Code>. The{" "}
              <AppLink to="/logs">logs</AppLink> find the calls for one of them.
            </EmptyState>
          ) : (
            <EmptyState icon={IconSearch} title="No end user like that">
              Only those with limits, a budget or a block are listed here.
            </EmptyState>
          )
        }
      />
      {edited && <EndUserDialog endUser={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </>
  );
}

const columns = (onEdit: (endUser: EndUserRecord) => void): readonly Column<EndUserRecord>[] => [
  {
    name: "id",
    header: "Name",
    isSortable: true,
    cell: ({ id, alias, blocked }) => (
      <Stack gap={0} align="flex-start">
        <Text size="sm" fw={560} className="wraps">
          <Breakable>{id}</Breakable>
        </Text>
        {alias !== null && (
          <Text size="xs" c="dimmed" className="wraps">
            {alias}
          </Text>
        )}
        {blocked && (
          <Badge variant="light" color="red" tt="none" mt={4}>
            blocked
          </Badge>
        )}
      </Stack>
    ),
  },
  {
    name: "limits",
    header: "Limits",
    from: "sm",
    cell: (endUser) => (
      <Text size="sm">
        <LimitsText of={endUser} />
      </Text>
    ),
  },
  { name: "spent", header: "Spent", isFigure: true, cell: ({ spent }) => <Money nano={spent} /> },
  {
    name: "createdAt",
    header: "Since",
    from: "md",
    isSortable: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="day" size="sm" />,
  },
  {
    name: "actions",
    header: <ActionsHeader />,
    isFigure: true,
    cell: (endUser) => <EndUserMenu endUser={endUser} onEdit={onEdit} />,
  },
];

interface EndUserMenuProps {
  readonly endUser: EndUserRecord;
  readonly onEdit: (endUser: EndUserRecord) => void;
}

function EndUserMenu({ endUser, onEdit }: EndUserMenuProps) {
  const { id, blocked } = endUser;
  const client = useQueryClient();
  const queryKey = [...useOrganizationKey(), "end-users"];
  const [isRemoving, setRemoving] = useState(false);
  const path = `/api/end-users/${encodeURIComponent(id)}`;
  const turn = useMutation({
    mutationFn: () => apiPatch(path, { blocked: !blocked }),
    onSuccess() {
      notifyDone(blocked ? `Calls for ${id} are let in.` : `Calls for ${id} are refused from now on.`);
      return client.invalidateQueries({ queryKey });
    },
  });
  return (
    <>
      <RowMenu label={`Actions for ${id}`}>
        <Menu.Item onClick={() => onEdit(endUser)}>Change</Menu.Item>
        <Menu.Item onClick={() => turn.mutate()}>{blocked ? "Unblock" : "Block"}</Menu.Item>
        <Menu.Item color="red" onClick={() => setRemoving(true)}>
          Remove
        </Menu.Item>
      </RowMenu>
      <RemovalDialog
        name={id}
        what="limits of"
        remove={() => apiDelete(path)}
        queryKey={queryKey}
        opened={isRemoving}
        onClose={() => setRemoving(false)}
      >
        Calls for them are let in as for anybody from then on. What was spent stays in the books.
      </RemovalDialog>
    </>
  );
}

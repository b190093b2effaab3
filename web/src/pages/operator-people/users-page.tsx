import { Badge, Group, Stack, Text } from "@mantine/core";
import { IconUser } from "@tabler/icons-react";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { Breakable } from "../../components/breakable.tsx";
import type { Column } from "../../components/column.ts";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { StatusBadge } from "./status-badge.tsx";
import { type AdminUser, USERS_KEY } from "./user.ts";
import { UserMenu } from "./user-menu.tsx";
import { AddUser } from "./users/add-user.tsx";

const FILTERS = { search: "" };

export default function UsersPage() {
  const table = useTable(FILTERS);
  const { search } = table.state;
  const query = usePagedQuery<AdminUser>(table, { key: USERS_KEY, path: "/api/admin/users", query: { search } });
  return (
    <>
      <PageHeader
        title="Users"
        about="Everybody who has an account here. Operators run this installation."
        actions={<AddUser />}
      />
      <Group mb="md">
        <SearchField label="Search by name or e-mail" value={search} onSearch={(text) => table.set({ search: text })} />
      </Group>
      <DataTable
        label="Users"
        columns={COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => String(id)}
        empty={
          <EmptyState icon={IconUser} title="Nobody fits">
            Search for another name or address.
          </EmptyState>
        }
      />
    </>
  );
}

const COLUMNS: readonly Column<AdminUser>[] = [
  {
    name: "name",
    header: "Who",
    isSortable: true,
    cell: ({ name, email, externalId }) => (
      <Stack gap={0}>
        <Text size="sm" fw={560} className="wraps">
          {name}
        </Text>
        {email !== "" && (
          <Text size="xs" c="dimmed" className="wraps">
            <Breakable>{email}</Breakable>
          </Text>
        )}
        {externalId !== null && externalId !== name && (
          <Text size="xs" c="dimmed" className="wraps">
            Id <Breakable>{externalId}</Breakable>
          </Text>
        )}
      </Stack>
    ),
  },
  {
    name: "status",
    header: "Status",
    cell: ({ status, role, signIn, viewer }) => (
      <Group gap={6}>
        <StatusBadge status={status} />
        {!signIn && (
          <Badge variant="light" color="gray" tt="none">
            no sign-in
          </Badge>
        )}
        {viewer && (
          <Badge variant="light" color="gray" tt="none">
            viewer
          </Badge>
        )}
        {role === "admin" && (
          <Badge variant="light" color="indigo" tt="none">
            operator
          </Badge>
        )}
      </Group>
    ),
  },
  {
    name: "safety",
    header: "Address and second factor",
    from: "md",
    cell: ({ signIn, emailVerified, twoFactorEnabled }) =>
      signIn && (
        <Text size="sm" c="dimmed">
          {emailVerified ? "verified" : "not verified"},{" "}
          {twoFactorEnabled ? "with a second factor" : "no second factor"}
        </Text>
      ),
  },
  {
    name: "lastLoginAt",
    header: "Last log-in",
    isSortable: true,
    from: "sm",
    cell: ({ lastLoginAt }) => <Time at={lastLoginAt} as="ago" size="sm" />,
  },
  {
    name: "createdAt",
    header: "Since",
    isSortable: true,
    from: "lg",
    cell: ({ createdAt }) => <Time at={createdAt} as="day" size="sm" />,
  },
  { name: "menu", header: <ActionsHeader />, isFigure: true, cell: (row) => <UserMenu user={row} /> },
];

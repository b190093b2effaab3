import { Badge, Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconTicket } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { VoucherRecord } from "../../../../src/contract/purchases.ts";
import { apiDelete } from "../../api/client.ts";
import { ActionsHeader } from "../../components/actions-header.tsx";
import { ButtonLink } from "../../components/button-link.tsx";
import type { Column } from "../../components/column.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Money } from "../../components/money.tsx";
import { notifyDone } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { Time } from "../../components/time.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { VoucherForm } from "./voucher-form.tsx";
import { VOUCHERS_KEY } from "./vouchers-key.ts";

const FILTERS = {};
const COLORS = { active: "pine", redeemed: "indigo", revoked: "gray", expired: "gray" } as const;

export default function VouchersPage() {
  const table = useTable(FILTERS);
  const [isMaking, make] = useDisclosure();
  const [revoked, setRevoked] = useState<VoucherRecord | null>(null);
  const query = usePagedQuery<VoucherRecord>(table, { key: VOUCHERS_KEY, path: "/api/admin/vouchers" });
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={make.open}>
      Make vouchers
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Credits and vouchers"
        about="A voucher is a code that an owner redeems once. Credit for one organization is given on its own page."
        actions={
          <>
            <ButtonLink to="/operator/organizations" search={{ give: "credit" }} variant="default">
              Give credit to an organization
            </ButtonLink>
            {add}
          </>
        }
      />
      <DataTable
        label="Vouchers"
        columns={columns(setRevoked)}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        empty={
          <EmptyState icon={IconTicket} title="No vouchers yet" action={add}>
            Make some, and hand their codes to whoever should have credit.
          </EmptyState>
        }
      />
      <VoucherForm opened={isMaking} onClose={make.close} />
      <Revoke voucher={revoked} onClose={() => setRevoked(null)} />
    </>
  );
}

const columns = (onRevoke: (voucher: VoucherRecord) => void): readonly Column<VoucherRecord>[] => [
  {
    name: "code",
    header: "Code",
    isWhole: true,
    cell: ({ last4 }) => (
      <Text size="sm" ff="monospace">
        …{last4}
      </Text>
    ),
  },
  {
    name: "amount",
    header: "Amount",
    isFigure: true,
    isSortable: true,
    cell: ({ amount }) => <Money size="sm" nano={amount} />,
  },
  {
    name: "status",
    header: "Status",
    cell: ({ status }) => (
      <Badge variant="light" color={COLORS[status]} tt="none">
        {status}
      </Badge>
    ),
  },
  {
    name: "note",
    header: "Note",
    from: "md",
    cell: ({ note }) => (
      <Text size="sm" className="wraps">
        {note ?? ""}
      </Text>
    ),
  },
  {
    name: "createdAt",
    header: "Made",
    from: "sm",
    isSortable: true,
    cell: ({ createdAt }) => <Time at={createdAt} as="day" size="sm" />,
  },
  {
    name: "expiresAt",
    header: "Good until",
    from: "md",
    isSortable: true,
    cell: ({ expiresAt }) => <Time at={expiresAt} as="day" none="for ever" size="sm" />,
  },
  {
    name: "redeemedAt",
    header: "Redeemed",
    from: "lg",
    isSortable: true,
    cell: ({ redeemedAt }) => <Time at={redeemedAt} none="" size="sm" />,
  },
  {
    name: "revoke",
    header: <ActionsHeader />,
    isFigure: true,
    cell: (voucher) =>
      voucher.status === "active" && (
        <Button size="xs" variant="default" onClick={() => onRevoke(voucher)} aria-label={`Revoke …${voucher.last4}`}>
          Revoke
        </Button>
      ),
  },
];

function Revoke({ voucher, onClose }: { voucher: VoucherRecord | null; onClose: () => void }) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => apiDelete(`/api/admin/vouchers/${id}`),
    onSuccess() {
      onClose();
      notifyDone("The voucher is worth nothing any more.");
      return client.invalidateQueries({ queryKey: VOUCHERS_KEY });
    },
  });
  return (
    <ConfirmDialog
      opened={voucher !== null}
      onClose={onClose}
      title={`Revoke the voucher …${voucher?.last4 ?? ""}?`}
      action="Revoke"
      isPending={revoke.isPending}
      onConfirm={() => voucher && revoke.mutate(voucher.id)}
    >
      Whoever has its code cannot redeem it any more.
    </ConfirmDialog>
  );
}

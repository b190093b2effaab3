import { Button, Group, Select } from "@mantine/core";
import { IconKey, IconPlus } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKeyRecord, FreshKeyRecord } from "../../../../src/contract/keys.ts";
import { apiDelete } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { notifyDone } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useOrganization, useOrganizationKey } from "../../session/session.ts";
import { type TeamChoice, useTeamChoice } from "../../session/team-choice.tsx";
import { FreshKey } from "./fresh-key.tsx";
import { keyColumns } from "./key-columns.tsx";
import { KeyDialog } from "./key-dialog.tsx";
import type { KeyAction } from "./key-menu.tsx";
import { PickUpDialog } from "./pick-up-dialog.tsx";
import { RotateDialog } from "./rotate-dialog.tsx";
import { askedTeam, TeamFilter } from "./team-filter.tsx";
import { useMayChange } from "./use-may-change.ts";

const FILTERS = { search: "", status: "", mine: "", team: "" };

export default function KeysPage() {
  const mayMake = useOrganization()?.role !== "viewer";
  const choice = useTeamChoice();
  const { teams } = choice;
  const key = useOrganizationKey();
  const table = useTable(FILTERS);
  const { search, status, mine } = table.state;
  const teamId = askedTeam(table.state.team, choice.team);
  const team = teams.find(({ id }) => id === teamId);
  const query = usePagedQuery<ApiKeyRecord>(table, {
    key: [...key, "keys"],
    path: "/api/api-keys",
    query: { search, status, mine, teamId },
  });
  const [subject, setSubject] = useState<ApiKeyRecord | "new" | null>(null);
  const [asked, setAsked] = useState<{ key: ApiKeyRecord; action: KeyAction } | null>(null);
  const [shown, setShown] = useState<FreshKeyRecord | null>(null);
  const act = (chosen: ApiKeyRecord, action: KeyAction): void =>
    action === "change" ? setSubject(chosen) : setAsked({ key: chosen, action });
  const mayChange = useMayChange(query.data?.data ?? []);
  const columns = keyColumns({
    teamName: (id) => teams.find((one) => one.id === id)?.name ?? "",
    isMixed: teamId === undefined && teams.length > 1,
    onAction: mayMake ? act : undefined,
    mayChange,
  });
  const newKey = mayMake && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setSubject("new")}>
      New key
    </Button>
  );
  const isNarrowed = search !== "" || status !== "" || mine !== "" || teamId !== undefined;
  return (
    <>
      <PageHeader
        title="Keys"
        about={
          team
            ? `Keys of the team ${team.name}.`
            : "With a key, a program calls models. Each has its own limits and its own figures."
        }
        actions={newKey}
      />
      <Filters state={table.state} set={table.set} choice={choice} />
      <DataTable
        label="Keys"
        columns={columns}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={setSubject}
        opens={mayChange}
        empty={
          isNarrowed ? (
            <EmptyState icon={IconKey} title="No such key">
              No key fits what you are looking for{team ? ` in the team ${team.name}` : ""}.
            </EmptyState>
          ) : (
            <EmptyState icon={IconKey} title="No keys yet" action={newKey}>
              {mayMake ? "Make one, and call your first model with it." : "Ask somebody of your team to make one."}
            </EmptyState>
          )
        }
      />
      <KeyDialog subject={subject} teamId={team?.id} onClose={() => setSubject(null)} onMade={setShown} />
      <FreshKey shown={shown} onClose={() => setShown(null)} />
      <RotateDialog
        subject={asked?.action === "rotate" ? asked.key : null}
        onClose={() => setAsked(null)}
        onDone={setShown}
      />
      <PickUpDialog
        subject={asked?.action === "pick-up" ? asked.key : null}
        onClose={() => setAsked(null)}
        onDone={setShown}
      />
      <RemoveDialog subject={asked?.action === "remove" ? asked.key : null} onClose={() => setAsked(null)} />
    </>
  );
}

interface FiltersProps {
  readonly state: typeof FILTERS;
  readonly set: (changes: Partial<typeof FILTERS>) => void;
  readonly choice: TeamChoice;
}

const Filters = ({ state, set, choice }: FiltersProps) => (
  <Group mb="md" gap="sm">
    <SearchField
      label="Search"
      placeholder="Name or last four"
      value={state.search}
      onSearch={(search) => set({ search })}
      w={{ base: "100%", xs: 240 }}
    />
    <Select
      aria-label="Status"
      data={[
        { value: "", label: "Any status" },
        { value: "active", label: "Active" },
        { value: "disabled", label: "Off" },
        { value: "expired", label: "Expired" },
      ]}
      value={state.status}
      onChange={(status) => set({ status: status ?? "" })}
      allowDeselect={false}
      w={150}
    />
    <Select
      aria-label="Whose"
      data={[
        { value: "", label: "Of everybody" },
        { value: "true", label: "Mine" },
      ]}
      value={state.mine}
      onChange={(mine) => set({ mine: mine ?? "" })}
      allowDeselect={false}
      w={150}
    />
    <TeamFilter choice={choice} asked={state.team} onAsk={(team) => set({ team })} />
  </Group>
);

function RemoveDialog({ subject, onClose }: { subject: ApiKeyRecord | null; onClose: () => void }) {
  const client = useQueryClient();
  const key = useOrganizationKey();
  const remove = useMutation({
    mutationFn: (id: string) => apiDelete(`/api/gw/api-keys/${id}`),
    onSuccess() {
      notifyDone("The key is removed.");
      onClose();
      return client.invalidateQueries({ queryKey: [...key, "keys"] });
    },
  });
  return (
    <ConfirmDialog
      opened={subject !== null}
      onClose={onClose}
      title={`Remove the key ${subject?.name ?? ""}?`}
      action="Remove"
      isPending={remove.isPending}
      onConfirm={() => subject && remove.mutate(subject.id)}
    >
      Programs that use it are refused from their next call on. Its calls stay in usage and logs.
    </ConfirmDialog>
  );
}

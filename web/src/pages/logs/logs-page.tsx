import { IconListDetails } from "@tabler/icons-react";
import type { CallRecord } from "../../../../src/contract/usage-records.ts";
import { AppLink } from "../../components/app-link.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useOpened } from "../../components/use-opened.ts";
import { usePagedQuery, useTable } from "../../components/use-table.ts";
import { useMaySee, useOrganizationKey } from "../../session/session.ts";
import { useTeamChoice } from "../../session/team-choice.tsx";
import { CallDrawer } from "./call-drawer.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { LOG_COLUMNS } from "./log-columns.tsx";
import { isNarrowed, LOG_STATE, type LogState, logQuery } from "./log-filters.ts";

const LIVE_MS = 2000;

/** Every call, one row each; what narrows them stands in the address bar. */
export default function LogsPage() {
  const { team, ofWhom } = useTeamChoice();
  const key = useOrganizationKey();
  const mayCall = useMaySee()("callers");
  const table = useTable(LOG_STATE);
  const { set } = table;
  const state: LogState = table.state;
  const query = usePagedQuery<CallRecord>(table, {
    key: [...key, "logs"],
    path: "/api/gw/logs",
    query: logQuery(state, team?.id),
    ...(state.live === "" ? {} : { refetchMs: LIVE_MS }),
  });
  // Opening a call leaves the page of the list where it is.
  const { open, close } = useOpened((call, how) => set({ call, page: table.state.page }, how));
  return (
    <>
      <PageHeader title="Logs" about={`Every call${ofWhom}.`} />
      <FilterBar state={state} set={set} />
      <DataTable
        label="Calls"
        columns={LOG_COLUMNS}
        query={query}
        table={table}
        rowKey={({ id }) => id}
        onRow={({ id }) => open(id)}
        empty={
          <EmptyState icon={IconListDetails} title={isNarrowed(state) ? "No such call" : "No calls in this time"}>
            {isNarrowed(state) ? (
              "No call fits these filters. Take one away, or look further back."
            ) : !mayCall ? (
              "A call stands here a moment after it is made."
            ) : (
              <>
                Make one in the <AppLink to="/playground">playground</AppLink>, or with a{" "}
                <AppLink to="/keys">key</AppLink>. It stands here a moment later.
              </>
            )}
          </EmptyState>
        }
      />
      <CallDrawer callId={state.call === "" ? null : state.call} onClose={close} />
    </>
  );
}

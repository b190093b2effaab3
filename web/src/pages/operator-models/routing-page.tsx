import { Group, Skeleton, Stack, Text } from "@mantine/core";
import { IconSitemap } from "@tabler/icons-react";
import { useNavigate } from "@tanstack/react-router";
import { useSearchState } from "../../app/use-search-state.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { SearchField } from "../../components/search-field.tsx";
import { AliasesCard } from "./aliases-card.tsx";
import { FallbacksCard } from "./fallbacks-card.tsx";
import { GroupTable } from "./group-table.tsx";
import { matching } from "./routing.ts";
import { RoutingGraph } from "./routing-graph.tsx";
import { useRouting } from "./use-routing.ts";

/** A drawing of more than this helps nobody; a search makes it smaller. */
const GROUPS_MAX = 40;
const SEARCH = { search: "" };

export default function RoutingPage() {
  const [{ search }, set] = useSearchState(SEARCH);
  const { data, error } = useRouting();
  const navigate = useNavigate();
  const open = (group: string): void => {
    void navigate({ to: "/operator/models" as never, search: { search: group } as never });
  };
  const names = data?.groups.map(({ name }) => name) ?? [];
  const found = data && matching(data.groups, search);
  const drawn = found?.slice(0, GROUPS_MAX);
  return (
    <>
      <PageHeader
        title="Routing"
        about="By which names models are called, what serves them, and who stands in when a group fails. Aliases and fallbacks can be changed below; the next call goes by them."
        actions={
          <ButtonLink to="/operator/models" variant="default">
            Deployments
          </ButtonLink>
        }
      />
      <Group mb="md" justify="space-between">
        <SearchField label="Search groups" value={search} onSearch={(text) => set({ search: text })} />
        <Legend defaults={data?.defaultFallbacks ?? []} />
      </Group>
      {error && !data && <ErrorState error={error} />}
      {!data && !error && <Skeleton height={420} />}
      {found && drawn && drawn.length > 0 && (
        <Stack gap="lg">
          <RoutingGraph groups={drawn} onGroup={open} />
          {found.length > drawn.length && (
            <Text size="sm" c="dimmed">
              The first {GROUPS_MAX} of {found.length} groups are drawn. Search for one to see it with all that stand in
              for it.
            </Text>
          )}
          <GroupTable groups={drawn} />
          <FallbacksCard groups={names} />
          <AliasesCard groups={names} />
        </Stack>
      )}
      {drawn?.length === 0 && (
        <EmptyState icon={IconSitemap} title={search === "" ? "No groups yet" : "No group fits"}>
          {search === "" ? "Add a model: its name is a group." : "Search for another name."}
        </EmptyState>
      )}
    </>
  );
}

const Legend = ({ defaults }: { defaults: readonly string[] }) => (
  <Text size="sm" c="dimmed" maw={560}>
    Arcs lead to the group that stands in, numbered in their order: solid for any failure, dashed for prompts that are
    too long, dotted for refused content.
    {defaults.length > 0 && ` Groups without arcs fall back on ${defaults.join(", ")}.`}
  </Text>
);

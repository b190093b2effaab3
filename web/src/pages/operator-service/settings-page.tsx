import { Badge, Card, Code, Group, Skeleton, Stack, Table, Text, Title } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { apiGet } from "../../api/client.ts";
import { useSearchState } from "../../app/use-search-state.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ReloadConfigButton } from "../../components/reload-config-button.tsx";
import { SearchField } from "../../components/search-field.tsx";

interface Setting {
  readonly value: unknown;
  readonly needsRestart: boolean;
}

const SEARCH = { search: "" };

export default function SettingsPage() {
  const [{ search }, set] = useSearchState(SEARCH);
  const query = useQuery({
    queryKey: ["operator", "settings"],
    queryFn: ({ signal }) => apiGet<{ settings: Record<string, Setting> }>("/api/admin/settings", {}, signal),
  });
  const found = Object.entries(query.data?.settings ?? {}).filter(([name]) =>
    name.includes(search.trim().toLowerCase()),
  );
  const groups = Map.groupBy(found, ([name]) => (name.includes(".") ? name.slice(0, name.indexOf(".")) : "other"));
  return (
    <>
      <PageHeader
        title="Configuration"
        about="Settings as they are in use, from the configuration file and the environment together. They are changed there; secrets are masked."
        actions={<ReloadConfigButton />}
      />
      <Group mb="md">
        <SearchField label="Search settings" value={search} onSearch={(text) => set({ search: text })} />
      </Group>
      {query.error && !query.data && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
      {query.isPending && <Skeleton height={420} />}
      <Stack gap="lg">
        {[...groups].map(([name, settings]) => (
          <Card key={name} component="section" aria-label={name}>
            <Title order={2} mb="sm">
              {name}
            </Title>
            <SettingsTable settings={settings} prefix={name} />
          </Card>
        ))}
        {query.data && found.length === 0 && <Text c="dimmed">No setting is called so.</Text>}
      </Stack>
    </>
  );
}

interface SettingsTableProps {
  readonly settings: readonly (readonly [string, Setting])[];
  readonly prefix: string;
}

const SettingsTable = ({ settings, prefix }: SettingsTableProps) => (
  <Table.ScrollContainer minWidth={0}>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Setting</Table.Th>
          <Table.Th>Value</Table.Th>
          <Table.Th visibleFrom="sm" w={130}>
            Taken over by
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {settings.map(([name, { value, needsRestart }]) => (
          <Table.Tr key={name}>
            <Table.Td className="wraps" w={{ base: "52%", sm: "34%" }}>
              {name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : name}
            </Table.Td>
            <Table.Td className="wraps">
              <Value value={value} />
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Badge variant="light" color={needsRestart ? "orange" : "pine"} tt="none">
                {needsRestart ? "a restart" : "a reload"}
              </Badge>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

function Value({ value }: { value: unknown }) {
  const isEmpty =
    value === null || value === "" || (typeof value === "object" && Object.keys(value as object).length === 0);
  if (isEmpty) {
    return (
      <Text span size="sm" c="dimmed">
        not set
      </Text>
    );
  }
  if (typeof value === "boolean") return value ? "yes" : "no";
  return <Code className="wraps">{typeof value === "object" ? JSON.stringify(value) : String(value)}</Code>;
}

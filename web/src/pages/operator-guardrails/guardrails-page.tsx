import { Button, Card, Group, Skeleton, Stack, Table, Text } from "@mantine/core";
import { IconPlus, IconShieldCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ReloadConfigButton } from "../../components/reload-config-button.tsx";
import { DraftCard } from "./draft-card.tsx";
import { type Draft, draftOf, type GuardrailView, KIND_NAMES, KINDS, MODES, NEW_DRAFT } from "./guardrail.ts";
import { type Tried, TryCard } from "./try-card.tsx";

export default function GuardrailsPage() {
  const query = useQuery({
    queryKey: ["operator", "guardrails"],
    queryFn: ({ signal }) => apiGet<Paged<GuardrailView>>("/api/admin/guardrails", { pageSize: 100 }, signal),
  });
  const [draft, setDraft] = useState<Draft | null>(null);
  const [tried, setTried] = useState<Tried | null>(null);
  const write = (next: Draft): void => {
    setDraft(next);
    setTried({ kind: "draft", draft: next });
  };
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => write(NEW_DRAFT)}>
      Write a guardrail
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Guardrails"
        about="They look at what goes to models and comes back, and mask or refuse what they find. They stand in the configuration file; write and try them here."
        actions={
          <>
            <ReloadConfigButton />
            {add}
          </>
        }
      />
      <Stack gap="lg">
        {query.error && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Skeleton height={200} />}
        {query.data && (
          <Card p={0}>
            {query.data.data.length === 0 ? (
              <EmptyState icon={IconShieldCheck} title="No guardrails yet">
                Write one, try it on a text, and put it into the configuration file.
              </EmptyState>
            ) : (
              <GuardrailTable
                guardrails={query.data.data}
                onTry={(name) => {
                  setDraft(null);
                  setTried({ kind: "configured", name });
                }}
                onEdit={(view) => write(draftOf(view))}
              />
            )}
          </Card>
        )}
        {draft && (
          <DraftCard
            draft={draft}
            onChange={write}
            onClose={() => {
              setDraft(null);
              setTried(null);
            }}
          />
        )}
        {tried && <TryCard key={tried.kind === "configured" ? tried.name : "draft"} tried={tried} />}
      </Stack>
    </>
  );
}

interface GuardrailTableProps {
  readonly guardrails: readonly GuardrailView[];
  readonly onTry: (name: string) => void;
  readonly onEdit: (view: GuardrailView) => void;
}

const GuardrailTable = ({ guardrails, onTry, onEdit }: GuardrailTableProps) => (
  <Table.ScrollContainer minWidth={0}>
    <Table aria-label="Guardrails">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th visibleFrom="sm">Looks</Table.Th>
          <Table.Th visibleFrom="md">For</Table.Th>
          <Table.Th visibleFrom="sm">Does</Table.Th>
          <Table.Th />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {guardrails.map((one) => (
          <Table.Tr key={one.name}>
            <Table.Td>
              <Stack gap={0}>
                <Text size="sm" fw={560} className="wraps">
                  {one.name}
                </Text>
                <Text size="xs" c="dimmed">
                  {KIND_NAMES[one.kind]}
                </Text>
              </Stack>
            </Table.Td>
            <Table.Td visibleFrom="sm">{one.modes.map((mode) => MODES[mode]).join(", ")}</Table.Td>
            <Table.Td visibleFrom="md">{one.defaultOn ? "every call" : "calls, keys and teams that name it"}</Table.Td>
            <Table.Td visibleFrom="sm">{one.action === "mask" ? "masks" : "refuses"}</Table.Td>
            <Table.Td>
              <Group gap="xs" justify="flex-end" wrap="nowrap">
                <Button size="xs" variant="default" onClick={() => onTry(one.name)} aria-label={`Try ${one.name}`}>
                  Try
                </Button>
                {one.kind in KINDS && (
                  <Button size="xs" variant="default" onClick={() => onEdit(one)} aria-label={`Edit ${one.name}`}>
                    Edit
                  </Button>
                )}
              </Group>
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </Table.ScrollContainer>
);

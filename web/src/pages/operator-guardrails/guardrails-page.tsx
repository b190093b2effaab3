import { Button, Card, Skeleton, Stack } from "@mantine/core";
import { IconPlus, IconShieldCheck } from "@tabler/icons-react";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { ReloadConfigButton } from "../../components/reload-config-button.tsx";
import { DraftCard } from "./draft-card.tsx";
import {
  copyOf,
  type Draft,
  draftOf,
  GUARDRAILS_KEY,
  type GuardrailDetails,
  type GuardrailView,
  NEW_DRAFT,
} from "./guardrail.ts";
import { GuardrailTable } from "./guardrail-table.tsx";
import { type Tried, TryCard } from "./try-card.tsx";

export default function GuardrailsPage() {
  const query = useQuery({
    queryKey: GUARDRAILS_KEY,
    queryFn: ({ signal }) => apiGet<Paged<GuardrailView>>("/api/admin/guardrails", { pageSize: 100 }, signal),
  });
  const [draft, setDraft] = useState<Draft | null>(null);
  const [tried, setTried] = useState<Tried | null>(null);
  const write = (next: Draft): void => {
    setDraft(next);
    setTried({ kind: "draft", draft: next });
  };
  const edit = useMutation({
    mutationFn: (name: string) => apiGet<GuardrailDetails>(`/api/admin/guardrails/${encodeURIComponent(name)}`),
    onSuccess: (details) => write(draftOf(details)),
  });
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => write(NEW_DRAFT)}>
      New guardrail
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Guardrails"
        about="They look at what goes to models and comes back, and mask or refuse what they find. Those that are made here look at once; those of the configuration file are changed there."
        actions={
          <>
            <ReloadConfigButton />
            {add}
          </>
        }
      />
      <Stack gap="lg">
        {query.error && !query.data && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {query.isPending && <Skeleton height={200} />}
        {query.data && (
          <Card p={0}>
            {query.data.data.length === 0 ? (
              <EmptyState icon={IconShieldCheck} title="No guardrails yet" action={add}>
                Make one that masks e-mail addresses or refuses secrets, and try it on a text before it looks at calls.
              </EmptyState>
            ) : (
              <GuardrailTable
                guardrails={query.data.data}
                onTry={(name) => {
                  setDraft(null);
                  setTried({ kind: "configured", name });
                }}
                onCopy={(view) => write(copyOf(view))}
                onEdit={(name) => edit.mutate(name)}
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

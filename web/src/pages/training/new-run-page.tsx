import { Button, Card, Code, Grid, Group, Skeleton, Stack, Switch, Textarea, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconBroadcast } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { ParticipantRecord, RunRecord, StrategyRecord } from "../../../../src/contract/training.ts";
import { apiGet, apiPost } from "../../api/client.ts";
import { pageFacts } from "../../api/page-facts.ts";
import type { Paged } from "../../api/paged.ts";
import { ButtonLink } from "../../components/button-link.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { FormError } from "../../components/form-error.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useFormMutation } from "../../components/use-form-mutation.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { PlanFields } from "./plan-fields.tsx";
import { NEW_PLAN, type PlanValues, planOf } from "./plan-values.ts";
import { toBase64 } from "./to-base64.ts";
import { toYaml } from "./to-yaml.ts";

/** An organization has at most as many as this asks for. */
const PAGES = [1, 2] as const;

export default function NewRunPage() {
  const key = useOrganizationKey();
  const participants = useQuery({
    queryKey: [...key, "training", "participants", "all"],
    async queryFn({ signal }) {
      const pages = await Promise.all(
        PAGES.map((page) =>
          apiGet<Paged<ParticipantRecord>>("/api/training/participants", { page, pageSize: 100 }, signal),
        ),
      );
      return pages.flatMap(({ data }) => data.map(({ name }) => name));
    },
  });
  const strategies = useQuery({
    queryKey: ["training", "strategies"],
    queryFn: ({ signal }) => apiGet<{ data: StrategyRecord[] }>("/api/training/strategies", { pageSize: 100 }, signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const error = participants.error ?? strategies.error;
  const retry = () => void Promise.all([participants.refetch(), strategies.refetch()]);
  return (
    <>
      <PageHeader
        back={{ to: "/training/runs", words: "All runs" }}
        title="New training run"
        about={
          <>
            The form writes a plan; the same plan runs with <Code>{pageFacts.command} train run</Code>. It begins as
            soon as the server has room for it.
          </>
        }
      />
      {!participants.data || !strategies.data ? (
        error ? (
          <ErrorState error={error} onRetry={retry} />
        ) : (
          <Skeleton height={640} />
        )
      ) : participants.data.length === 0 ? (
        <Card>
          <EmptyState
            icon={IconBroadcast}
            title="Nobody can be asked yet"
            action={<ButtonLink to="/training/participants">Register participants</ButtonLink>}
          >
            A run needs participants that are registered.
          </EmptyState>
        </Card>
      ) : (
        <NewRunForm names={participants.data} strategies={strategies.data.data} />
      )}
    </>
  );
}

function NewRunForm({ names, strategies }: { names: readonly string[]; strategies: readonly StrategyRecord[] }) {
  const key = useOrganizationKey();
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useForm<PlanValues>({ initialValues: { ...NEW_PLAN, participants: [...names] } });
  /** Null while the form writes the plan. */
  const [text, setText] = useState<string | null>(null);
  const yaml = toYaml(
    planOf(
      form.values,
      strategies.find(({ name }) => name === form.values.strategy),
    ),
  );
  const start = useFormMutation({
    form,
    async send({ initial }) {
      const initialModel = initial === null ? undefined : await toBase64(initial);
      return apiPost<RunRecord>("/api/training/runs", { plan: text ?? yaml, initialModel });
    },
    async onDone({ id }) {
      void client.invalidateQueries({ queryKey: [...key, "training", "runs"] });
      await navigate({ to: `/training/runs/${id}` as never });
    },
  });
  return (
    <form onSubmit={start.onSubmit}>
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Card>
            <fieldset disabled={text !== null} style={{ border: 0, padding: 0, margin: 0, minWidth: 0 }}>
              <PlanFields form={form} names={names} strategies={strategies} />
            </fieldset>
          </Card>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Card>
            <Stack>
              <Group justify="space-between">
                <Title order={2}>The plan</Title>
                <Switch
                  label="Edit as text"
                  checked={text !== null}
                  onChange={(event) => setText(event.currentTarget.checked ? yaml : null)}
                />
              </Group>
              {text === null ? (
                <CodeBlock code={yaml} label="Copy the plan" />
              ) : (
                <Textarea
                  label="Plan as YAML"
                  description="What stands here is sent; the form is off meanwhile."
                  autosize
                  minRows={14}
                  ff="monospace"
                  spellCheck={false}
                  value={text}
                  onChange={(event) => setText(event.currentTarget.value)}
                />
              )}
              <FormError error={start.error} />
              <Group justify="flex-end">
                <ButtonLink to="/training/runs" variant="default">
                  Cancel
                </ButtonLink>
                <Button type="submit" loading={start.isPending}>
                  Start the run
                </Button>
              </Group>
            </Stack>
          </Card>
        </Grid.Col>
      </Grid>
    </form>
  );
}

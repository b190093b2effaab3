import { Badge, Button, Group, SimpleGrid, Skeleton, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { apiDelete, apiGet } from "../../api/client.ts";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { notifyDone } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { isMissing, ThingFailed } from "../../components/thing-failed.tsx";
import { isNotSetUp, useDeployments } from "../../components/use-deployments.ts";
import { type AdminModel, MODELS_KEY } from "./admin-model.ts";
import { DeploymentCard } from "./deployment-card.tsx";
import { EditModel } from "./edit-model.tsx";
import { ModelFacts } from "./model-facts.tsx";
import { StateBadge } from "./state-badge.tsx";
import { TestCard } from "./test-card.tsx";

const BACK = { to: "/operator/models", words: "Deployments" };

export default function ModelPage() {
  const { modelId = "" } = useParams({ strict: false }) as { modelId?: string };
  const query = useQuery({
    queryKey: [...MODELS_KEY, "one", modelId],
    queryFn: ({ signal }) => apiGet<AdminModel>(`/api/admin/models/${encodeURIComponent(modelId)}`, {}, signal),
  });
  const { data: deployments } = useDeployments();
  const deployment = deployments?.get(modelId);
  const model = query.data;
  const [isEditing, edit] = useDisclosure();
  if (isMissing(query)) return <ThingFailed query={query} title="Model" back={BACK} />;
  return (
    <>
      <PageHeader
        back={BACK}
        title={
          <Group gap="sm" component="span">
            {model?.name ?? "Model"}
            {deployment && <StateBadge deployment={deployment} />}
            {model?.status === "disabled" && <Badge color="gray">out of use</Badge>}
          </Group>
        }
        tab={model?.name ?? "Model"}
        about={model && `${model.provider}/${model.inferenceModelId ?? "?"}`}
        actions={
          model &&
          !model.readOnly && (
            <>
              <Button variant="default" onClick={edit.toggle} aria-expanded={isEditing}>
                {isEditing ? "Cancel" : "Change"}
              </Button>
              <RemoveModel model={model} />
            </>
          )
        }
      />
      {model === undefined ? (
        <Skeleton height={320} />
      ) : (
        <Stack gap="lg">
          {model.faults.length > 0 && (
            <ErrorState error={new Error(model.faults.join(" "))} title="It cannot be called" />
          )}
          {deployment && isNotSetUp(deployment) && (
            <ErrorState error={new Error(deployment.lacks ?? "")} title="Every call of it fails" />
          )}
          {isEditing && <EditModel key={model.updatedAt ?? ""} model={model} onDone={edit.close} />}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
            {deployment ? (
              <DeploymentCard deployment={deployment} name={model.name} />
            ) : (
              model.status === "enabled" && model.faults.length === 0 && <Skeleton height={582} radius="md" />
            )}
            <Stack gap="lg">
              <TestCard model={model} />
              <ModelFacts model={model} />
            </Stack>
          </SimpleGrid>
        </Stack>
      )}
    </>
  );
}

function RemoveModel({ model }: { model: AdminModel }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => apiDelete(`/api/admin/models/${encodeURIComponent(model.id)}`),
    async onSuccess() {
      notifyDone(`${model.name} is removed.`);
      await navigate({ to: "/operator/models" as never });
      void client.invalidateQueries({ queryKey: MODELS_KEY });
    },
  });
  return (
    <>
      <Button variant="default" c="var(--mantine-color-error)" onClick={dialog.open}>
        Remove
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title={`Remove this deployment of ${model.name}?`}
        action="Remove"
        isPending={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        It gets no calls any more, and its key is forgotten. Calls that run are not touched.
      </ConfirmDialog>
    </>
  );
}

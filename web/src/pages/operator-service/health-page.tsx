import { Alert, SimpleGrid, Stack } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { DeploymentView } from "../../../../src/contract/deployments.ts";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { counted } from "../../components/counted.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { isNotSetUp, isUntried, useDeployments } from "../../components/use-deployments.ts";
import { useCache } from "./cache-view.ts";
import { DependencyCard } from "./dependency-card.tsx";
import { ModelChecks } from "./model-checks.tsx";

interface Readiness {
  readonly status: string;
  readonly db: string;
  /** What is wrong, where something is. */
  readonly reason?: string;
}
type Settings = Readonly<Record<string, { readonly value: unknown } | undefined>>;

/** A process that is not ready answers 503: that is an answer here, not a failure of the page. */
async function readReadiness(signal: AbortSignal): Promise<Readiness> {
  const response = await fetch("/health/readiness", { signal });
  return (await response.json()) as Readiness;
}

const REFETCH_MS = 5000;

export default function HealthPage() {
  const ready = useQuery({
    queryKey: ["operator", "readiness"],
    queryFn: ({ signal }) => readReadiness(signal),
    refetchInterval: REFETCH_MS,
  });
  const settings = useQuery({
    queryKey: ["operator", "settings"],
    queryFn: ({ signal }) => apiGet<{ settings: Settings }>("/api/admin/settings", {}, signal),
  });
  const cache = useCache();
  const parked = useCount("/api/admin/webhook-events", { status: "parked" });
  const deployments = useDeployments().data;
  const billing = settings.data?.settings["general_settings.billing"]?.value as
    | { provider?: string }
    | null
    | undefined;
  const database = settings.data?.settings["general_settings.database_url"]?.value;
  return (
    <>
      <PageHeader title="Health" about="What this installation depends on, as the process that answers sees it." />
      <Stack gap="lg">
        {ready.data?.reason && (
          <Alert color="red" icon={<IconAlertTriangle size={18} />} title="Balancers send no calls here" role="alert">
            {ready.data.reason}
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, sm: 2, xl: 4 }}>
          <DependencyCard
            name="Database"
            isWell={ready.data && ready.data.db === "connected"}
            text={
              ready.data &&
              (ready.data.db === "connected" ? "It answers." : "It does not answer: calls go on, changes wait.")
            }
            note={
              database === undefined ? undefined : database === null ? "SQLite in the data folder" : String(database)
            }
          />
          <ModelsCard deployments={deployments && [...deployments.values()]} />
          <DependencyCard
            name="Cache"
            isWell={cache.data && (cache.data.connected || !cache.data.enabled)}
            text={
              cache.data &&
              (!cache.data.enabled
                ? "It is off."
                : cache.data.connected
                  ? "It answers."
                  : "It does not answer: every call is a miss.")
            }
            note={cache.data && (cache.data.store === "redis" ? "Redis" : "in memory")}
            link={{ to: "/operator/cache", label: "Cache" }}
          />
          <DependencyCard
            name="Payments"
            isWell={parked === undefined ? undefined : parked === 0}
            text={
              parked === undefined
                ? undefined
                : parked === 0
                  ? "Every event was understood."
                  : `${counted(parked, "event waits", "events wait")} for a person.`
            }
            note={
              billing === undefined
                ? undefined
                : billing?.provider === "stripe"
                  ? "Stripe"
                  : "played: nobody pays with real money"
            }
            link={{ to: "/operator/payments", label: "Payment events" }}
          />
        </SimpleGrid>
        <ModelChecks />
      </Stack>
    </>
  );
}

function ModelsCard({ deployments }: { deployments: readonly DeploymentView[] | undefined }) {
  const link = { to: "/operator/models", label: "Deployments" };
  if (!deployments) return <DependencyCard name="Models" isWell={undefined} text={undefined} link={link} />;
  const all = deployments.length;
  const on = deployments.filter(({ state }) => state !== "off");
  const troubled = on.filter((one) => one.state !== "well" || isNotSetUp(one)).length;
  const untried = on.filter(isUntried).length;
  return (
    <DependencyCard
      name="Models"
      isWell={troubled === 0}
      isUnused={untried > 0 && untried === on.length}
      text={
        troubled > 0
          ? `${troubled} of ${all} ${troubled === 1 ? "is" : "are"} not well.`
          : untried > 0
            ? `No deployment fails; ${untried} of ${all} had no call yet.`
            : `All ${all} deployments are well or switched off.`
      }
      link={link}
    />
  );
}

/** How many there are of something. */
function useCount(path: string, query: Readonly<Record<string, string>>): number | undefined {
  const { data } = useQuery({
    queryKey: ["operator", "count", path, query],
    queryFn: ({ signal }) => apiGet<Paged<unknown>>(path, { ...query, pageSize: 1 }, signal),
    refetchInterval: REFETCH_MS,
  });
  return data?.meta.total;
}

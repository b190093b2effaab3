import { Stack } from "@mantine/core";
import { PageLoading } from "../../app/page-loading.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useOrganization } from "../../session/session.ts";
import { useTeamChoice } from "../../session/team-choice.tsx";
import { Charts } from "./charts.tsx";
import { Figures } from "./figures.tsx";
import { FirstSteps, useFirstSteps } from "./first-steps.tsx";
import { LatestCalls } from "./latest-calls.tsx";

export default function OverviewPage() {
  const organization = useOrganization();
  const { team, ofWhom } = useTeamChoice();
  const steps = useFirstSteps();
  const isNew = steps !== undefined && steps.length > 0;
  return (
    <>
      <PageHeader title="Overview" about={`${organization?.name ?? ""}${ofWhom && `: calls${ofWhom}`}`} />
      {steps === undefined && <PageLoading />}
      {/* The rest reads meanwhile, but is shown once it is known what stands above it. */}
      <Stack gap="lg" display={steps === undefined ? "none" : "flex"}>
        {isNew && <FirstSteps steps={steps} />}
        <Figures teamId={team?.id} />
        {/* Where nobody has called yet, there is nothing to draw. */}
        {!isNew && <Charts teamId={team?.id} />}
        <LatestCalls teamId={team?.id} />
      </Stack>
    </>
  );
}

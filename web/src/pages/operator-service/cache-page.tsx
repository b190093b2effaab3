import { Button, Card, Code, Progress, SimpleGrid, Stack, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconDatabaseOff, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost } from "../../api/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { ConfirmDialog } from "../../components/confirm-dialog.tsx";
import { counted } from "../../components/counted.ts";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorState } from "../../components/error-state.tsx";
import { Facts } from "../../components/facts.tsx";
import { formatPercent } from "../../components/format-percent.ts";
import { notifyDone } from "../../components/notify.ts";
import { PageHeader } from "../../components/page-header.tsx";
import { ReloadConfigButton } from "../../components/reload-config-button.tsx";
import { StatCard } from "../../components/stat-card.tsx";
import { CACHE_KEY, type CacheView, useCache } from "./cache-view.ts";

const SWITCH_ON = `litellm_settings:
  cache: true
  cache_params: { type: local, ttl: 600 }`;

export default function CachePage() {
  const { data: cache, error, refetch } = useCache();
  return (
    <>
      <PageHeader
        title="Cache"
        about="Answers that are kept, and given again to the same question at once and without the model."
        actions={cache?.enabled && <FlushButton store={cache.store} />}
      />
      {error && !cache && <ErrorState error={error} onRetry={() => void refetch()} />}
      {cache?.enabled === false ? <SwitchedOff /> : (cache || !error) && <Figures cache={cache} />}
    </>
  );
}

const SwitchedOff = () => (
  <Card p={0}>
    <EmptyState icon={IconDatabaseOff} title="The cache is off" action={<ReloadConfigButton />}>
      <Stack>
        <div>
          Put this into <Code>turnpike.yaml</Code> of this installation (or the file that <Code>TURNPIKE_CONFIG</Code>{" "}
          names); make it if there is none. Then read it again.
        </div>
        <CodeBlock code={SWITCH_ON} label="Copy the setting" />
      </Stack>
    </EmptyState>
  </Card>
);

function Figures({ cache }: { cache: CacheView | undefined }) {
  return (
    <Stack gap="lg">
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <StatCard
          label="Hit rate"
          value={cache && (cache.hitRate === null ? "–" : formatPercent(cache.hitRate))}
          note={cache && "since the process started"}
        />
        <StatCard
          label="Hits"
          value={cache?.hits.toLocaleString()}
          note={cache && `${cache.sharedHits.toLocaleString()} waited for the same call`}
        />
        <StatCard
          label="Misses"
          value={cache?.misses.toLocaleString()}
          note={cache && `${cache.kept.toLocaleString()} kept`}
        />
        <StatCard
          label="Answers that are kept"
          value={cache && (cache.entries?.toLocaleString() ?? "not known")}
          note={cache && `${cache.evicted.toLocaleString()} left for want of room`}
        />
      </SimpleGrid>
      {cache && <Description cache={cache} />}
    </Stack>
  );
}

const MIB = 1024 * 1024;
const mebibytes = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

function Description({ cache }: { cache: CacheView }) {
  const { bytes, bytesMax, semantic } = cache;
  const isFull = bytes !== null && bytesMax !== null;
  return (
    <Card component="section" aria-label="How it works here">
      <Title order={2} mb="md">
        How it works here
      </Title>
      <Facts
        items={[
          ["Kept", cache.store === "local" ? "in the memory of each process" : "on Redis, for all processes"],
          ["Reached", cache.connected ? "yes" : "no: every call is a miss until it is back"],
          [
            "Room",
            isFull ? (
              <Stack key="room" gap={4}>
                {mebibytes(bytes)} of {mebibytes(bytesMax)}
                <Progress value={Math.min(100, (100 * bytes) / bytesMax)} aria-label="Room that is used" maw={320} />
              </Stack>
            ) : undefined,
          ],
          [
            "Used",
            cache.mode === "default_on" ? "by every call that does not say otherwise" : "by calls that ask for it",
          ],
          ["Shared", cache.scope === "global" ? "by everybody" : `within one ${cache.scope}`],
          ["Kept for", `${cache.ttlSeconds.toLocaleString()} seconds`],
          [
            "A hit costs",
            cache.hitPricePercent === 0 ? "nothing" : `${formatPercent(cache.hitPricePercent / 100, 2)} of the call`,
          ],
          [
            "By meaning",
            semantic === null
              ? "no"
              : `from ${semantic.similarityThreshold} on, by ${semantic.embeddingModel}; ${counted(cache.semanticHits, "hit")}`,
          ],
          ["Namespace", cache.namespace ?? undefined],
        ]}
      />
    </Card>
  );
}

function FlushButton({ store }: { store: CacheView["store"] }) {
  const [isOpen, dialog] = useDisclosure();
  const client = useQueryClient();
  const flush = useMutation({
    mutationFn: () => apiPost<{ entries: number }>("/api/admin/cache/flush"),
    onSuccess({ entries }) {
      dialog.close();
      notifyDone(entries === 1 ? "One answer is forgotten." : `${entries.toLocaleString()} answers are forgotten.`);
      return client.invalidateQueries({ queryKey: CACHE_KEY });
    },
  });
  return (
    <>
      <Button variant="default" leftSection={<IconTrash size={16} />} onClick={dialog.open}>
        Empty it
      </Button>
      <ConfirmDialog
        opened={isOpen}
        onClose={dialog.close}
        title="Forget every answer that is kept?"
        action="Empty the cache"
        isPending={flush.isPending}
        onConfirm={() => flush.mutate()}
      >
        {store === "local" ? "Those of this server." : "Those on Redis, for all processes."} Calls ask their models
        until answers are kept anew, and are charged for it.
      </ConfirmDialog>
    </>
  );
}

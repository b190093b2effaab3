import { Button, Card, Group, Skeleton, Stack } from "@mantine/core";
import { IconTrash } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { Facts } from "../../components/facts.tsx";
import { formatBytes } from "../../components/format-bytes.ts";
import { KeyedPage } from "../../components/keyed-page.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { isMissing, ThingFailed } from "../../components/thing-failed.tsx";
import { Time } from "../../components/time.tsx";
import { isoOf } from "../../components/unix-time.ts";
import { keyOf } from "./keys.ts";
import { OtherTeam } from "./other-team.tsx";
import { PassageSearch } from "./passage-search.tsx";
import type { VectorStore } from "./records.ts";
import { RemoveDialog } from "./remove-dialog.tsx";
import { StoreFiles } from "./store-files.tsx";

const READING_MS = 1000;

const BACK = { to: "/vector-stores", words: "All vector stores" };

export default function VectorStorePage() {
  const { storeId = "" } = useParams({ strict: false }) as { storeId?: string };
  return (
    <KeyedPage title="Vector store">
      {(api, choice) => <Store key={storeId + api.keyId} api={api} choice={choice} storeId={storeId} />}
    </KeyedPage>
  );
}

interface StoreProps {
  readonly api: KeyApi;
  readonly choice: ReactNode;
  readonly storeId: string;
}

function Store({ api, choice, storeId }: StoreProps) {
  const navigate = useNavigate();
  const [isGoing, setGoing] = useState(false);
  const path = `/v1/vector_stores/${encodeURIComponent(storeId)}`;
  const store = useQuery({
    queryKey: keyOf(api, "vector-stores", storeId),
    queryFn: ({ signal }) => api.get<VectorStore>(path, {}, signal),
    refetchInterval: ({ state }) => (state.data?.status === "in_progress" ? READING_MS : false),
  });
  if (isMissing(store)) {
    return (
      <ThingFailed query={store} title="Vector store" back={BACK} actions={choice}>
        <OtherTeam hasChoice={choice !== null} />
      </ThingFailed>
    );
  }
  const found = store.data;
  return (
    <>
      <PageHeader
        back={BACK}
        title={found ? found.name || found.id : <Skeleton height={30} width={240} />}
        about={found?.description ?? "Files that are searched together."}
        actions={
          <>
            {choice}
            <Button
              variant="default"
              c="var(--mantine-color-error)"
              leftSection={<IconTrash size={16} />}
              onClick={() => setGoing(true)}
            >
              Delete
            </Button>
          </>
        }
      />
      {found ? (
        <Stack gap="lg">
          <PassageSearch api={api} path={path} hasFiles={found.file_counts.total > 0} />
          <StoreFiles api={api} store={found} path={path} />
          <Card>
            <StoreFacts store={found} />
          </Card>
        </Stack>
      ) : (
        <Skeleton height={420} />
      )}
      <RemoveDialog
        api={api}
        target={isGoing && found ? { path, name: found.name || found.id } : null}
        lists={["vector-stores"]}
        onClose={() => setGoing(false)}
        onDone={() => void navigate({ to: "/vector-stores" })}
      >
        Its passages and vectors go for good, and assistants find nothing in it any more. The files themselves stay.
      </RemoveDialog>
    </>
  );
}

const StoreFacts = ({ store }: { store: VectorStore }) => (
  <Facts
    items={[
      [
        "Id",
        <Group key="id" gap="xs" wrap="nowrap">
          {store.id} <CopyButton value={store.id} label="Copy the id" />
        </Group>,
      ],
      ["Size", formatBytes(store.usage_bytes)],
      ["Vectors by", store.embedding_model ?? "the model of this installation"],
      ["Made", <Time key="made" at={isoOf(store.created_at)} />],
      ["Last used", <Time key="used" at={isoOf(store.last_active_at)} as="ago" />],
      ["Stays until", <Time key="ends" at={isoOf(store.expires_at)} none="it is deleted" />],
    ]}
  />
);

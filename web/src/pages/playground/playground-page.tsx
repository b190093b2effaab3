import { Group, SegmentedControl, Select, Skeleton } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useCallback } from "react";
import { useSearchState } from "../../app/use-search-state.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { NoKey } from "../../components/no-key.tsx";
import { PageHeader } from "../../components/page-header.tsx";
import { useOwnKeys } from "../../components/use-own-key.ts";
import { ChatPanel } from "./chat-panel.tsx";
import { ImagePanel } from "./image-panel.tsx";
import { SpeechPanel } from "./speech-panel.tsx";

const STATE = { mode: "chat", model: "", key: "" };
const MODES = [
  { value: "chat", label: "Chat" },
  { value: "images", label: "Images" },
  { value: "speech", label: "Speech" },
];

export default function PlaygroundPage() {
  const [state, set] = useSearchState(STATE);
  const keys = useOwnKeys();
  const own = keys.data?.data ?? [];
  const chosen = own.find(({ id }) => id === state.key) ?? own[0];
  const setModel = useCallback((model: string) => set({ model }), [set]);
  return (
    <>
      <PageHeader
        title="Playground"
        about="Try models with one of your keys. Calls cost and count as any other of its calls."
        actions={
          own.length > 0 && (
            <Select
              aria-label="Key"
              leftSection={<IconKey size={16} />}
              data={own.map(({ id, name }) => ({ value: id, label: name }))}
              value={chosen?.id ?? null}
              onChange={(key) => set({ key: key ?? "" })}
              allowDeselect={false}
              w={220}
            />
          )
        }
      />
      {keys.error && !keys.data && <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isPending && <Skeleton height={420} />}
      {keys.data && own.length === 0 && (
        <NoKey onMade={(key) => set({ key })}>
          The playground calls models with one of your keys, so that its calls are counted like all others.
        </NoKey>
      )}
      {chosen && (
        <>
          <Group mb="md">
            <SegmentedControl
              aria-label="What to try"
              data={MODES}
              value={state.mode}
              onChange={(mode) => set({ mode, model: "" })}
            />
          </Group>
          {state.mode === "images" && <ImagePanel keyId={chosen.id} model={state.model} onModel={setModel} />}
          {state.mode === "speech" && <SpeechPanel keyId={chosen.id} model={state.model} onModel={setModel} />}
          {state.mode !== "images" && state.mode !== "speech" && (
            <ChatPanel keyId={chosen.id} models={state.model} onModels={setModel} />
          )}
        </>
      )}
    </>
  );
}

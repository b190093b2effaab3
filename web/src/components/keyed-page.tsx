import { Select, Skeleton } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { type KeyApi, keyApi } from "../api/key-api.ts";
import { ErrorState } from "./error-state.tsx";
import { NoKey } from "./no-key.tsx";
import { PageHeader } from "./page-header.tsx";
import { useKeyChoice } from "./use-key-choice.ts";

interface KeyedPageProps {
  /** The title while there is no key yet. */
  readonly title: string;
  readonly children: (api: KeyApi, choice: ReactNode) => ReactNode;
}

/** A page over what belongs to the team of a key: the person chooses one of theirs, or makes the first. */
export function KeyedPage({ title, children }: KeyedPageProps) {
  const { keys, own, key, choose } = useKeyChoice();
  const keyId = key?.id;
  const api = useMemo(() => (keyId === undefined ? null : keyApi(keyId)), [keyId]);
  if (api === null) {
    return (
      <>
        <PageHeader title={title} />
        {keys.error && <ErrorState error={keys.error} onRetry={() => void keys.refetch()} />}
        {keys.isPending && <Skeleton height={320} />}
        {keys.data && (
          <NoKey onMade={choose}>
            Assistants, files, vector stores and batches belong to a team, and are reached with one of your keys in it.
          </NoKey>
        )}
      </>
    );
  }
  const choice = (
    <Select
      aria-label="Key"
      leftSection={<IconKey size={16} />}
      data={own.map(({ id, name }) => ({ value: id, label: name }))}
      value={api.keyId}
      onChange={(id) => id !== null && choose(id)}
      allowDeselect={false}
      w={200}
    />
  );
  return children(api, own.length > 1 ? choice : null);
}

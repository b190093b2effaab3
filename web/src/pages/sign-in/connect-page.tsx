import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import type { ConnectQuery, ConnectView } from "../../../../src/contract/connect.ts";
import { ApiError } from "../../api/api-error.ts";
import { apiGet } from "../../api/client.ts";
import { ErrorState } from "../../components/error-state.tsx";
import { ConnectForm } from "./connect-form.tsx";
import { SignInCard } from "./sign-in-card.tsx";

/** An app has sent somebody here who may let it have a key of theirs. */
export default function ConnectPage() {
  const {
    callback_url = "",
    code_challenge = "",
    code_challenge_method,
    state,
  } = useSearch({
    strict: false,
  }) as Partial<ConnectQuery>;
  const asked: ConnectQuery = {
    callback_url,
    code_challenge,
    ...(code_challenge_method === undefined ? {} : { code_challenge_method }),
    ...(state === undefined ? {} : { state }),
  };
  const query = useQuery({
    queryKey: ["connect", asked],
    queryFn: ({ signal }) => apiGet<ConnectView>("/api/auth/connect", { ...asked }, signal),
    // What was typed must not be taken away by a later answer.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (query.error) return <Failed error={query.error} onRetry={() => void query.refetch()} />;
  if (!query.data) {
    return (
      <SignInCard title="Connect an app">
        <Skeleton height={420} />
      </SignInCard>
    );
  }
  const { host, isLocal } = query.data;
  return (
    <SignInCard
      title={`Connect ${host}`}
      about={
        isLocal
          ? "A program on your own machine asks for a key of yours. With it, it calls models at your team's cost."
          : "This app asks for a key of yours. With it, it calls models at your team's cost."
      }
    >
      <ConnectForm asked={asked} view={query.data} />
    </SignInCard>
  );
}

/** An app that asks in a wrong way is nowhere to go back to. */
const Failed = ({ error, onRetry }: { error: Error; onRetry: () => void }) => {
  const isTheirs = error instanceof ApiError && error.status === 400;
  return (
    <SignInCard title="Connect an app">
      <Stack>
        <ErrorState
          error={error}
          title={isTheirs ? "The app asks in a way that is not possible" : "That could not be read"}
          {...(isTheirs ? {} : { onRetry })}
        />
        {isTheirs && <Text c="dimmed">Nothing was given to it. Whoever makes the app can put it right.</Text>}
      </Stack>
    </SignInCard>
  );
};

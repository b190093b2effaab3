import { Badge, Button, Card, Group, Progress, Spoiler, Stack, Text, TextInput, Title } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { KeyApi } from "../../api/key-api.ts";
import { ErrorState } from "../../components/error-state.tsx";
import speech from "../../components/speech.module.css";
import classes from "./assistants.module.css";
import type { Passage } from "./records.ts";

interface PassageSearchProps {
  readonly api: KeyApi;
  /** The store's. */
  readonly path: string;
  readonly hasFiles: boolean;
}

/** Asks a store, and shows the passages that it finds with how well each fits. */
export function PassageSearch({ api, path, hasFiles }: PassageSearchProps) {
  const [text, setText] = useState("");
  const search = useMutation({
    mutationFn: (query: string) =>
      api.post<{ data: readonly Passage[] }>(`${path}/search`, { query, max_num_results: 10 }),
    meta: { showsError: true },
  });
  return (
    <Card component="section" aria-label="Search">
      <Title order={2} mb="sm">
        Search
      </Title>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") search.mutate(text.trim());
        }}
      >
        <Group gap="sm" align="flex-end" wrap="nowrap">
          <TextInput
            flex={1}
            type="search"
            aria-label="What to look for"
            placeholder={hasFiles ? "A question, or words" : "Put files in first"}
            leftSection={<IconSearch size={16} stroke={1.6} />}
            maxLength={2000}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" loading={search.isPending} disabled={text.trim() === "" || !hasFiles}>
            Search
          </Button>
        </Group>
      </form>
      {search.error && (
        <Stack mt="md">
          <ErrorState error={search.error} title="The search failed" />
        </Stack>
      )}
      {search.data && <Passages passages={search.data.data} />}
    </Card>
  );
}

function Passages({ passages }: { passages: readonly Passage[] }) {
  if (passages.length === 0) {
    return (
      <Text c="dimmed" mt="md">
        Nothing was found. Try other words, or look whether the files are ready.
      </Text>
    );
  }
  return (
    <Stack component="ol" gap="lg" mt="lg" className={classes.passages} aria-label="Passages">
      {passages.map(({ file_id, filename, score, content }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: several passages may come from one file, in this order.
        <li key={`${file_id}-${at}`}>
          <Group justify="space-between" gap="sm" wrap="nowrap" mb={4}>
            <Text fw={560} className="wraps">
              {filename}
            </Text>
            <Group gap="xs" wrap="nowrap">
              <Progress w={80} value={score * 100} visibleFrom="xs" aria-label={`How well passage ${at + 1} fits`} />
              <Badge color="pine" className="figures">
                {score.toFixed(3)}
              </Badge>
            </Group>
          </Group>
          <Spoiler maxHeight={130} showLabel="Show all of it" hideLabel="Show less">
            <Text size="sm" className={speech.text}>
              {content.map((part) => part.text).join("\n")}
            </Text>
          </Spoiler>
        </li>
      ))}
    </Stack>
  );
}

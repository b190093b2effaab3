import { Button, Group, Select, Stack, Switch, Textarea } from "@mantine/core";
import type { UseFormReturnType } from "@mantine/form";
import type { KeyApi } from "../../api/key-api.ts";
import { EXAMPLE_TOOLS } from "../../components/tools-json.ts";
import { useCursorQuery } from "../../components/use-cursor-query.ts";
import type { AssistantValues } from "./assistant-values.ts";
import { keyOf } from "./keys.ts";
import type { VectorStore } from "./records.ts";

interface ToolFieldsProps {
  readonly api: KeyApi;
  readonly form: UseFormReturnType<AssistantValues>;
}

const CHOICE = 100;

/** What an assistant can do beside talking: look into files, and ask for functions. */
export function ToolFields({ api, form }: ToolFieldsProps) {
  const stores = useCursorQuery<VectorStore>(api, {
    key: keyOf(api, "vector-stores"),
    path: "/v1/vector_stores",
    query: { limit: CHOICE },
  });
  const { searches, store, tools } = form.values;
  const known = (stores.rows ?? []).map(({ id, name }) => ({ value: id, label: name || id }));
  const isKnown = store === null || known.some(({ value }) => value === store);
  return (
    <Stack>
      <Switch
        label="Searches files"
        description="The model looks into a vector store when it needs to, and cites what it found."
        {...form.getInputProps("searches", { type: "checkbox" })}
      />
      {searches && (
        <Select
          label="Vector store"
          placeholder={known.length === 0 ? "There is none yet" : "Only files of the thread"}
          data={isKnown ? known : [...known, { value: store, label: store }]}
          searchable
          clearable
          clearButtonProps={{ "aria-label": "No vector store" }}
          {...form.getInputProps("store")}
        />
      )}
      <Stack gap={6}>
        <Textarea
          label="Functions"
          description="A list in JSON. When the model calls one, the run waits for its result."
          autosize
          minRows={2}
          maxRows={14}
          styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", fontSize: 13 } }}
          {...form.getInputProps("tools")}
        />
        {tools.trim() === "" && (
          <Group>
            <Button size="xs" variant="default" onClick={() => form.setFieldValue("tools", EXAMPLE_TOOLS)}>
              Put an example in
            </Button>
          </Group>
        )}
      </Stack>
    </Stack>
  );
}

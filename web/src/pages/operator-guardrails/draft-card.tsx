import {
  Button,
  Card,
  Checkbox,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
  Title,
} from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { apiPost, apiPut } from "../../api/client.ts";
import { CodeBlock } from "../../components/code-block.tsx";
import { FormError } from "../../components/form-error.tsx";
import { notifyDone } from "../../components/notify.ts";
import {
  canMask,
  type Draft,
  GUARDRAILS_KEY,
  KINDS,
  type Kind,
  MODES,
  type Mode,
  paramsOf,
  yamlOf,
} from "./guardrail.ts";
import { KindFields } from "./kind-fields.tsx";

interface DraftCardProps {
  readonly draft: Draft;
  readonly onChange: (draft: Draft) => void;
  readonly onClose: () => void;
}

const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Writes a guardrail, and keeps it: it looks at calls from then on. The same as an entry, for who keeps everything in the file. */
export function DraftCard({ draft, onChange, onClose }: DraftCardProps) {
  const set = (changes: Partial<Draft>): void => onChange({ ...draft, ...changes });
  const client = useQueryClient();
  const keep = useMutation({
    meta: { showsError: true },
    mutationFn: () => {
      const definition = paramsOf(draft);
      return draft.kept === null
        ? apiPost("/api/admin/guardrails", { name: draft.name.trim(), definition })
        : apiPut(`/api/admin/guardrails/${encodeURIComponent(draft.kept)}`, { definition });
    },
    onSuccess() {
      notifyDone(`${draft.name} looks at calls from now on.`);
      onClose();
      return client.invalidateQueries({ queryKey: GUARDRAILS_KEY });
    },
  });
  const title = draft.kept === null ? "New guardrail" : `Change ${draft.kept}`;
  return (
    <Card component="section" aria-label={title}>
      <Title order={2} mb="md" className="wraps">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Stack>
          <TextInput
            label="Name"
            description="Calls, keys and teams name it by this."
            placeholder="code names"
            maxLength={100}
            disabled={draft.kept !== null}
            value={draft.name}
            onChange={(event) => set({ name: event.currentTarget.value })}
          />
          <Select
            label="Looks for"
            data={choices(KINDS)}
            value={draft.kind}
            onChange={(kind) => set({ kind: (kind ?? "pii") as Kind, entities: [] })}
            allowDeselect={false}
          />
          <KindFields draft={draft} set={set} />
          {draft.kind !== "json_schema" && (
            <MultiSelect
              label="When"
              data={choices(MODES)}
              value={draft.modes}
              onChange={(modes) => set({ modes: modes.length === 0 ? ["pre_call"] : (modes as Mode[]) })}
            />
          )}
          {canMask(draft.kind) && (
            <Select
              label="Then"
              data={[
                { value: "mask", label: "mask it" },
                { value: "block", label: "refuse the call" },
              ]}
              value={draft.action}
              onChange={(action) => set({ action: action === "block" ? "block" : "mask" })}
              allowDeselect={false}
            />
          )}
          <Checkbox
            label="For every call"
            description="Else for calls, keys and teams that name it."
            checked={draft.defaultOn}
            onChange={(event) => set({ defaultOn: event.currentTarget.checked })}
          />
        </Stack>
        <Stack gap="xs">
          <Text size="sm" fw={560}>
            The same for the configuration file
          </Text>
          <CodeBlock code={yamlOf(draft)} label="Copy the entry" />
          <Text size="sm" c="dimmed">
            Kept here, it is in the database and looks at once. Who keeps everything in the file copies this instead.
          </Text>
        </Stack>
      </SimpleGrid>
      <FormError error={keep.error} />
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button loading={keep.isPending} disabled={draft.name.trim() === ""} onClick={() => keep.mutate()}>
          {draft.kept === null ? "Add it" : "Save"}
        </Button>
      </Group>
    </Card>
  );
}

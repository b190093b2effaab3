import { Autocomplete, Button, Group, Popover, Select, SimpleGrid, Switch, TextInput } from "@mantine/core";
import { IconFilter, IconSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiKeyRecord } from "../../../../src/contract/keys.ts";
import type { LoggedOperation } from "../../../../src/contract/params.ts";
import { apiGet } from "../../api/client.ts";
import type { Paged } from "../../api/paged.ts";
import { CALL_STATUS_WORDS } from "../../components/call-status.tsx";
import { TimeRangeSelect } from "../../components/time-range-select.tsx";
import { useModels } from "../../components/use-models.ts";
import { useTyped } from "../../components/use-typed.ts";
import { useOrganizationKey } from "../../session/session.ts";
import { isNarrowed, type LogState, NOT_NARROWED } from "./log-filters.ts";

interface FilterBarProps {
  readonly state: LogState;
  readonly set: (changes: Partial<LogState>) => void;
}

const STATUSES = [{ value: "", label: "Any end" }, { value: "failure", label: "All errors" }, ...CALL_STATUS_WORDS];
/** Every kind of call: one that is missing here would not compile. */
const TYPES = Object.keys({
  ...{ chat: 0, completion: 0, embedding: 0, image: 0, image_edit: 0, speech: 0, transcription: 0, translation: 0 },
  ...{ moderation: 0, rerank: 0, realtime: 0, pass_through: 0 },
} satisfies Record<LoggedOperation, 0>);

export function FilterBar({ state, set }: FilterBarProps) {
  return (
    <Group gap="sm" mb="md" align="center">
      <TimeRangeSelect state={state} set={set} />
      <Select
        aria-label="How it ended"
        data={STATUSES}
        value={state.status}
        onChange={(status) => set({ status: status ?? "" })}
        allowDeselect={false}
        w={130}
      />
      <ModelField value={state.model} onChange={(model) => set({ model })} />
      <LaterField
        label="Request id"
        placeholder="Request id"
        value={state.id}
        onChange={(id) => set({ id })}
        icon={<IconSearch size={16} />}
      />
      <MoreFilters state={state} set={set} />
      {isNarrowed(state) && (
        <Button variant="subtle" onClick={() => set(NOT_NARROWED)}>
          Show all
        </Button>
      )}
      <Switch
        label="Live"
        checked={state.live !== ""}
        onChange={(event) => set({ live: event.currentTarget.checked ? "1" : "" })}
      />
    </Group>
  );
}

function MoreFilters({ state, set }: FilterBarProps) {
  const key = useOrganizationKey();
  const [isOpen, setOpen] = useState(false);
  const keys = useQuery({
    queryKey: [...key, "keys", "choice"],
    enabled: isOpen || state.key !== "",
    queryFn: ({ signal }) => apiGet<Paged<ApiKeyRecord>>("/api/api-keys", { pageSize: 100 }, signal),
  });
  const choices = keys.data?.data.map(({ id, name }) => ({ value: id, label: name })) ?? [];
  const isKnown = state.key === "" || choices.some(({ value }) => value === state.key);
  const more = [state.key, state.member, state.type, state.stream, state.tag, state.user, state.cost, state.team];
  const count = more.filter((value) => value !== "").length;
  return (
    <Popover
      position="bottom-start"
      width="min(420px, calc(100vw - 32px))"
      trapFocus
      opened={isOpen}
      onChange={setOpen}
      shadow="md"
    >
      <Popover.Target>
        <Button variant="default" leftSection={<IconFilter size={16} />} onClick={() => setOpen(!isOpen)}>
          More{count > 0 ? ` (${count})` : ""}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="More filters">
        <SimpleGrid cols={2} spacing="sm">
          <Select
            label="Key"
            data={[
              { value: "", label: "any" },
              ...(isKnown ? [] : [{ value: state.key, label: "a key that is gone" }]),
              ...choices,
            ]}
            value={state.key}
            onChange={(value) => set({ key: value ?? "" })}
            searchable
            comboboxProps={{ withinPortal: false }}
          />
          <Select
            label="Kind"
            data={[{ value: "", label: "any" }, ...TYPES]}
            value={state.type}
            onChange={(type) => set({ type: type ?? "" })}
            comboboxProps={{ withinPortal: false }}
          />
          <Select
            label="Streamed"
            data={[
              { value: "", label: "either way" },
              { value: "true", label: "streamed" },
              { value: "false", label: "whole" },
            ]}
            value={state.stream}
            onChange={(stream) => set({ stream: stream ?? "" })}
            comboboxProps={{ withinPortal: false }}
          />
          <LaterField label="At least, in $" isLabelled value={state.cost} onChange={(cost) => set({ cost })} />
          <LaterField label="Tag" isLabelled value={state.tag} onChange={(tag) => set({ tag })} />
          <LaterField label="End user" isLabelled value={state.user} onChange={(user) => set({ user })} />
        </SimpleGrid>
      </Popover.Dropdown>
    </Popover>
  );
}

function ModelField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const models = useModels().data ?? [];
  const [text, setText] = useTyped(value, onChange);
  return (
    <Autocomplete
      aria-label="Model"
      placeholder="Any model"
      data={models.map(({ id }) => id)}
      value={text}
      onChange={setText}
      limit={50}
      w={160}
    />
  );
}

interface LaterFieldProps {
  readonly label: string;
  readonly isLabelled?: boolean;
  readonly placeholder?: string;
  readonly icon?: React.ReactNode;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function LaterField({ label, isLabelled = false, placeholder, icon, value, onChange }: LaterFieldProps) {
  const [text, setText] = useTyped(value, onChange);
  return (
    <TextInput
      {...(isLabelled ? { label } : { "aria-label": label })}
      {...(placeholder === undefined ? {} : { placeholder })}
      {...(icon === undefined ? {} : { leftSection: icon })}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      maxLength={128}
      {...(isLabelled ? {} : { w: 160 })}
    />
  );
}

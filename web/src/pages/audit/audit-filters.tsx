import { Button, Group, Select } from "@mantine/core";
import type { Query } from "../../api/client.ts";
import { DayField } from "../../components/day-field.tsx";
import { SearchField } from "../../components/search-field.tsx";
import type { Names } from "./use-names.ts";
import { ACTION_CHOICES, KIND_CHOICES, plainName } from "./words.ts";

/** As the address bar has them. `who` is a person's number, or what else acts. */
export const FILTERS = { who: "", kind: "", action: "", target: "", from: "", to: "" };
export type AuditFilters = typeof FILTERS;

export const isFiltered = (state: AuditFilters): boolean =>
  (Object.keys(FILTERS) as (keyof AuditFilters)[]).some((name) => state[name] !== "");

/** What the server is asked for. Days are those of the viewer, and the last one counts. */
export const askedFor = ({ who, kind, action, target, from, to }: AuditFilters): Query => ({
  ...(/^\d+$/.test(who) ? { userId: who } : { actor: who }),
  targetType: kind,
  action,
  targetId: target,
  startDate: dayStart(from, 0),
  endDate: dayStart(to, 1),
});

function dayStart(day: string, later: number): string | undefined {
  const [year = Number.NaN, month = 1, date = 1] = day.split("-").map(Number);
  const at = new Date(year, month - 1, date + later);
  return day === "" || Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

interface FilterProps {
  readonly state: AuditFilters;
  readonly set: (changes: Partial<AuditFilters>) => void;
  readonly names: Names;
}

const ANY = { value: "", label: "any" };
const NOBODY = [
  { value: "system", label: "Turnpike itself" },
  { value: "master_key", label: "Operator (master key)" },
];

export function AuditFilterBar({ state, set, names }: FilterProps) {
  const { who, kind, action } = state;
  const people = [{ value: "", label: "anybody" }, ...names.people, ...NOBODY];
  const actions = ACTION_CHOICES.filter(({ value }) => kind === "" || value.startsWith(`${kind}.`));
  return (
    <Group mb="md" gap="sm" align="flex-end">
      <Choice
        label="Who"
        data={withChosen(people, who, /^\d+$/.test(who) ? names.person(Number(who)) : who)}
        value={who}
        onChange={(next) => set({ who: next })}
      />
      <Choice
        label="Kind"
        data={withChosen([ANY, ...KIND_CHOICES], kind, plainName(kind))}
        value={kind}
        onChange={(next) => set({ kind: next, action: "" })}
      />
      <Choice
        label="What"
        data={withChosen([ANY, ...actions], action, action)}
        value={action}
        onChange={(next) => set({ action: next })}
      />
      <DayField label="From" value={state.from} max={state.to} onDay={(from) => set({ from })} />
      <DayField label="To" value={state.to} min={state.from} onDay={(to) => set({ to })} />
      <SearchField
        label="Id of a key, a team, …"
        value={state.target}
        onSearch={(text) => set({ target: text.trim() })}
        w={{ base: "100%", xs: 200 }}
        maxLength={200}
      />
      {isFiltered(state) && (
        <Button variant="subtle" onClick={() => set(FILTERS)}>
          Show all
        </Button>
      )}
    </Group>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly data: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const Choice = ({ data, onChange, ...choice }: ChoiceProps) => (
  <Select
    {...choice}
    data={[...data]}
    onChange={(value) => onChange(value ?? "")}
    searchable
    allowDeselect={false}
    nothingFoundMessage="Nothing fits"
    w={{ base: "calc(50% - 6px)", xs: 190 }}
    comboboxProps={{ width: 280, position: "bottom-start" }}
  />
);

/** An address that was sent to somebody may name what is not among the choices. */
const withChosen = (choices: ChoiceProps["data"], value: string, label: string): ChoiceProps["data"] =>
  choices.some((choice) => choice.value === value) ? choices : [...choices, { value, label }];

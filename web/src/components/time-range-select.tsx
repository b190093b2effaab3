import { Group, Select, TextInput } from "@mantine/core";
import { RANGES, type TimeRangeState } from "./time-range.ts";
import { localDay } from "./usage-report.ts";

interface TimeRangeSelectProps {
  readonly state: TimeRangeState;
  readonly set: (changes: Partial<TimeRangeState>) => void;
}

/** How far back; days are those of the viewer. */
export const TimeRangeSelect = ({ state, set }: TimeRangeSelectProps) => (
  <Group gap="sm">
    <Select
      aria-label="Time"
      data={RANGES}
      value={state.range}
      onChange={(range) =>
        set(
          range === "days"
            ? { range, from: localDay(-6), to: localDay() }
            : { range: range ?? "30d", from: "", to: "" },
        )
      }
      allowDeselect={false}
      w={140}
    />
    {state.range === "days" && (
      <>
        <TextInput
          aria-label="From"
          type="date"
          value={state.from}
          max={state.to}
          onChange={(event) => set({ from: event.currentTarget.value })}
        />
        <TextInput
          aria-label="To"
          type="date"
          value={state.to}
          min={state.from}
          onChange={(event) => set({ to: event.currentTarget.value })}
        />
      </>
    )}
  </Group>
);

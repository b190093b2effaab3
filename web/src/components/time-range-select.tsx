import { Group, Select } from "@mantine/core";
import { DayField } from "./day-field.tsx";
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
        <DayField aria-label="From" value={state.from} max={state.to} onDay={(from) => set({ from })} />
        <DayField aria-label="To" value={state.to} min={state.from} onDay={(to) => set({ to })} />
      </>
    )}
  </Group>
);

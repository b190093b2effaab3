import { TextInput, type TextInputProps } from "@mantine/core";
import { useTyped } from "./use-typed.ts";

interface DayFieldProps extends Omit<TextInputProps, "value" | "onChange" | "type"> {
  readonly value: string;
  readonly onDay: (day: string) => void;
}

/** Browsers give a year digit by digit, and forget the digits when the field is written meanwhile: 0202 is on its way to 2026. */
const isWhole = (day: string): boolean => day === "" || day >= "1000";

/** A day of a filter in the address bar, as `2026-11-17`. */
export function DayField({ value, onDay, ...input }: DayFieldProps) {
  const [day, type] = useTyped(value, (next) => {
    if (isWhole(next)) onDay(next);
  });
  return <TextInput {...input} type="date" value={day} onChange={(event) => type(event.currentTarget.value)} />;
}

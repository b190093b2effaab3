import { Text, type TextProps, Tooltip } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { formatAgo, formatMinute, formatTime } from "./format-time.ts";
import { useNow } from "./use-now.ts";

interface TimeProps extends TextProps {
  /** ISO 8601; null where there is none. */
  readonly at: string | null;
  /** How it is shown: "3 minutes ago", or the date and the time. */
  readonly as?: "ago" | "minute" | "day";
  /** Where there is none. */
  readonly none?: string;
}

/** A time in the viewer's zone; the exact one, in that zone and in UTC, on hover. */
export function Time({ at, as = "minute", none = "never", ...text }: TimeProps) {
  if (at === null) {
    return (
      <Text span inherit c="dimmed" {...text}>
        {none}
      </Text>
    );
  }
  return (
    <Tooltip label={`${formatTime(at, "second")} (${at})`}>
      <Text span inherit {...text}>
        <time dateTime={at}>
          {as === "ago" ? <Ago at={at} /> : as === "minute" ? <Minute at={at} /> : formatTime(at, as)}
        </time>
      </Text>
    </Tooltip>
  );
}

function Ago({ at }: { at: string }) {
  useNow();
  return formatAgo(at, useIsTight() ? "narrow" : "long");
}

const Minute = ({ at }: { at: string }) => formatMinute(at, useIsTight());

/** On a phone a time that is written out takes three lines of a table. */
const useIsTight = (): boolean => useMediaQuery("(max-width: 47.99em)", false, { getInitialValueInEffect: false });

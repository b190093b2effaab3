import { Text } from "@mantine/core";

interface KeptInProps {
  readonly source: "configuration" | "database";
  /** What the file says instead, in words; null where it says nothing. */
  readonly file: string | null;
}

/** Where a setting is kept, and what it takes the place of. */
export const KeptIn = ({ source, file }: KeptInProps) => (
  <>
    <Text size="sm">{source === "database" ? "set here" : "the file"}</Text>
    {source === "database" && file !== null && (
      <Text size="xs" c="dimmed" className="wraps">
        in place of {file}
      </Text>
    )}
  </>
);

import { Code, Text } from "@mantine/core";
import { KEY_VARIABLE } from "./key-in-code.ts";

/** Below code that takes a key from the variable. */
export const KeyNote = () => (
  <Text size="sm" c="dimmed" mt="md">
    <Code>{KEY_VARIABLE}</Code> holds one of your keys.
  </Text>
);

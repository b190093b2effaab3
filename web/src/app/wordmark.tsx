import { Group, Text } from "@mantine/core";

export const Wordmark = () => (
  <Group gap={10} wrap="nowrap">
    <svg viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <rect width="32" height="32" rx="7" fill="#0f6b6b" />
      <path
        d="M7 10.5h18M7 10.5l9 12M16 22.5l9-12"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
      <circle cx="16" cy="22.5" r="2.6" fill="#f2b950" />
    </svg>
    <Text fw={650} size="lg" lh={1}>
      Turnpike
    </Text>
  </Group>
);

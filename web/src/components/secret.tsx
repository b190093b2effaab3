import { Code } from "@mantine/core";

/** All of it is in sight on a phone too: nobody scrolls to find out whether a secret was copied whole. */
export const Secret = ({ value }: { value: string }) => (
  <Code
    block
    flex="1 1 300px"
    miw={0}
    className="wraps"
    fz="sm"
    style={{ whiteSpace: "pre-wrap" }}
    data-testid="secret"
  >
    {value}
  </Code>
);

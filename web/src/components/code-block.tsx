import { Box, Code } from "@mantine/core";
import classes from "./code-block.module.css";
import { CopyButton } from "./copy-button.tsx";

/** Code that people copy; never markup. */
export const CodeBlock = ({ code, label = "Copy the code" }: { code: string; label?: string }) => (
  <Box className={classes.frame}>
    <Code block className={classes.code} tabIndex={0}>
      {code}
    </Code>
    <Box className={classes.copy}>
      <CopyButton value={code} label={label} />
    </Box>
  </Box>
);

import { Code } from "@mantine/core";
import { Fragment } from "react";
import speech from "./speech.module.css";
import { splitCode } from "./split-code.ts";

/** What somebody said, as plain text: code keeps its columns, and long lines of it scroll. */
export const SpokenText = ({ text }: { text: string }) =>
  splitCode(text).map((piece, at) =>
    piece.isCode ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: pieces are only ever added at the end.
      <Code key={at} block className={speech.code} tabIndex={0}>
        {piece.text}
      </Code>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: as above.
      <Fragment key={at}>{piece.text}</Fragment>
    ),
  );

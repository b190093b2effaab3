import { Fragment } from "react";

/** An address, a path or a code, which breaks behind its marks before it breaks inside of a word. */
export const Breakable = ({ children }: { children: string }) =>
  children.split(/(?<=[/_.@?&=])(?=[^/])/).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: pieces have no name but their place.
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {piece}
    </Fragment>
  ));

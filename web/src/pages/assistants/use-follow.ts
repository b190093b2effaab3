import { useEffect, useRef } from "react";

const NEAR_PX = 80;

/** Who reads the end of what comes in is kept there; who has scrolled up is left alone. The props go to what scrolls. */
export function useFollow() {
  const ref = useRef<HTMLDivElement>(null);
  const isNear = useRef(true);
  // Whenever something was said, which draws it anew.
  useEffect(() => {
    if (isNear.current && ref.current) ref.current.scrollTop = ref.current.scrollHeight;
  });
  const onScroll = (): void => {
    const { scrollHeight = 0, scrollTop = 0, clientHeight = 0 } = ref.current ?? {};
    isNear.current = scrollHeight - scrollTop - clientHeight < NEAR_PX;
  };
  return { ref, onScroll };
}

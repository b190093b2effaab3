import { useRouter } from "@tanstack/react-router";
import { useRef } from "react";
import type { Step } from "../app/use-search-state.ts";

/**
 * What is open above a list, by its id in the address: a reload keeps it, and "back" closes it, as on a phone it covers the
 * list. `show` writes the id there, or none.
 */
export function useOpened(show: (id: string, how?: Step) => void) {
  const router = useRouter();
  const isOurStep = useRef(false);
  return {
    open(id: string): void {
      isOurStep.current = true;
      show(id, "opens");
    },
    close(): void {
      if (isOurStep.current) router.history.back();
      else show("");
      isOurStep.current = false;
    },
  };
}

import type { UseFormReturnType } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { ApiError } from "../api/api-error.ts";

interface FormMutation<Values, Result> {
  // biome-ignore lint/suspicious/noExplicitAny: how a form transforms its values is its own affair.
  readonly form: UseFormReturnType<Values, any>;
  readonly send: (values: Values) => Promise<Result>;
  readonly onDone?: (result: Result) => void;
}

/**
 * Sends a form. What the server says about one field stands at the field; everything else is `error`, for a `FormError` above
 * the buttons. `onSubmit` goes to `<form onSubmit>`.
 */
export function useFormMutation<Values extends Record<string, unknown>, Result>({
  form,
  send,
  onDone,
}: FormMutation<Values, Result>) {
  const [error, setError] = useState<ApiError | null>(null);
  const mutation = useMutation<Result, ApiError, Values>({
    mutationFn: send,
    meta: { showsError: true },
    onMutate: () => setError(null),
    onSuccess: (result) => onDone?.(result),
    onError(thrown) {
      // What the browser throws itself has no field either.
      const field = thrown.field ?? null;
      const name = field === null ? undefined : fieldOf(form.getValues(), field);
      if (name === undefined) setError(thrown);
      else {
        form.setFieldError(name, thrown.message);
        focusFirst(form, [name]);
      }
    },
  });
  const onSubmit = form.onSubmit(
    (values: Values) => mutation.mutate(values),
    (errors) => focusFirst(form, Object.keys(errors)),
  );
  return { ...mutation, error, onSubmit };
}

/** To the first field that has to be changed: it may be out of sight, and who listens would not know that there is one. */
// biome-ignore lint/suspicious/noExplicitAny: as above.
function focusFirst(form: UseFormReturnType<any, any>, names: readonly string[]): void {
  // After the next drawing: a field may only be shown because something is wrong with it.
  setTimeout(() => {
    const [first] = names
      .map((name) => form.getInputNode(name))
      .filter((node) => node !== null)
      .sort((a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1));
    first?.focus();
  });
}

/** The server spells a field as it was sent, or in the other of its two ways. */
function fieldOf(values: Record<string, unknown>, field: string): string | undefined {
  const plain = (name: string): string => name.replaceAll("_", "").toLowerCase();
  return Object.keys(values).find((name) => plain(name) === plain(field));
}

/** Whether changes leave everything as it is; SQL has no update that sets nothing. */
export function isEmpty(changes: object): boolean {
  return Object.values(changes).every((value) => value === undefined);
}

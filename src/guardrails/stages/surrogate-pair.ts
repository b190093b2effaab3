/** Whether a place in a text lies between the two halves of one character, or behind the half of one that is not whole yet. */
export const isInsideSurrogatePair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800;

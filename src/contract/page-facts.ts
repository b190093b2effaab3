/** What the pages have to know of their server to show code and commands that work as they stand. Everybody may read it. */
export interface PageFacts {
  /** The header that examples send a key in, lower case; `authorization` holds it as a bearer value. */
  readonly keyHeader: string;
  /** What a person types to call the program. */
  readonly command: string;
}

/** Where something was asked for, for the usage log and for keys that may be used from some addresses only. */
export interface RequestSource {
  readonly address: string | null;
  readonly userAgent: string | null;
  /** Of the header `x-gw-tags`. */
  readonly tags: string | null;
  /** The others that say how calls are carried out, where calls are made behind it; not there in what was kept before. */
  readonly headers?: Readonly<Record<string, string>>;
}

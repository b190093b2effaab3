/** What a participant takes; each has a default and can be set. */
export interface Limits {
  /** A JSON body, also when it was inflated. */
  readonly jsonBytesMax: number;
  /** A binary body. */
  readonly binaryBytesMax: number;
  /** The text of `dataset`, or of any other field that is not parameters. */
  readonly fieldBytesMax: number;
  readonly rowsMax: number;
  readonly listEntriesMax: number;
  /** Calls of /train that wait behind the one that runs. */
  readonly queueMax: number;
  /** Calls of /evaluate and /aggregate at the same time. */
  readonly parallelMax: number;
  readonly firstByteMs: number;
  readonly idleMs: number;
  /** Bytes a second that a body has to keep, on average, once `idleMs` have passed. */
  readonly bodyRateMin: number;
}

const MIB = 1024 * 1024;

export const DEFAULT_LIMITS: Limits = {
  jsonBytesMax: 512 * MIB,
  binaryBytesMax: 4096 * MIB,
  fieldBytesMax: 64 * MIB,
  rowsMax: 1_000_000,
  listEntriesMax: 1024,
  queueMax: 1,
  parallelMax: 4,
  firstByteMs: 60_000,
  idleMs: 30_000,
  bodyRateMin: 8 * 1024,
};

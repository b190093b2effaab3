/** For databases of tests that are not about outages: on a busy machine a slow one is none. Nothing waits this long when all is well. */
export const PATIENT_MS = 20_000;

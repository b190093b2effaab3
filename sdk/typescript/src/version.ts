/** The version in the manifest. */
export const VERSION = "0.1.0";

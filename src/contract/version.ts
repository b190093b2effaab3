import manifest from "../../package.json" with { type: "json" };

/** The version of the interface description, fixed by the contract. */
export const API_VERSION = "1.84.0";

/** The version of this program. */
export const PROGRAM_VERSION: string = manifest.version;

import { postgresMissing } from "../services/postgres.ts";
import { describeTenancy } from "./tenancy-suite.ts";

describeTenancy("postgres", postgresMissing !== null);

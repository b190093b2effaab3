import { describeTenancy } from "./tenancy-suite.ts";

describeTenancy("sqlite");

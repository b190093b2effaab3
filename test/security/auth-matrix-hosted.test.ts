import { describeAuthentication } from "./auth-suite.ts";

describeAuthentication("hosted");

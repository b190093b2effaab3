import { describe } from "bun:test";
import { fakeCohere } from "../../../test/upstreams/cohere.ts";
import { checkFake } from "../../../test/upstreams/fake-suite.ts";
import { cohere } from "./provider.ts";

describe("the fake Cohere", () => checkFake(cohere, fakeCohere));

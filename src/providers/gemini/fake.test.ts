import { describe } from "bun:test";
import { checkFake } from "../../../test/upstreams/fake-suite.ts";
import { fakeGemini } from "../../../test/upstreams/gemini.ts";
import { gemini } from "./provider.ts";

describe("the fake Gemini API", () => checkFake(gemini, fakeGemini));

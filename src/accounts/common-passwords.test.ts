import { describe, expect, test } from "bun:test";
import { isCommonPassword } from "./common-passwords.ts";

describe("passwords that guessers come to early", () => {
  test.each([
    ["words", ["password", "Sunshine", "michelle", "Liverpool", "administrator"]],
    [
      "words with what rules ask for",
      ["Password1", "welcome@123", "Summer2024!", "dragon99", "123football", "monkey_007"],
    ],
    ["letters that look like others", ["P@ssw0rd", "p4$$word", "m1crosoft"]],
    ["words twice, backwards, cut at eight", ["testtest", "drowssap", "basketba", "iloveyou", "mypassword"]],
    ["runs of keys", ["12345678", "0987654321", "qwertyuiop", "1q2w3e4r5t", "asdf1234", "qwerty123456", "zaq12wsx"]],
    ["runs with a letter or two", ["Aa123456", "a123456789", "12345678a", "Abc12345", "123456aA@"]],
    ["repetitions", ["11111111", "aaaaaaaaaaaaaaaa", "12121212", "abcabcabc", "11223344", "10203040"]],
    ["dates", ["24121985", "19851224", "12/24/1985", "2001-02-03"]],
  ])("%s", (_, passwords) => {
    expect(passwords.filter((password) => !isCommonPassword(password))).toEqual([]);
  });

  test("leave alone what somebody has thought of", () => {
    const own = ["a good long one", "correct horse battery", "kestrel-quarry-92", "Zq8#vTr2Lm", "dragonfruit salad"];
    expect(own.filter(isCommonPassword)).toEqual([]);
    expect(["98761985", "k3v9x1w7", "hunter2hunter3", "97539514862"].filter(isCommonPassword)).toEqual([]);
  });

  test("are told at once, however long a text is", () => {
    for (const part of ["1234567890", "abc", "1", "password", "qwertyasdf"]) {
      expect(() => isCommonPassword(`${part.repeat(100)}x?x`)).not.toThrow();
    }
  });
});

import { expect, test } from "bun:test";
import { csvLine } from "./csv.ts";

test.each([
  [["a", 1, null, ""], "a,1,,\r\n"],
  [["a,b", 'say "hi"', "two\nlines"], '"a,b","say ""hi""","two\nlines"\r\n'],
  [[-1, 0.5], "-1,0.5\r\n"],
  [[{ digits: "-0.000000001" }], "-0.000000001\r\n"],
  [["=1+1", "+1", "-1", "@SUM(A1)", "\tx"], `"'=1+1","'+1","'-1","'@SUM(A1)","'\tx"\r\n`],
  [['=HYPERLINK("http://x","y")'], `"'=HYPERLINK(""http://x"",""y"")"\r\n`],
  [[" =1+1"], `"' =1+1"\r\n`],
  [["＝1+1", "＋1", "－1", "＠x"], `"'＝1+1","'＋1","'－1","'＠x"\r\n`],
  [["a=b", "a-b"], "a=b,a-b\r\n"],
  [["a;b", "a\tb", "|cmd", "%x"], `"a;b","a\tb","'|cmd","'%x"\r\n`],
] as const)("%j is %j", (cells, line) => {
  expect(csvLine(cells)).toBe(line);
});

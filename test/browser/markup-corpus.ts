import { isNightly } from "../property-runs.ts";

/**
 * Sixty names that somebody may type who wants to run a script in another person's page. `canary` is a function that the test
 * puts into every page: nobody may call it. All fit every field for names: up to 100 characters, none of them a control
 * character, a star or a line break.
 */
export const CORPUS: readonly string[] = [
  // Elements that run by themselves.
  "<script>canary(1)</script>",
  '"><script>canary(2)</script>',
  "'><script>canary(3)</script>",
  "</title><script>canary(4)</script>",
  "</textarea><script>canary(5)</script>",
  "</script><script>canary(6)</script>",
  "<ScRiPt>canary(7)</sCrIpT>",
  "<script src=data:,canary(8)></script>",
  "<scr<script>ipt>canary(9)</scr</script>ipt>",
  "<script/x>canary(10)</script>",
  "<<script>canary(11)//<</script>",
  '<script type="module">canary(12)</script>',
  // Handlers of events.
  "<img src=x onerror=canary(13)>",
  '"><img src=x onerror=canary(14)>',
  "<img src=x onerror=canary`15`>",
  "<img/src='x'/onerror=canary(16)>",
  '<img src="x" onerror="canary(17)"',
  "<body onload=canary(18)>",
  "<input autofocus onfocus=canary(19)>",
  "<details open ontoggle=canary(20)>",
  "<video><source onerror=canary(21)></video>",
  "<audio src=x onerror=canary(22)>",
  "<marquee onstart=canary(23)>x</marquee>",
  '" onmouseover="canary(24)',
  "' onfocus='canary(25)' autofocus='",
  "x onerror=canary(26) y",
  "<select autofocus onfocus=canary(27)>",
  "<iframe onload=canary(28)></iframe>",
  // SVG and MathML.
  "<svg onload=canary(29)>",
  "<svg/onload=canary(30)>",
  "<svg><script>canary(31)</script></svg>",
  "<svg><animate onbegin=canary(32) attributeName=x dur=1s>",
  "<svg><a xlink:href=javascript:canary(33)><text y=20>x</text></a></svg>",
  "<math><mtext></form><form><mglyph><style></math><img src onerror=canary(34)>",
  "<svg><use href=data:image/svg+xml,<svg/onload=canary(35)>>",
  // Addresses.
  "javascript:canary(36)",
  "JaVaScRiPt:canary(37)",
  "java&#115;cript:canary(38)",
  "data:text/html,<script>canary(39)</script>",
  "<a href=javascript:canary(40)>x</a>",
  "<iframe src=javascript:canary(41)></iframe>",
  "<object data=javascript:canary(42)></object>",
  "<embed src=javascript:canary(43)>",
  "<form action=javascript:canary(44)><button>x</button></form>",
  "<base href=//example.invalid/>45",
  "<meta http-equiv=refresh content=0;url=javascript:canary(46)>",
  "<link rel=stylesheet href=//example.invalid/47.css>",
  // Templates, expressions and objects.
  "{{constructor.constructor('canary(48)')()}}",
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what somebody types.
  "${canary(49)}",
  "#{canary(50)}",
  "<%= canary(51) %>",
  "{canary(52)}",
  "__proto__53",
  "<template><img src=x onerror=canary(54)></template>",
  // Characters.
  "&lt;script&gt;canary(55)&lt;/script&gt;",
  "\u003cimg src=x onerror=canary(56)\u003e\u202eevil",
  "\uff1cscript\uff1ecanary(57)\uff1c/script\uff1e",
  "%3Cscript%3Ecanary(58)%3C/script%3E",
  "<img src=x onerror=&#99;anary(59)>\u200b\ufeffz",
  "]]><!--><script>canary(60)</script>-->",
];

/** All of them nightly, otherwise every fifth, with one of each kind: pages with sixty rows are slow to draw. */
export const NAMES = isNightly ? CORPUS : CORPUS.filter((_, index) => index % 5 === 4);
/** Those whose own pages are opened as well. */
export const OPENED = NAMES.slice(0, NAMES.length / 4);

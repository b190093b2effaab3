import { Argument, type Command } from "commander";

interface Place {
  /** The words that lead here, such as `keys create`. */
  readonly path: string;
  readonly words: readonly { readonly word: string; readonly text: string }[];
}

/** Completion for shells, made from the commands themselves: a new command is completed without a line here. */
export function addCompletion(program: Command): void {
  program
    .command("completion")
    .description("print a script that completes commands and options")
    .addArgument(new Argument("<shell>").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      "\nbash:        source <(turnpike completion bash)" +
        '\nzsh:         eval "$(turnpike completion zsh)"' +
        "\nfish:        turnpike completion fish | source" +
        "\npowershell:  turnpike completion powershell | Out-String | Invoke-Expression",
    )
    .action((shell: keyof typeof SCRIPTS) => {
      process.stdout.write(SCRIPTS[shell](placesOf(program, optionsOf(program))));
    });
}

const optionsOf = (command: Command): Place["words"] =>
  command.options.flatMap(({ long, description }) => (long ? [{ word: long, text: description }] : []));

function placesOf(command: Command, shared: Place["words"], path = ""): Place[] {
  const commands = command.commands.map((one) => ({ word: one.name(), text: one.description() }));
  const own = path === "" ? [] : optionsOf(command);
  return [
    { path, words: [...commands, ...own, ...shared] },
    ...command.commands.flatMap((one) => placesOf(one, shared, path === "" ? one.name() : `${path} ${one.name()}`)),
  ];
}

/** Finds the place by following the words that are commands; options and their values are passed over. */
const walk = (places: readonly Place[], words: string) => `  local place="" word
  for word in ${words}; do
    case "\${place:+$place }$word" in
      ${places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join("|")}) place="\${place:+$place }$word" ;;
    esac
  done
`;

const cases = (places: readonly Place[], offer: (words: string) => string) =>
  places.map(({ path, words }) => `    "${path}") ${offer(words.map(({ word }) => word).join(" "))} ;;\n`).join("");

const SCRIPTS = {
  bash: (places: readonly Place[]) => `_turnpike() {
${walk(places, `"\${COMP_WORDS[@]:1:COMP_CWORD-1}"`)}  case "$place" in
${cases(places, (words) => `COMPREPLY=($(compgen -W "${words}" -- "\${COMP_WORDS[COMP_CWORD]}"))`)}  esac
}
complete -o default -F _turnpike turnpike
`,
  zsh: (places: readonly Place[]) => `#compdef turnpike
_turnpike() {
${walk(places, `"\${(@)words[2,CURRENT-1]}"`)}  case "$place" in
${cases(places, (words) => `compadd -- ${words}`)}  esac
}
compdef _turnpike turnpike
`,
  fish: (places: readonly Place[]) => `function __turnpike_at
  set -l place ""
  for word in (commandline -opc)[2..-1]
    set -l next (string trim "$place $word")
    contains -- "$next" ${places.flatMap(({ path }) => (path === "" ? [] : [`"${path}"`])).join(" ")}; and set place "$next"
  end
  test "$place" = "$argv[1]"
end
complete -c turnpike -f
${places
  .flatMap(({ path, words }) =>
    words.map(({ word, text }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c turnpike -n '__turnpike_at "${path}"' ${what} -d '${text.replace(/[\\']/g, "\\$&")}'\n`;
    }),
  )
  .join("")}`,
  powershell: (places: readonly Place[]) => `Register-ArgumentCompleter -Native -CommandName turnpike -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $places = @{
${places.map(({ path, words }) => `    '${path}' = @(${words.map(({ word }) => `'${word}'`).join(", ")})\n`).join("")}  }
  $place = ''
  foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
    if ($element.Extent.EndOffset -ge $cursorPosition) { break }
    $next = "$place $element".Trim()
    if ($places.ContainsKey($next)) { $place = $next }
  }
  $places[$place] | Where-Object { $_ -like "$wordToComplete*" } | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}
`,
} as const;

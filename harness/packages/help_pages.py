#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes man pages and shell completions from what the command says of itself.

Usage: help_pages.py COMMAND FOLDER: runs `COMMAND ... --help`, writes man1/, conoscope.bash, _conoscope
and conoscope.fish.
"""

import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

OPTION = re.compile(
    r"^  (?:-(?P<short>\w) \[ --(?P<long>[\w-]+) \]|--(?P<only>[\w-]+))"
    r"(?: (?P<value>[^ ]+)(?: \(=.*?\))?)?$"
)


class Option(NamedTuple):
    short: str
    long: str
    value: str  # empty: it takes none
    about: str

    def formats(self):
        """Of --format, whose help is a list: its names."""
        return " ".join(re.split(", | or ", self.about)) if self.long == "format" else ""


class Page(NamedTuple):
    words: tuple  # ("dataset", "list")
    about: str
    usage: str
    summary: list
    options: list
    option_lines: list
    examples: list
    inner: list  # pages of its actions


def help_of(command, words):
    return subprocess.run([command, *words, "--help"], check=True, capture_output=True, text=True).stdout


def section(lines, title):
    if title not in lines:
        return []
    begin = lines.index(title) + 1
    end = next((i for i in range(begin, len(lines)) if not lines[i].strip()), len(lines))
    return lines[begin:end]


def listed(lines):
    """The (name, what it does) of lines such as "  run       do the work"."""
    rows = (re.match(r"^  ([a-z-]+) +(\S.*)$", line) for line in lines)
    return [row.groups() for row in rows if row]


def options_of(lines):
    # What options do stands in one column; of the longest one there is but a space before it.
    column = next(line.index("show this help") for line in lines if "show this help" in line)
    out = []
    for line in lines:
        alone = line[column - 1 : column].strip()  # longer than that: the text is in the next line
        found = OPTION.match(line if alone else line[:column].rstrip())
        if found:
            long = found["long"] or found["only"]
            about = "" if alone else line[column:].strip()
            out.append(Option(found["short"] or "", long, found["value"] or "", about))
        elif out:
            out[-1] = out[-1]._replace(about=(out[-1].about + " " + line.strip()).strip())
    return out


def page_of(command, words, about):
    lines = help_of(command, words).splitlines()
    option_lines = section(lines, "Options:")
    if not option_lines:  # a command of several actions
        inner = [page_of(command, (*words, name), text) for name, text in listed(lines[1:])]
        return Page(words, about, lines[0], [], [], [], [], inner)
    summary = lines[2 : lines.index("Options:")]
    return Page(words, about, lines[0], summary, options_of(option_lines), option_lines,
                section(lines, "Examples:"), [])


def roff(text):
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_page(page, version):
    name = "-".join(("conoscope", *page.words))
    out = [f'.TH {name.upper()} 1 "" "conoscope {version}" "User Commands"', ".SH NAME",
           f"{roff(name)} \\- {roff(page.about)}",
           ".SH SYNOPSIS", roff(page.usage.removeprefix("usage: "))]
    for title, lines in (("DESCRIPTION", page.summary), ("OPTIONS", page.option_lines),
                         ("EXAMPLES", page.examples)):
        if any(line.strip() for line in lines):
            out += [f".SH {title}", ".nf", *(roff(line) for line in lines), ".fi"]
    if page.inner:
        out.append(".SH ACTIONS")
        for one in page.inner:
            out += [".TP", "\\fB" + roff("-".join(("conoscope", *one.words))) + "\\fR(1)", roff(one.about)]
    out += [".SH SEE ALSO", "\\fBconoscope\\fR(1)" if page.words else
            ", ".join("\\fB" + roff("-".join(("conoscope", *one.words))) + "\\fR(1)" for one in page.inner)]
    return "\n".join(out) + "\n"


def flat(pages):
    for page in pages:
        yield page
        yield from flat(page.inner)


def bash_completion(commands):
    cases = []
    for page in flat(commands):
        words = [f"--{o.long}" for o in page.options] + [one.words[-1] for one in page.inner]
        of_runs = " runs=yes" if "[RUN" in page.usage else ""
        cases.append(f'    "{" ".join(page.words)}") words="{" ".join(words)}"{of_runs} ;;')
    actions = "|".join(page.words[0] for page in commands if page.inner)
    names = " ".join(page.words[0] for page in commands)
    formats = next(option.formats() for page in flat(commands) for option in page.options if option.formats())
    return f"""# bash completion for conoscope, made from its help texts
_conoscope() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words="" of="" runs="" store=() i
  COMPREPLY=()
  if [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "{names} --help --version" -- "$current"))
    return
  fi
  of=${{COMP_WORDS[1]}}
  case $of in {actions}) [[ $COMP_CWORD -gt 2 ]] && of="$of ${{COMP_WORDS[2]}}" ;; esac
  if [[ $before == --format ]]; then
    COMPREPLY=($(compgen -W "{formats}" -- "$current"))
    return
  fi
  case $of in
{chr(10).join(cases)}
  esac
  if [[ $before == --store || $before == --from ]]; then
    words=published runs=""
  fi
  if [[ $runs && $current != -* ]]; then
    for ((i = 2; i < COMP_CWORD; ++i)); do
      [[ ${{COMP_WORDS[i]}} == --store ]] && store=(--store "${{COMP_WORDS[i+1]}}")
    done
    words+=" $(conoscope query 'SELECT DISTINCT name FROM run' --format csv "${{store[@]}}" 2>/dev/null | tail -n +2)"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _conoscope conoscope
"""


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def zsh_completion(commands):
    def spec(option):
        about = re.sub(r"([\[\]:\\])", r"\\\1", option.about)
        value = ""
        if option.value:
            value = f":{option.value}:({option.formats()})" if option.formats() else f":{option.value}:_files"
        return quoted(f"*--{option.long}[{about}]{value}")

    def described(pages):
        return " ".join(quoted(f"{page.words[-1]}:{page.about.replace(':', chr(92) + ':')}") for page in pages)

    cases = []
    for page in flat(commands):
        name = " ".join(page.words)
        if page.inner:
            cases.append(f"    {quoted(name)}) local -a actions=({described(page.inner)})\n"
                         "      _describe action actions ;;")
        else:
            specs = " ".join(spec(option) for option in page.options)
            cases.append(f"    {quoted(name)}) _arguments {specs} '*:file:_files' ;;")
    actions = "|".join(page.words[0] for page in commands if page.inner)
    return f"""#compdef conoscope
# zsh completion for conoscope, made from its help texts
_conoscope() {{
  local -a commands=({described(commands)})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local of=$words[2]
  shift words
  (( CURRENT-- ))
  if [[ $of == ({actions}) ]] && (( CURRENT > 2 )); then
    of="$of $words[2]"
    shift words
    (( CURRENT-- ))
  fi
  case $of in
{chr(10).join(cases)}
  esac
}}
_conoscope "$@"
"""


def fish_completion(commands):
    out = ["# fish completion for conoscope, made from its help texts"]
    for page in commands:
        out.append(f"complete -c conoscope -n __fish_use_subcommand -f -a {page.words[0]} -d {quoted(page.about)}")
        for one in page.inner:
            out.append(f"complete -c conoscope -n '__fish_seen_subcommand_from {page.words[0]}' -a "
                       f"{one.words[1]} -d {quoted(one.about)}")
    for page in flat(commands):
        seen = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in page.words)
        for option in page.options:
            short = f" -s {option.short}" if option.short else ""
            value = ""
            if option.value:
                value = f" -x -a {quoted(option.formats())}" if option.formats() else " -r"
            out.append(f"complete -c conoscope -n {quoted(seen)}{short} -l {option.long}{value} "
                       f"-d {quoted(option.about)}")
    return "\n".join(out) + "\n"


def main():
    command, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    (folder / "man1").mkdir(parents=True, exist_ok=True)
    lines = help_of(command, ()).splitlines()
    first = re.match(r"conoscope (\S+) - (.*)", lines[0])
    commands = [page_of(command, (name,), about) for name, about in listed(section(lines, "Commands:"))]
    after = lines[lines.index("Commands:") + 1 + len(commands) :]
    top = Page((), first[2], lines[2], [line for line in after if line.strip()], [], [], [], commands)
    for page in [top, *flat(commands)]:
        name = "-".join(("conoscope", *page.words))
        (folder / "man1" / f"{name}.1").write_text(man_page(page, first[1]), encoding="utf-8")
    (folder / "conoscope.bash").write_text(bash_completion(commands), encoding="utf-8")
    (folder / "_conoscope").write_text(zsh_completion(commands), encoding="utf-8")
    (folder / "conoscope.fish").write_text(fish_completion(commands), encoding="utf-8")


if __name__ == "__main__":
    main()

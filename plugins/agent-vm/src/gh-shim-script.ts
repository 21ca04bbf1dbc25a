/** What the shim compares its own environment with. None of it is secret: tokens are only looked at for being there. */
export interface ShimContext {
  /** The shim's own directory, as it stands on PATH. */
  readonly directory: string;
  /** GH_HOST at planning time; empty when unset. */
  readonly host: string;
  /** gh's configuration directory at planning time. */
  readonly configDirectory: string;
  /** Was there a hosts.yml in it? */
  readonly hadHosts: boolean;
}

/** File beside the shim with the answer: one line of JSON. */
export const answerName = 'user.json';

/**
 * A POSIX `gh` that answers `gh api user` from the file beside it, and is the next `gh` on PATH for everything else. It
 * takes its own directory off PATH first, so the real one sees what it would have seen without us and two shims cannot
 * call each other. It answers only where no token variable is set (there is no shim when one was set at planning time,
 * so this compares them without keeping anything of a token), and where host, configuration directory and hosts.yml
 * are those of the planning time. A terminal gets the real one, which colours its output.
 */
export const ghShimScript = ({directory, host, configDirectory, hadHosts}: ShimContext): string => `#!/bin/sh
# Written by bootcut for one kind of launch: answers 'gh api user' from ${answerName}, passes on everything else.
self=${quoted(directory)}
unchanged() {
  [ -z "\${GH_TOKEN-}\${GITHUB_TOKEN-}\${GH_ENTERPRISE_TOKEN-}\${GITHUB_ENTERPRISE_TOKEN-}" ] || return 1
  [ "\${GH_HOST-}" = ${quoted(host)} ] || return 1
  if [ -n "\${GH_CONFIG_DIR-}" ]; then config=$GH_CONFIG_DIR
  elif [ -n "\${XDG_CONFIG_HOME-}" ]; then config=$XDG_CONFIG_HOME/gh
  else config=\${HOME-}/.config/gh; fi
  [ "$config" = ${quoted(configDirectory)} ] || return 1
  ${hadHosts ? '[ -e "$config/hosts.yml" ] && ! [ "$config/hosts.yml" -nt "$self/' + answerName + '" ]' : '! [ -e "$config/hosts.yml" ]'}
}
if [ "$#" -eq 2 ] && [ "$1" = api ] && [ "$2" = user ] && ! [ -t 1 ] && unchanged &&
  { IFS= read -r answer < "$self/${answerName}"; } 2>/dev/null; then
  printf '%s\\n' "$answer"
  exit
fi
rest=:$PATH:
while :; do
  case $rest in
    *":$self:"*) rest=\${rest%%":$self:"*}:\${rest#*":$self:"} ;;
    *) break ;;
  esac
done
rest=\${rest#:}
PATH=\${rest%:}
exec gh "$@"
`;

/** One word for sh, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

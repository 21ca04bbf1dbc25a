/** Shells that `standby hook` knows. */
export const hookShells = ['bash', 'zsh', 'fish'] as const;

/** In a project's top directory only, behind the prompt, and with nothing said: a guess of ours is nobody's business. */
const guess = '[ -e .git ] && (bootcut standby start >/dev/null 2>&1 &)';

/** Lines for a shell's start-up file that have a VM booted at every change to another project. */
export const standbyHook: Readonly<Record<(typeof hookShells)[number], string>> = {
  bash: `__bootcut_cd() {
  [ "$PWD" = "\${__bootcut_pwd-}" ] && return
  __bootcut_pwd=$PWD
  ${guess}
}
PROMPT_COMMAND="__bootcut_cd\${PROMPT_COMMAND:+;$PROMPT_COMMAND}"
`,
  zsh: `__bootcut_cd() { ${guess} }
autoload -Uz add-zsh-hook && add-zsh-hook chpwd __bootcut_cd
`,
  fish: `function __bootcut_cd --on-variable PWD
  test -e .git; and bootcut standby start >/dev/null 2>&1 &
end
`,
};

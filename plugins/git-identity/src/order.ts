/** Which identity a launch gets, in words for people. {@link compose} is the same in code. */
export const identityOrder = [
  'First the identity that git was given for this directory in particular: by the repository or worktree, by an',
  'includeIf that holds here, or by GIT_AUTHOR_NAME, GIT_AUTHOR_EMAIL or GIT_CONFIG_* variables of the launch.',
  'Then the GitHub account that gh is logged in with, or that the token in the environment belongs to; an account',
  'that shows no e-mail gets the noreply address made of its id and login.',
  "Then git's global identity. Without any, none is handed over. An identity that git would make up from user and",
  'host name never counts.',
].join(' ');

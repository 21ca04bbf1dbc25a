/**
 * What of /etc a guest gets: how programs look for libraries, names, languages, certificates and terminals. Everything
 * else stays on the host; `--mount /etc/NAME:ro` brings a directory in that a project needs.
 */
const wanted: ReadonlySet<string> = new Set(
  [
    'alternatives apache2/mime.types bash.bashrc bash_completion bash_completion.d bindresvport.blacklist',
    'ca-certificates ca-certificates.conf debian_version dictionaries-common dpkg/origins emacs ethertypes fonts',
    'gai.conf glvnd gprofng.rc groff gss host.conf inputrc issue issue.net java ld-musl-x86_64.path ld.so.cache',
    'ld.so.conf ld.so.conf.d libibverbs.d libnl-3 locale.alias locale.conf locale.gen localtime login.defs',
    'lsb-release magic magic.mime mailcap mailcap.order manpath.config maven mime.types mke2fs.conf mtab nanorc',
    'netconfig networks nsswitch.conf os-release perl pki/ca-trust pki/java pki/tls/certs pki/tls/cert.pem profile',
    'profile.d protocols python3 rpc services sgml shells skel ssl/certs ssl/openssl.cnf terminfo texmf timezone',
    'vim vulkan xattr.conf xdg xml zsh',
  ].flatMap((line) => line.split(' ')),
);

/** Names that come with versions: Python's, a JVM's, Tcl's and the like. */
const wantedPatterns = [/^python3\.\d+$/, /^java-[\w.-]+$/, /^openjdk-[\w.-]+$/, /^ImageMagick-\d+$/, /^gtk-\d\.0$/];

/** Nothing with such a name is copied, wherever it lies. */
const secretName =
  /shadow|passwd|secret|token|credential|password|private|(?:^|[._-])keys?(?:$|[._-])|\.(?:p12|pfx|kdbx|gpg|htpasswd)$/i;

/** Directories that hold nothing of their own but lead to what is wanted: `ssl`, `dpkg`. */
const leading: ReadonlySet<string> = new Set([...wanted].flatMap((name) => (name.includes('/') ? parents(name) : [])));

/** Is this path (relative to /etc) one that guests get, itself or as part of a directory they get? */
export const isWantedOfEtc = (path: string): boolean => {
  if (path.split('/').some((name) => secretName.test(name))) return false;
  const [first = ''] = path.split('/');
  return [path, ...parents(path)].some((name) => wanted.has(name)) || wantedPatterns.some((known) => known.test(first));
};

/** Must this directory be entered because something below it is wanted? */
export const leadsToWanted = (path: string): boolean => leading.has(path);

/** `a/b/c` → `a/b`, `a`. */
function parents(path: string): readonly string[] {
  const end = path.lastIndexOf('/');
  return end < 0 ? [] : [path.slice(0, end), ...parents(path.slice(0, end))];
}

/**
 * Environment variables that make a shell, a loader or an interpreter run other code than the script or game that was
 * started. Egg variables are values of customers, so an egg may not use these names.
 */
const takeoverNames: ReadonlySet<string> = new Set([
  'PATH',
  'IFS',
  'ENV',
  'BASH_ENV',
  'BASHOPTS',
  'SHELLOPTS',
  'SHELL',
  'CDPATH',
  'GLOBIGNORE',
  'PS4',
  'PROMPT_COMMAND',
  'NODE_OPTIONS',
  'NODE_PATH',
  'NODE_EXTRA_CA_CERTS',
  'NODE_REPL_EXTERNAL_MODULE',
  'PYTHONPATH',
  'PYTHONHOME',
  'PYTHONSTARTUP',
  'PYTHONINSPECT',
  'PYTHONUSERBASE',
  'PYTHONWARNINGS',
  'PYTHONBREAKPOINT',
  'PERL5LIB',
  'PERL5OPT',
  'PERL5DB',
  'PERLLIB',
  'RUBYLIB',
  'RUBYOPT',
  'PHPRC',
  'PHP_INI_SCAN_DIR',
  'LUA_INIT',
  'LUA_PATH',
  'LUA_CPATH',
  'JAVA_TOOL_OPTIONS',
  'JDK_JAVA_OPTIONS',
  '_JAVA_OPTIONS',
  'CLASSPATH',
  'DOTNET_STARTUP_HOOKS',
  'GLIBC_TUNABLES',
  'GCONV_PATH',
  'LOCPATH',
  'NLSPATH',
  'HOSTALIASES',
  'RESOLV_HOST_CONF',
  'TMPDIR',
  'TMPPREFIX',
  'EDITOR',
  'VISUAL',
  'PAGER',
  'CURL_HOME',
  'WGETRC',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'OPENSSL_CONF',
  'OPENSSL_ENGINES',
  'OPENSSL_MODULES',
  'KUBECONFIG',
  'TAR_OPTIONS',
  'MAKEFLAGS',
  'RSYNC_RSH',
  'LESSOPEN',
  'LESSCLOSE',
  'ZDOTDIR',
  'AWKPATH',
  'AWKLIBPATH',
  'PYTHONEXECUTABLE',
  'PIP_CONFIG_FILE',
  'SSH_ASKPASS',
  'SUDO_ASKPASS',
]);

const takeoverPrefixes = [
  'NPM_CONFIG_',
  'npm_config_',
  'LD_',
  'DYLD_',
  'DOCKER_',
  'BASH_FUNC_',
  'LUA_INIT_',
  'GIT_CONFIG',
  'COMPLUS_',
  'CORECLR_',
];
const takeoverPattern =
  /^GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|TEMPLATE_DIR|ASKPASS|EDITOR|PAGER|PROXY_COMMAND|EXTERNAL_DIFF)$/;

/** Public eggs need it for the libraries beside their game. A game in its own container may have it, an installer not. */
const allowedForGames = 'LD_LIBRARY_PATH';

/** Whether a variable of this name could take over an installer. */
export function isTakeoverVariable(name: string): boolean {
  return (
    takeoverNames.has(name) || takeoverPrefixes.some((prefix) => name.startsWith(prefix)) || takeoverPattern.test(name)
  );
}

/** Whether an egg may not have a variable of this name at all. */
export function isForbiddenVariable(name: string): boolean {
  return name !== allowedForGames && isTakeoverVariable(name);
}

/** An environment without what could take over an installer. */
export function withoutTakeover(environment: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !isTakeoverVariable(name)));
}

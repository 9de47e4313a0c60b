import type { GameServer } from '../servers/server.js';
import { type EggVariable, namesOfVariable } from './egg.js';

/*
 * Variables that make a shell, loader, interpreter or tool run other code, read other configuration or trust other
 * servers. A game has them: it runs what its owner uploads anyway. An installer, which may run as root, has them as staff
 * have set them: where customers can edit them, the egg's default. Source: manuals of the programs.
 */

/** Upper case, one group per program. */
const takeoverNames: ReadonlySet<string> = new Set(
  namesOf(
    // shells
    'PATH HOME IFS ENV BASHOPTS SHELLOPTS SHELL CDPATH FPATH ZDOTDIR GLOBIGNORE',
    'EXECIGNORE PS0 PS1 PS2 PS3 PS4 PROMPT_COMMAND INPUTRC HISTFILE TMPDIR TMPPREFIX',
    // the C library and its locales, names and memory
    'GLIBC_TUNABLES GCONV_PATH GETCONF_DIR LOCPATH NLSPATH I18NPATH TZDIR DATEMSK',
    'HOSTALIASES LOCALDOMAIN RES_OPTIONS RESOLV_HOST_CONF _RJEM_MALLOC_CONF KRB5_CONFIG',
    // Node.js
    'NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_REPL_EXTERNAL_MODULE NODE_REPL_HISTORY',
    'NODE_TLS_REJECT_UNAUTHORIZED NODE_V8_COVERAGE NODE_REDIRECT_WARNINGS NODE_ICU_DATA',
    'NODE_COMPILE_CACHE NODE_USE_ENV_PROXY NODE_USE_SYSTEM_CA NODE_GYP_FORCE_PYTHON',
    // Python
    'PYTHON_HISTORY PYTHON_PERF_JIT_SUPPORT PIP_CONFIG_FILE PIP_INDEX_URL PIP_EXTRA_INDEX_URL',
    'PIP_FIND_LINKS PIP_TARGET PIP_PREFIX PIP_TRUSTED_HOST PIP_CERT PIP_PROXY PIP_PYTHON',
    'PIP_REQUIREMENT PIP_CONSTRAINT PIP_EDITABLE VIRTUAL_ENV REQUESTS_CA_BUNDLE',
    // Java and its builders
    'JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS JDK_JAVAC_OPTIONS _JAVA_OPTIONS IBM_JAVA_OPTIONS',
    'OPENJ9_JAVA_OPTIONS CLASSPATH JAVA_HOME JRE_HOME MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS ANT_OPTS',
    'GRADLE_USER_HOME ANT_ARGS',
    // .NET and Mono
    'DOTNET_STARTUP_HOOKS DOTNET_ADDITIONAL_DEPS DOTNET_SHARED_STORE DOTNET_HOST_PATH',
    'DOTNET_BUNDLE_EXTRACT_BASE_DIR MONO_PATH MONO_CONFIG MONO_CFG_DIR MONO_ENV_OPTIONS',
    'MONO_GAC_PREFIX MONO_PROFILE',
    // PHP, Go, Rust, Erlang, compilers
    'PHPRC PHP_INI_SCAN_DIR COMPOSER COMPOSER_HOME COMPOSER_AUTH GOFLAGS GOENV GOPROXY GOROOT',
    'GOPATH GOBIN GOTOOLCHAIN GOSUMDB GONOSUMDB GONOSUMCHECK GOINSECURE GOPRIVATE GOAUTH',
    'RUSTFLAGS RUSTDOC RUSTDOCFLAGS TCLLIBPATH CC CXX CPP LD AR CFLAGS CXXFLAGS CPPFLAGS',
    'LDFLAGS CPATH C_INCLUDE_PATH CPLUS_INCLUDE_PATH LIBRARY_PATH COMPILER_PATH GCC_EXEC_PREFIX',
    'MAKE MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS',
    // tools of installers
    'EDITOR VISUAL PAGER MANPAGER BROWSER LESS LESSOPEN LESSCLOSE LESSKEY LESSKEYIN',
    'WGETRC SYSTEM_WGETRC SSLKEYLOGFILE KUBECONFIG TAR_OPTIONS TAPE GZIP BZIP2 XZ_OPT',
    'XZ_DEFAULTS ZSTD_CLEVEL UNZIP UNZIPOPT ZIPOPT ZIPINFO RSYNC_RSH RSYNC_PROXY RSYNC_CONNECT_PROG',
    'SSH_ASKPASS SSH_AUTH_SOCK SUDO_ASKPASS GNUPGHOME AWKPATH AWKLIBPATH APT_CONFIG MYSQL_HOME',
    'PSQLRC PGSYSCONFDIR PGSERVICEFILE PGPASSFILE TERMINFO TERMINFO_DIRS TERMCAP',
    // libraries of games
    'SDL_DYNAMIC_API GTK_MODULES GTK_PATH GIO_EXTRA_MODULES GIO_MODULE_DIR GST_PLUGIN_PATH',
    'QT_PLUGIN_PATH LIBGL_DRIVERS_PATH ALSA_CONFIG_PATH VK_ICD_FILENAMES VK_LAYER_PATH',
  ),
);

const takeoverPrefixes = namesOf(
  'LD_ DYLD_ MALLOC_ BASH_ XDG_ DOCKER_ CONTAINER_HOST PERL LUA_INIT LUA_PATH LUA_CPATH',
  'LUAROCKS_ BUNDLE_ GEM_ NPM_CONFIG_ PNPM_CONFIG_ YARN_ COREPACK_ DENO_ JULIA_',
  'ERL_ CARGO_ RUSTC RUSTUP_ CMAKE_ PKG_CONFIG COMPLUS_ CORECLR_ COR_ENABLE_PROFILING',
  'COR_PROFILER DOTNET_ROOT CURL_ SSL_CERT OPENSSL_ DPKG_ GIT_CONFIG GIT_SSH GIT_SSL_',
  'GIT_TRACE GIT_PROXY GIT_HTTP_PROXY GIT_REDIRECT GIT_TEST_',
);

const takeoverPatterns = [
  // BUN_PACKAGES is an egg variable.
  /^BUN_(?!PACKAGES$)/,
  // PYTHONPATH and the like; PYTHON_VERSION is an egg variable.
  /^(?:PYTHON|RUBY)[A-Z]/,
  // MY_PROXY is an egg variable.
  /^(?:HTTPS?|FTP|ALL|NO|SOCKS[45]?|WSS?|GRPC|CGI_HTTP)_PROXY$/,
  new RegExp(
    '^GIT_(?:EXEC_PATH|TEMPLATE_DIR|ASKPASS|EDITOR|SEQUENCE_EDITOR|PAGER|EXTERNAL_DIFF|DIFF_OPTS|DIR|COMMON_DIR|WORK_TREE' +
      '|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|ALLOW_PROTOCOL|PROTOCOL_FROM_USER|ATTR_SOURCE' +
      '|ATTR_NOSYSTEM|CEILING_DIRECTORIES|SHALLOW_FILE|GRAFT_FILE|REPLACE_REF_BASE|CURL_VERBOSE)$',
  ),
];

/** Some programs also read lower-case names. */
function isTakeoverVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return (
    takeoverNames.has(upper) ||
    takeoverPrefixes.some((prefix) => upper.startsWith(prefix)) ||
    takeoverPatterns.some((pattern) => pattern.test(upper))
  );
}

/** For installers: of variables that customers can edit, the egg's default, which only staff can. */
export function takeoverDefaults(variables: readonly EggVariable[]): Record<string, string> {
  const ofStaff = new Set(variables.filter(({ userEditable }) => !userEditable).flatMap(namesOfVariable));
  const names = variables
    .flatMap((variable) => namesOfVariable(variable).map((name) => [name, variable.defaultValue] as const))
    .filter(([name]) => !ofStaff.has(name) && isTakeoverVariable(name));
  return Object.fromEntries(names);
}

/** Variables whose value differs from the default that stands for it in an installer. */
export function takenDefaults({ egg, environment }: Pick<GameServer, 'egg' | 'environment'>): string[] {
  return Object.entries(takeoverDefaults(egg.variables)).flatMap(([name, value]) =>
    Object.hasOwn(environment, name) && environment[name] !== value ? [name] : [],
  );
}

function namesOf(...lines: readonly string[]): string[] {
  return lines.flatMap((line) => line.split(' '));
}

import { expect } from 'chai';
import { checkEgg } from '../../../src/domain/eggs/check-egg.js';
import { readEggFile } from '../../../src/domain/eggs/import/read-egg-file.js';
import { takenDefaults } from '../../../src/domain/eggs/takeover-variables.js';
import { installSpec, instanceSpec } from '../../../src/games/instance-spec.js';
import { aServer } from '../../support/server-fixture.js';
import { eggBytes } from './egg-file.js';

const malicious = [
  'LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES GLIBC_TUNABLES GCONV_PATH NLSPATH MALLOC_TRACE',
  'HOSTALIASES RES_OPTIONS PATH BASH_ENV BASH_LOADABLES_PATH PROMPT_COMMAND PS4 IFS',
  'NODE_OPTIONS NODE_TLS_REJECT_UNAUTHORIZED NPM_CONFIG_SCRIPT_SHELL YARN_RC_FILENAME PYTHONPATH',
  'PYTHONSTARTUP PYTHONHOME PIP_INDEX_URL PERL5OPT PERL5LIB RUBYOPT RUBYLIB BUNDLE_GEMFILE',
  'GEM_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS',
  'COR_PROFILER COR_PROFILER_PATH COR_ENABLE_PROFILING CORECLR_PROFILER_PATH LUA_INIT LUA_INIT_5_4',
  'LUA_PATH CARGO_BUILD_RUSTC_WRAPPER RUSTC_WRAPPER RUSTFLAGS GOFLAGS DOCKER_HOST GIT_SSH_COMMAND',
  'GIT_DIR GIT_SSL_NO_VERIFY GIT_TRACE GIT_CONFIG_COUNT GIT_ALTERNATE_OBJECT_DIRECTORIES CURL_HOME',
  'CURL_CA_BUNDLE SSL_CERT_FILE SSL_CERT_DIR HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY',
  'XDG_CONFIG_HOME APT_CONFIG TAR_OPTIONS MAKEFLAGS LESSOPEN OPENSSL_CONF',
].flatMap((line) => line.split(' '));
/** Similar names in public eggs. */
const harmless = [
  'NODE_PACKAGES UNNODE_PACKAGES NODE_ARGS NODE_ENV NODE_RUN_ENV GIT_ADDRESS GIT_BRANCH',
  'JAVA_ARGS JAVA_OPTS JAVA_VERSION PYTHON_VERSION PY_FILE PY_PACKAGES RUBY_VERSION GO_PACKAGE',
  'ENABLE_PROXY BEHIND_PROXY DOTNET_VERSION MALLOC_ARENA_MAX LUA_FILE HOSTNAME USERNAME PGUSER',
  'PGPASSWORD WINEDEBUG RUST_BRANCH SRCDS_APPID LD_LIBRARY_PATH',
].flatMap((line) => line.split(' '));

function variable(envVariable: string, defaultValue = 'x') {
  const flags = { userViewable: true, userEditable: true, rules: ['string'] };
  return { name: envVariable, description: '', envVariable, defaultValue, ...flags };
}

/** Their default is x; the customer has set `value`. */
function serverWith(names: readonly string[], value = 'of the customer') {
  const environment = Object.fromEntries(names.map((name) => [name, value]));
  const server = aServer({ environment });
  return { ...server, egg: { ...server.egg, variables: names.map((name) => variable(name)) } };
}

const context = { volume: { path: '/data', uid: 1000, gid: 1000 }, allocations: [], timezone: 'UTC' };

describe('egg variables that take over programs', () => {
  it('accepts them in eggs: staff import those, and public eggs need some', () => {
    const entries = malicious.map((name) => ({
      name,
      description: '',
      env_variable: name,
      default_value: 'x',
      rules: 'string',
    }));
    const { spec } = readEggFile(eggBytes({ variables: entries }), 'json');
    expect(spec.variables.map(({ envVariable }) => envVariable)).to.deep.equal(malicious);
    expect(() => checkEgg({ ...spec, variables: harmless.map((name) => variable(name)) })).not.to.throw();
  });

  for (const name of malicious) {
    it(`gives an installer the egg's default of ${name} where customers can edit it`, () => {
      expect(installSpec(serverWith([name]), context, 1_000).environment).to.include({ [name]: 'x' });
    });
  }

  for (const [game, name, defaultValue] of [
    ['SCP: Secret Laboratory', 'DOTNET_BUNDLE_EXTRACT_BASE_DIR', './.dotnet'],
    ['Multi Theft Auto', 'LD_PRELOAD', '/home/container/libmysqlclient.so'],
    ['an egg without a default', 'LD_PRELOAD', ''],
  ] as const) {
    it(`gives the installer of ${game} its ${name} as the egg has it, and the game that of the customer`, () => {
      const server = serverWith([name], '/mnt/server/mine.so');
      const game = { ...server, egg: { ...server.egg, variables: [variable(name, defaultValue)] } };
      expect(installSpec(game, context, 1_000).environment).to.include({ [name]: defaultValue });
      expect(instanceSpec(game, context, 1_000).environment).to.include({ [name]: '/mnt/server/mine.so' });
    });
  }

  it('gives BUN_PACKAGES of a customer to an installer, which Bun itself does not read', () => {
    const { environment } = installSpec(serverWith(['BUN_PACKAGES', 'BUN_CONFIG_REGISTRY'], 'zod'), context, 1_000);
    expect(environment).to.include({ BUN_PACKAGES: 'zod', BUN_CONFIG_REGISTRY: 'x' });
  });

  it('gives them to an installer where only staff can edit them', () => {
    const server = serverWith(['LD_PRELOAD', 'GREETING']);
    const variables = server.egg.variables.map((each) => ({ ...each, userEditable: each.envVariable === 'GREETING' }));
    const { environment } = installSpec({ ...server, egg: { ...server.egg, variables } }, context, 1_000);
    expect(environment).to.include({ LD_PRELOAD: 'of the customer', GREETING: 'of the customer' });
  });

  it("gives an installer the egg's default under the lower-case name of a file, too, unless only staff can edit it", () => {
    const server = serverWith(['HTTP_PROXY', 'NPM_CONFIG_SCRIPT_SHELL']);
    const environmentOf = (userEditable: boolean) => {
      const variables = server.egg.variables.map((each) => {
        const givenName = each.envVariable.toLowerCase();
        return { ...each, givenName, userEditable };
      });
      return installSpec({ ...server, egg: { ...server.egg, variables } }, context, 1_000).environment;
    };
    for (const [userEditable, value] of [
      [true, 'x'],
      [false, 'of the customer'],
    ] as const) {
      expect(environmentOf(userEditable)).to.include({
        http_proxy: value,
        HTTP_PROXY: value,
        npm_config_script_shell: value,
        NPM_CONFIG_SCRIPT_SHELL: value,
      });
    }
  });

  it("names those that have the egg's default in an installer only where the customer has set something else", () => {
    const names = ['LD_PRELOAD', 'GREETING', 'http_proxy'];
    expect(takenDefaults(serverWith(names))).to.deep.equal(['LD_PRELOAD', 'http_proxy']);
    expect(takenDefaults(serverWith(['LD_PRELOAD'], 'x'))).to.deep.equal([]);
  });

  it('gives an installer the names that only look like them', () => {
    const { environment } = installSpec(serverWith(harmless), context, 1_000);
    for (const name of harmless.filter((each) => !['LD_LIBRARY_PATH', 'MALLOC_ARENA_MAX'].includes(each)))
      expect(environment, name).to.have.property(name, 'of the customer');
  });

  it('gives them to a game, which runs what its owner uploads anyway', () => {
    const { environment } = instanceSpec(serverWith(['LD_PRELOAD', 'LD_LIBRARY_PATH']), context, 1_000);
    expect(environment).to.include({ LD_PRELOAD: 'of the customer', LD_LIBRARY_PATH: 'of the customer' });
  });
});

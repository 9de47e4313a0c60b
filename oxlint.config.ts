// The walls between folders are a table: an override of oxlint replaces the options of a rule as a whole, so that each
// folder needs the general restrictions and its own together.
import type { DummyRule, OxlintConfig } from 'oxlint';

interface Pattern {
  readonly regex: string;
  readonly message: string;
}

interface Wall {
  readonly files?: readonly string[];
  /** Owned packages that these files may import. */
  readonly allow?: readonly string[];
  readonly patterns?: readonly Pattern[];
}

const processes = 'identity|servers|files|billing|admin|gateway';
const packages = ['kit', 'rpc', 'outbox', 'runtime', 'embedded-mongodb', 'stack', 'client', 'web', 'protos'];

/** Packages that belong to one folder each. */
const owned: Readonly<Record<string, string>> = {
  mongoose: 'mongoose belongs into models/: put the query there.',
  dockerode: 'dockerode belongs into packages/runtime: add what is missing to the Runtime interface.',
  speakeasy: 'speakeasy is unmaintained: only services/identity/src/crypto/totp.ts imports it.',
  'koa-websocket': 'koa-websocket is unmaintained: only gateway/src/ws/upgrade.ts imports it.',
};

const noProcess = {
  regex: `^@panel/(${processes})(/|$)|/(${processes})/src/`,
  message: 'No process imports the code of another one: call it through @panel/protos.',
};

/** What services and gateway are built of; all other packages are tools of development or run in browsers. */
const packagesOfProcesses = ['kit', 'rpc', 'outbox', 'runtime', 'protos'];

/** Files of src; every other name of a layer is a folder, which may have the name of one of them. */
const topLevelFiles = ['context', 'service', 'config'];

/** A relative import of a folder, or of a file directly in src. */
const layer = (names: string, message: string): Pattern => {
  const all = names.split('|');
  const folders = all.filter((name) => !topLevelFiles.includes(name));
  const files = all.filter((name) => topLevelFiles.includes(name));
  const targets = [folders.length > 0 && `(${folders.join('|')})/`, files.length > 0 && `(${files.join('|')})\\.js$`];
  return { regex: `^(\\.\\./)+(${targets.filter(Boolean).join('|')})`, message };
};

/** Packages other than `allowed`. The expressions of oxlint have no lookahead, so the others are named. */
const packagesExcept = (allowed: readonly string[], message: string): Pattern => ({
  regex: `^@panel/(${packages.filter((name) => !allowed.includes(name)).join('|')})(/|$)`,
  message,
});

/** Folders of one subject each, without stores, below usecases/. */
const modules = 'archives|backups|config-files|crypto|documents|jail|payments|pull|quotas';
/** Protocols that a process speaks besides gRPC: they call use cases, as handlers/ do. */
const protocols = 'direct|sftp|tus';

const onlyPackagesOfProcesses = packagesExcept(
  packagesOfProcesses,
  `a process imports ${packagesOfProcesses.join(', ')} only; other packages are for development and browsers.`,
);

const moduleMessage = 'this folder is below usecases/: pass the value in.';

const stackPatterns = [
  packagesExcept(
    ['stack', 'kit', 'rpc', 'runtime', 'embedded-mongodb', 'protos'],
    'stack starts processes of the panel: it imports no client of the public API.',
  ),
];

/**
 * The walls. Imports go one way: handlers -> usecases -> domain, handlers -> present, models -> domain; ws -> routes ->
 * middleware in the gateway; services -> packages.
 */
const walls: readonly Wall[] = [
  { files: ['services/*/src/**', 'gateway/src/**'] },
  {
    files: ['services/*/src/domain/**'],
    patterns: [
      layer(
        `usecases|handlers|models|present|context|service|config|${modules}|${protocols}`,
        'domain/ is pure: pass the value in as a parameter.',
      ),
      {
        regex: '^@panel/protos/(identity|servers|files|billing|admin|common|source)$',
        message: 'domain/ knows no message: declare the type in domain/ and convert it in handlers/ or present/.',
      },
    ],
  },
  {
    files: ['services/*/src/usecases/**'],
    patterns: [layer('handlers|present|service', 'usecases/ return records: the handler presents them.')],
  },
  {
    files: ['services/*/src/handlers/**'],
    patterns: [layer('models|service', 'handlers/ call a use case; types of records come from domain/ or context.ts.')],
  },
  {
    files: ['services/*/src/models/**'],
    allow: ['mongoose'],
    patterns: [
      layer(
        `usecases|handlers|present|context|service|${modules}|${protocols}`,
        'models/ store records: the use case calls them with values.',
      ),
    ],
  },
  {
    files: ['services/*/src/present/**'],
    patterns: [layer('handlers|models|context|service', 'present/ turns values into messages: pass the value in.')],
  },
  {
    files: [`services/*/src/{${modules.replaceAll('|', ',')}}/**`],
    patterns: [layer(`usecases|handlers|models|present|context|service|${protocols}`, moduleMessage)],
  },
  {
    files: ['services/identity/src/crypto/totp.ts'],
    allow: ['speakeasy'],
    patterns: [layer(`usecases|handlers|models|present|context|service`, moduleMessage)],
  },
  {
    files: [`services/*/src/{${protocols.replaceAll('|', ',')}}/**`],
    patterns: [layer('handlers|models|present|service', 'a protocol calls use cases, as handlers/ do.')],
  },
  {
    files: ['gateway/src/middleware/**'],
    patterns: [
      layer('routes|ws', 'middleware/ is below routes/ and ws/: move the shared part into http/ or declaration/.'),
    ],
  },
  {
    files: ['gateway/src/routes/**'],
    patterns: [layer('ws', 'routes/ is below ws/: move the shared part into routes/ or declaration/.')],
  },
  {
    files: ['gateway/src/{auth,browser,declaration,http,idempotency,limits,openapi,settings,site}/**'],
    patterns: [layer('middleware|routes|ws', 'this folder is below middleware/, routes/ and ws/: pass the value in.')],
  },
  { files: ['packages/kit/**'], patterns: [packagesExcept(['kit'], 'kit imports no other package of ours.')] },
  {
    files: ['packages/kit/src/mongo/**', 'packages/kit/test/mongo/**'],
    allow: ['mongoose'],
    patterns: [packagesExcept([], 'kit imports no other package of ours.')],
  },
  {
    files: ['packages/rpc/**'],
    patterns: [packagesExcept(['rpc', 'kit', 'protos'], 'rpc imports kit and protos only.')],
  },
  {
    files: ['packages/runtime/**'],
    allow: ['dockerode'],
    patterns: [packagesExcept(['runtime', 'kit'], 'runtime imports kit only: it knows no service and no message.')],
  },
  {
    files: ['packages/outbox/**'],
    allow: ['mongoose'],
    patterns: [packagesExcept(['outbox', 'kit', 'stack'], 'outbox imports kit only.')],
  },
  {
    files: ['packages/embedded-mongodb/**'],
    patterns: [packagesExcept(['embedded-mongodb', 'kit'], 'embedded-mongodb imports kit only.')],
  },
  {
    files: ['packages/client/**'],
    patterns: [packagesExcept(['client'], 'client runs in browsers: it imports no package of the server.')],
  },
  {
    files: ['packages/web/**'],
    patterns: [packagesExcept(['web', 'client'], 'web runs in browsers: it reaches the panel by the client only.')],
  },
  {
    files: ['examples/**'],
    patterns: [packagesExcept(['client'], 'examples are what a customer writes: they import the client only.')],
  },
  { files: ['protos/**'], patterns: [packagesExcept(['protos'], 'protos import no other package of ours.')] },
  { files: ['packages/stack/**'], patterns: stackPatterns },
  // It starts a replica set.
  {
    files: ['packages/stack/src/mongo/**', 'packages/stack/test/mongo/**', 'packages/stack/test/testing.test.ts'],
    allow: ['mongoose'],
    patterns: stackPatterns,
  },
  { files: ['gateway/src/ws/upgrade.ts'], allow: ['koa-websocket'] },
  // Tests that look into a database or an engine, beside the code under test.
  {
    files: [
      'services/identity/test/integration/{harness,admin-contract.test}.ts',
      'test/e2e/security/support/database.ts',
      'bench/src/installation/**',
      'bench/src/measure/plans.ts',
    ],
    allow: ['mongoose'],
  },
  {
    files: ['services/servers/test/support/private-engine.ts', 'test/e2e/support/engine.ts'],
    allow: ['dockerode'],
  },
];

const isOfProcess = (file: string): boolean => /^(services\/[^/]+|gateway)\/src\//.test(file);

function restrictedImports({ files = [], allow = [], patterns = [] }: Wall): DummyRule {
  const paths = Object.entries(owned)
    .filter(([name]) => !allow.includes(name))
    .map(([name, message]) => ({ name, message }));
  const ofProcess = files.length > 0 && files.every(isOfProcess) ? [onlyPackagesOfProcesses] : [];
  return ['error', { paths, patterns: [noProcess, ...ofProcess, ...patterns] }];
}

const config: OxlintConfig = {
  plugins: ['typescript', 'import', 'node', 'promise', 'unicorn', 'oxc'],
  categories: { correctness: 'error', suspicious: 'error' },
  env: { node: true, es2024: true },
  ignorePatterns: ['**/dist/**', '**/node_modules/**', 'protos/gen/**', '**/.data/**'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/consistent-type-imports': 'error',
    'typescript/no-unsafe-type-assertion': 'off',
    'no-empty': ['error', { allowEmptyCatch: false }],
    'no-console': 'error',
    'no-shadow': 'off',
    'no-await-in-loop': 'off',
    'no-underscore-dangle': 'off',
    eqeqeq: 'error',
    'max-lines': ['error', { max: 500 }],
    'import/no-cycle': 'error',
    'import/no-default-export': 'error',
    'import/no-unassigned-import': 'off',
    'import/no-named-as-default': 'off',
    'import/no-named-as-default-member': 'off',
    'node/no-process-env': 'error',
    'promise/always-return': 'off',
    'promise/no-callback-in-promise': 'off',
    'promise/catch-or-return': 'off',
    'promise/no-promise-in-callback': 'off',
    'promise/prefer-await-to-then': 'off',
    'promise/prefer-await-to-callbacks': 'off',
    'unicorn/no-array-sort': 'off',
    'unicorn/no-array-reverse': 'off',
    'unicorn/consistent-function-scoping': 'off',
    'unicorn/prefer-add-event-listener': 'off',
    'no-restricted-imports': restrictedImports({}),
  },
  overrides: [
    ...walls.map((wall) => ({
      files: [...(wall.files ?? [])],
      rules: { 'no-restricted-imports': restrictedImports(wall) },
    })),
    {
      files: ['**/config.ts', 'scripts/**', '**/test/**', 'test/e2e/**', 'protos/scripts/**', 'bench/src/**'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: ['scripts/**', 'packages/stack/**', 'protos/scripts/**', 'bench/**', 'test/e2e/**'],
      rules: { 'no-console': 'off' },
    },
    {
      files: ['**/test/**', 'test/e2e/**'],
      rules: { 'typescript/no-unused-expressions': 'off', 'no-unused-expressions': 'off' },
    },
  ],
};

// oxlint-disable-next-line import/no-default-export -- oxlint takes the default export
export default config;

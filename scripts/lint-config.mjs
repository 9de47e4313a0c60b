// npm run lint:config: writes .oxlintrc.json. The walls between folders are a table here, because an override of oxlint
// replaces the options of a rule as a whole: each folder needs the general restrictions and its own together.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('..', import.meta.url));
export const configPath = path.join(root, '.oxlintrc.json');

const processes = 'identity|servers|files|billing|admin|gateway';
const packages = ['kit', 'rpc', 'outbox', 'runtime', 'embedded-mongodb', 'stack', 'client', 'web', 'protos'];

/** Packages that belong to one folder each. */
const owned = {
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
const layer = (names, message) => {
  const all = names.split('|');
  const folders = all.filter((name) => !topLevelFiles.includes(name));
  const files = all.filter((name) => topLevelFiles.includes(name));
  const targets = [folders.length > 0 && `(${folders.join('|')})/`, files.length > 0 && `(${files.join('|')})\\.js$`];
  return { regex: `^(\\.\\./)+(${targets.filter(Boolean).join('|')})`, message };
};

/** Packages other than `allowed`. The expressions of oxlint have no lookahead, so the others are named. */
const packagesExcept = (allowed, message) => ({
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

/** Rooms of services/servers, from the lowest: a room imports those of the lines above it. */
const serverRooms = [
  ['node-clients', 'users'],
  ['console', 'metrics', 'database-engines', 'references'],
  ['games'],
  ['nodes'],
  ['operations', 'scheduling'],
];
const allServerRooms = serverRooms.flat();
const aboveRooms = 'usecases|handlers|present|orchestrator|context|service';

/** What room `name` must not import: everything above it, and the rooms beside it. */
function roomWall(name, index) {
  const below = serverRooms.slice(0, index).flat();
  const others = allServerRooms.filter((room) => room !== name && !below.includes(room));
  return {
    files: [`services/servers/src/${name}/**`],
    patterns: [
      layer(aboveRooms, 'machinery is below usecases/ and context.ts: declare a small interface of what it needs.'),
      layer(others.join('|'), 'rooms import in one direction (docs/architecture.md): declare an interface instead.'),
    ],
  };
}

/** Folders of a layer may have the names of rooms: those are reached from the root of src. */
const noRooms = {
  regex: `^(\\.\\./){2,}(${allServerRooms.join('|')})/`,
  message: 'machinery is above domain/ and models/: pass the value in.',
};

const moduleMessage = 'this folder is below usecases/: pass the value in.';

const stackPatterns = [
  packagesExcept(
    ['stack', 'kit', 'rpc', 'runtime', 'embedded-mongodb', 'protos'],
    'stack starts processes of the panel: it imports no client of the public API.',
  ),
];

/**
 * The walls. Imports go one way: handlers -> usecases -> domain, handlers -> present, models -> domain; ws -> routes ->
 * middleware in the gateway; services -> packages. `allow` lists owned packages that the folder may import.
 */
const walls = [
  { files: ['services/*/src/**', 'gateway/src/**'] },
  {
    files: ['services/*/src/domain/**'],
    patterns: [
      layer(
        `usecases|handlers|models|present|context|service|config|${modules}|${protocols}`,
        'domain/ is pure: pass the value in as a parameter.',
      ),
      noRooms,
      {
        regex: '^@panel/protos/(identity|servers|files|billing|admin|common|source)$',
        message: 'domain/ knows no message: declare the type in domain/ and convert it in handlers/ or present/.',
      },
    ],
  },
  {
    files: ['services/*/src/usecases/**'],
    patterns: [layer('handlers|present|orchestrator|service', 'usecases/ return records: the handler presents them.')],
  },
  {
    files: ['services/*/src/handlers/**'],
    patterns: [
      layer(
        'models|orchestrator|service',
        'handlers/ call a use case; types of records come from domain/ or context.ts.',
      ),
    ],
  },
  {
    files: ['services/*/src/models/**'],
    allow: ['mongoose'],
    patterns: [
      layer(
        `usecases|handlers|present|context|service|${modules}|${protocols}`,
        'models/ store records: the use case calls them with values.',
      ),
      noRooms,
    ],
  },
  {
    files: ['services/*/src/present/**'],
    patterns: [layer('handlers|models|context|service', 'present/ turns values into messages: pass the value in.')],
  },
  ...serverRooms.flatMap((names, index) => names.map((name) => roomWall(name, index))),
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

const isOfProcess = (file) => /^(services\/[^/]+|gateway)\/src\//.test(file);

function restrictedImports({ files = [], allow = [], patterns = [] }) {
  const paths = Object.entries(owned)
    .filter(([name]) => !allow.includes(name))
    .map(([name, message]) => ({ name, message }));
  const ofProcess = files.length > 0 && files.every(isOfProcess) ? [onlyPackagesOfProcesses] : [];
  return ['error', { paths, patterns: [noProcess, ...ofProcess, ...patterns] }];
}

const config = {
  $schema: './node_modules/oxlint/configuration_schema.json',
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
    ...walls.map((wall) => ({ files: wall.files, rules: { 'no-restricted-imports': restrictedImports(wall) } })),
    {
      files: ['services/servers/src/**'],
      rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] },
    },
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

/** The configuration as it should be. */
export async function printConfig() {
  return format(JSON.stringify(config), { ...(await resolveConfig(configPath)), parser: 'json' });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = await printConfig();
  if (!process.argv.includes('--check')) writeFileSync(configPath, text);
  else if (readFileSync(configPath, 'utf8') !== text) {
    process.stderr.write('.oxlintrc.json is out of date: run npm run lint:config\n');
    process.exitCode = 1;
  }
}

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

const words = (...lines: string[]): string[] => lines.flatMap((line) => line.split(' '));

const processes = 'identity|servers|files|billing|admin|gateway';
const packages = words('kit rpc outbox activity runtime embedded-mongodb programs testing stack client web protos');

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
const packagesOfProcesses = ['kit', 'rpc', 'outbox', 'activity', 'runtime', 'protos'];

/** Files of src; every other name of a layer is a folder, which may have the name of one of them. */
const topLevelFiles = ['context', 'service', 'config', 'machinery'];

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

const onlyPackagesOfProcesses = packagesExcept(
  packagesOfProcesses,
  `a process imports ${packagesOfProcesses.join(', ')} only; other packages are for development and browsers.`,
);

const stackPatterns = [
  packagesExcept(
    ['stack', 'programs', 'testing', 'kit', 'rpc', 'runtime', 'protos'],
    'stack starts processes of the panel: it imports no client of the public API.',
  ),
];

/** What is special about a service; all have the shape of ADR 14. */
interface Service {
  /**
   * Folders for what runs by itself or wraps something foreign, in the order in which they are built: each imports those before
   * it only.
   */
  readonly rooms: readonly string[];
  /** Rooms with the name of a folder of domain/ or models/, which reach them from the root of src. */
  readonly sharedNames?: readonly string[];
  /** Rooms that work on bytes and values alone: they import no store. */
  readonly withoutStores?: readonly string[];
  /** Protocols spoken besides gRPC: they call use cases, as handlers/ do. */
  readonly protocols?: readonly string[];
}

const services: Readonly<Record<string, Service>> = {
  identity: {
    rooms: ['crypto', 'revocation', 'admins', 'deletions', 'outbox', 'policy', 'references'],
    withoutStores: ['crypto'],
  },
  servers: {
    rooms: words('node-clients users references metrics database-engines console', 'games nodes operations scheduling'),
    sharedNames: ['console', 'metrics', 'nodes'],
  },
  files: {
    rooms: words(
      'jail volumes quotas freezes threads config-files archives searches listings pull workspace',
      'versions trash uploads operations transfers backups',
    ),
    withoutStores: words(
      'jail volumes quotas freezes threads config-files archives searches listings pull workspace transfers',
    ),
    protocols: ['direct', 'sftp'],
  },
  billing: {
    rooms: words(
      'documents payments bank settings customers ledger journal mail provisioning',
      'invoicing subscriptions refunds gift-codes fulfilment payment-events renewals dunning metering reconciliation',
    ),
    withoutStores: ['documents', 'payments', 'bank'],
  },
  admin: { rooms: ['crypto', 'mail', 'test-clock'], withoutStores: ['crypto'] },
};

const messages = (names: string, message: string): Pattern => ({ regex: `^@panel/protos/(${names})$`, message });

const fromRoot = (names: readonly string[]): Pattern => ({
  regex: `^(\\.\\./){2,}(${names.join('|')})/`,
  message: 'machinery is above this folder: pass the value in.',
});

/** Walls inside a service: handlers -> usecases -> rooms -> models -> domain; handlers -> present. */
const wallsOf = ([service, shape]: [string, Service]): Wall[] => {
  const { rooms, sharedNames = [], withoutStores = [], protocols = [] } = shape;
  const folder = (name: string) => `services/${service}/src/${name}/**`;
  const above = (...names: string[]) => [...names, 'service', 'machinery', 'orchestrator', ...protocols].join('|');
  const ownNames = rooms.filter((room) => !sharedNames.includes(room));
  const shared = sharedNames.length === 0 ? [] : [fromRoot(sharedNames)];
  const handlers = ['models', 'service', 'config', 'machinery', 'orchestrator', ...protocols, ...rooms].join('|');
  return [
    {
      files: [folder('domain')],
      patterns: [
        layer(
          `${above('usecases', 'handlers', 'models', 'present', 'context', 'config')}|${ownNames.join('|') || 'rooms'}`,
          'domain/ is pure: pass the value in as a parameter.',
        ),
        ...shared,
        messages(
          `${processes}|common|source`,
          'domain/ knows no message: declare the type in domain/ and convert it in handlers/ or present/.',
        ),
      ],
    },
    {
      files: [folder('models')],
      allow: ['mongoose'],
      patterns: [
        layer(
          [above('usecases', 'handlers', 'present', 'context'), ...ownNames].join('|'),
          'models/ store records: the use case calls them with values.',
        ),
        ...shared,
      ],
    },
    ...rooms.map((room, at) => roomWall(folder(room), room, rooms.slice(at + 1), withoutStores.includes(room), above)),
    {
      files: [folder('usecases')],
      patterns: [
        layer(
          'handlers|present|service|machinery|orchestrator',
          'usecases/ return records: the handler presents them.',
        ),
      ],
    },
    {
      files: [folder('handlers')],
      patterns: [layer(handlers, 'handlers/ see use cases only: call one, and present its result.')],
    },
    {
      files: [folder('present')],
      patterns: [layer('handlers|models|context|service', 'present/ turns values into messages: pass the value in.')],
    },
    ...protocols.map((protocol) => ({
      files: [folder(protocol)],
      patterns: [layer('handlers|models|present|service|machinery', 'a protocol calls use cases, as handlers/ do.')],
    })),
  ];
};

function roomWall(
  files: string,
  room: string,
  later: readonly string[],
  isWithoutStores: boolean,
  above: (...names: string[]) => string,
): Wall {
  return {
    files: [files],
    patterns: [
      layer(
        above('usecases', 'handlers', 'present', 'context', 'config'),
        `${room}/ is below usecases/ and knows no context: take what it needs as an argument.`,
      ),
      ...(later.length > 0 ? [layer(later.join('|'), `${room}/ is below this: pass the value in.`)] : []),
      ...(isWithoutStores ? [layer('models', `${room}/ has no store: pass the value in.`)] : []),
    ],
  };
}

const filesRooms = services['files']?.rooms ?? [];

const noServerInWeb = 'web runs in browsers: it reaches the panel by the client only.';
/** Of kit, only `cron` runs in browsers too. */
const webPatterns = [
  packagesExcept(['web', 'client', 'kit'], noServerInWeb),
  { regex: '^@panel/kit($|/([^c]|c[^r]|cr[^o]))', message: noServerInWeb },
];

/** Folders of packages/web/src that features share, the lowest first. */
const webShared = ['i18n', 'api', 'ui', 'server', 'activity'];
/** Features of the web console, with the other features that each may import. */
const webFeatures: Readonly<Record<string, readonly string[]>> = {
  account: [],
  backups: ['files'],
  charts: [],
  console: [],
  consoles: ['console'],
  databases: [],
  files: [],
  people: [],
  schedules: [],
  'server-list': ['consoles'],
  'server-settings': [],
  'sign-in': [],
  staff: ['charts'],
  startup: [],
  store: [],
};
const webRoot = ['pages', 'app'];

const webWall = (folder: string, above: readonly string[], message: string, more: readonly Pattern[] = []): Wall => ({
  files: [`packages/web/src/${folder}/**`],
  patterns: [...webPatterns, { regex: `^(\\.\\./)+((${above.join('|')})/|(boot|main)\\.js$)`, message }, ...more],
});

/** Features read and change data; pages arrange them. */
const noDataInPages: Pattern = {
  regex: '^((\\.\\./)+api/|@tanstack/|@panel/client$)',
  message: 'pages/ compose features: read and change data in the folder of the feature.',
};

/** i18n -> api -> ui -> server -> activity -> features -> pages -> app: each imports those before it. */
const webWalls = [
  ...webShared.map((folder, index) =>
    webWall(
      folder,
      [...webShared.slice(index + 1), ...Object.keys(webFeatures), ...webRoot],
      `${folder}/ is below: pass the value in, or move the shared part down.`,
    ),
  ),
  ...Object.entries(webFeatures).map(([folder, allowed]) =>
    webWall(
      folder,
      [...Object.keys(webFeatures).filter((other) => other !== folder && !allowed.includes(other)), ...webRoot],
      'features do not import each other: compose them in pages/, or move the shared part down.',
    ),
  ),
  webWall('pages', ['app'], 'pages/ are below app/.', [noDataInPages]),
];

/**
 * The walls. Imports go one way: within a service as `wallsOf` says; ws -> routes -> middleware in the gateway; services ->
 * packages.
 */
const walls: readonly Wall[] = [
  { files: ['services/*/src/**', 'gateway/src/**'] },
  ...Object.entries(services).flatMap(wallsOf),
  // Own messages stay in the handlers of these.
  ...['identity', 'servers', 'admin'].map((service) => ({
    files: [`services/${service}/src/usecases/**`],
    patterns: [
      layer('handlers|present|service|machinery|orchestrator', 'usecases/ return records: the handler presents them.'),
      messages(
        service,
        'usecases/ know no message of their own service: the handler reads requests and presents records.',
      ),
    ],
  })),
  {
    files: ['services/identity/src/crypto/totp.ts'],
    allow: ['speakeasy'],
    patterns: [layer('usecases|handlers|models|present|context|service', 'crypto/ has no store: pass the value in.')],
  },
  {
    files: ['services/files/src/backups/{storage,archive,restic}/**'],
    patterns: [
      layer(
        [
          'usecases|handlers|present|context|service|config|machinery|direct|sftp|models',
          ...filesRooms.filter((room) => !['jail', 'volumes'].includes(room)),
        ].join('|'),
        'backups/{storage,archive,restic} keep bytes: pass the value in.',
      ),
      {
        regex: '^\\.\\./[^/]+\\.js$',
        message: 'backups/{storage,archive,restic} are below backups/: pass the value in.',
      },
    ],
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
    files: ['gateway/src/{auth,browser,declaration,http,idempotency,limits,openapi,settings,site,threads}/**'],
    patterns: [layer('middleware|routes|ws', 'this folder is below middleware/, routes/ and ws/: pass the value in.')],
  },
  { files: ['packages/kit/**'], patterns: [packagesExcept(['kit'], 'kit imports no other package of ours.')] },
  {
    files: ['packages/kit/src/cron/**'],
    patterns: [{ regex: '^(node:|@panel/|\\.\\./)', message: 'cron runs in browsers too: it imports croner only.' }],
  },
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
    patterns: [
      packagesExcept(['runtime', 'kit', 'testing'], 'runtime imports kit only: it knows no service and no message.'),
    ],
  },
  {
    files: ['packages/outbox/**'],
    allow: ['mongoose'],
    patterns: [packagesExcept(['outbox', 'kit', 'testing'], 'outbox imports kit only.')],
  },
  {
    files: ['packages/activity/**'],
    patterns: [
      packagesExcept(
        ['activity', 'kit', 'outbox', 'rpc', 'protos', 'testing'],
        'activity imports kit, outbox, rpc and protos only.',
      ),
    ],
  },
  {
    files: ['packages/embedded-mongodb/**'],
    patterns: [packagesExcept(['embedded-mongodb', 'kit'], 'embedded-mongodb imports kit only.')],
  },
  {
    files: ['packages/client/**'],
    patterns: [packagesExcept(['client'], 'client runs in browsers: it imports no package of the server.')],
  },
  { files: ['packages/web/**'], patterns: webPatterns },
  ...webWalls,
  {
    files: ['examples/**'],
    patterns: [packagesExcept(['client'], 'examples are what a customer writes: they import the client only.')],
  },
  { files: ['protos/**'], patterns: [packagesExcept(['protos'], 'protos import no other package of ours.')] },
  { files: ['packages/stack/**'], patterns: stackPatterns },
  // It starts a replica set.
  {
    files: ['packages/programs/**'],
    allow: ['mongoose'],
    patterns: [
      packagesExcept(['programs', 'kit', 'embedded-mongodb'], 'programs imports kit and embedded-mongodb only.'),
    ],
  },
  {
    files: ['packages/testing/**'],
    allow: ['mongoose', 'dockerode'],
    patterns: [packagesExcept(['testing', 'programs', 'kit'], 'testing imports programs and kit only.')],
  },
  { files: ['gateway/src/ws/upgrade.ts'], allow: ['koa-websocket'] },
  // Tests that inspect a database or an engine, beside the code under test.
  {
    files: [
      'services/identity/test/integration/{harness,admin-contract.test}.ts',
      'test/e2e/security/support/database.ts',
      'test/e2e/support/dump.ts',
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

const decodesTwice = {
  name: 'wouter',
  importNames: ['useSearch', 'useSearchParams'],
  message: 'They decode twice: use useSearchParams of ui/search-params.',
};

function restrictedImports({ files = [], allow = [], patterns = [] }: Wall): DummyRule {
  const paths = Object.entries(owned)
    .filter(([name]) => !allow.includes(name))
    .map(([name, message]) => ({ name, message }));
  const ofProcess = files.length > 0 && files.every(isOfProcess) ? [onlyPackagesOfProcesses] : [];
  return ['error', { paths: [...paths, decodesTwice], patterns: [noProcess, ...ofProcess, ...patterns] }];
}

const config: OxlintConfig = {
  plugins: ['typescript', 'import', 'node', 'promise', 'unicorn', 'oxc', 'react', 'jsx-a11y'],
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
    'react/react-in-jsx-scope': 'off',
    // Cells and menus of a table are functions that render, not components.
    'react/no-unstable-nested-components': ['error', { allowAsProps: true }],
    // An effect may run for what it does not read: a path, a tab.
    'react/exhaustive-effect-dependencies': 'off',
    // role="status" is announced on any element; <output> belongs to a form.
    'jsx-a11y/prefer-tag-over-role': 'off',
    // What scrolls has to take the focus (axe: scrollable-region-focusable).
    'jsx-a11y/no-noninteractive-tabindex': 'off',
    // What is dragged can also be moved by keys of its grip.
    'jsx-a11y/no-noninteractive-element-interactions': [
      'error',
      { handlers: ['onClick', 'onMouseDown', 'onMouseUp', 'onKeyDown', 'onKeyUp'] },
    ],
    'no-restricted-imports': restrictedImports({}),
  },
  overrides: [
    ...walls.map((wall) => ({
      files: [...(wall.files ?? [])],
      rules: { 'no-restricted-imports': restrictedImports(wall) },
    })),
    {
      files: ['services/*/src/**', 'packages/web/src/**'],
      rules: { 'import/no-cycle': ['error', { ignoreTypes: false }] },
    },
    {
      files: ['packages/web/src/**'],
      rules: { 'max-lines-per-function': ['error', { max: 120 }] },
    },
    {
      files: ['**/config.ts', 'scripts/**', '**/test/**', 'test/e2e/**', 'protos/scripts/**', 'bench/src/**'],
      rules: { 'node/no-process-env': 'off' },
    },
    {
      files: [
        'scripts/**',
        'packages/{programs,stack,testing}/**',
        'protos/scripts/**',
        'bench/**',
        'test/{e2e,faults,stories}/**',
      ],
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

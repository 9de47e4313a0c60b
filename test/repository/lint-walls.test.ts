import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { root } from './root.js';

interface Violation {
  /** Where the forbidden line is planted. */
  readonly file: string;
  readonly line: string;
  /** Part of the message that says where it belongs. */
  readonly message: string;
}

const imports = (specifier: string): string => `import { x } from '${specifier}';\nexport const y = x;`;

const violations: readonly Violation[] = [
  ...['usecases/a', 'handlers/user/a', 'models/a', 'present/a', 'context'].map((target) => ({
    file: 'services/servers/src/domain/power/planted.ts',
    line: imports(`../../${target}.js`),
    message: 'domain/ is pure',
  })),
  {
    file: 'services/servers/src/domain/planted.ts',
    line: imports('@panel/protos/servers'),
    message: 'domain/ knows no message',
  },
  { file: 'services/servers/src/domain/planted.ts', line: imports('mongoose'), message: 'belongs into models/' },
  {
    file: 'services/admin/src/usecases/mail/planted.ts',
    line: imports('../../handlers/mail/send.js'),
    message: 'usecases/ return records',
  },
  {
    file: 'services/admin/src/usecases/mail/planted.ts',
    line: imports('../../present/mail.js'),
    message: 'usecases/ return records',
  },
  {
    file: 'services/identity/src/handlers/user/planted.ts',
    line: imports('../../models/user.js'),
    message: 'handlers/ see use cases only',
  },
  ...['models/stores', 'users/user-directory', 'database-engines/load-database', 'console/console-hub'].map(
    (target) => ({
      file: 'services/servers/src/handlers/server/planted.ts',
      line: imports(`../../${target}.js`),
      message: 'handlers/ see use cases only',
    }),
  ),
  {
    file: 'services/servers/src/usecases/servers/planted.ts',
    line: imports('@panel/protos/servers'),
    message: 'usecases/ know no message of their own service',
  },
  ...['crypto/tokens', 'policy/policy-cache', 'service'].map((target) => ({
    file: 'services/identity/src/handlers/user/planted.ts',
    line: imports(`../../${target}.js`),
    message: 'handlers/ see use cases only',
  })),
  ...['admins', 'deletions', 'outbox', 'policy', 'references', 'revocation'].flatMap((room) =>
    ['context', 'usecases/users/create-user', 'handlers/index'].map((target) => ({
      file: `services/identity/src/${room}/planted.ts`,
      line: imports(`../${target}.js`),
      message: 'is below usecases/ and knows no context',
    })),
  ),
  {
    file: 'services/identity/src/models/planted.ts',
    line: imports('../policy/policy-cache.js'),
    message: 'models/ store records',
  },
  {
    file: 'services/identity/src/domain/planted.ts',
    line: imports('../deletions/resume-deletions.js'),
    message: 'domain/ is pure',
  },
  {
    file: 'services/identity/src/usecases/users/planted.ts',
    line: imports('@panel/protos/identity'),
    message: 'usecases/ know no message of their own service',
  },
  {
    file: 'services/identity/src/handlers/user/planted.ts',
    line: imports('mongoose'),
    message: 'belongs into models/',
  },
  ...['handlers/index', 'usecases/users/create-user', 'present/user', 'context'].map((target) => ({
    file: 'services/identity/src/models/planted.ts',
    line: imports(`../${target}.js`),
    message: 'models/ store records',
  })),
  ...['usecases/power/a', 'handlers/server/a', 'present/server', 'orchestrator/orchestrator', 'context'].map(
    (target) => ({
      file: 'services/servers/src/games/planted.ts',
      line: imports(`../${target}.js`),
      message: 'games/ is below usecases/',
    }),
  ),
  {
    file: 'services/servers/src/console/planted.ts',
    line: imports('../games/dependencies.js'),
    message: 'console/ is below this',
  },
  {
    file: 'services/servers/src/operations/planted.ts',
    line: imports('../scheduling/schedule-runner.js'),
    message: 'operations/ is below this',
  },
  {
    file: 'services/servers/src/models/nodes/planted.ts',
    line: imports('../../nodes/reconcile.js'),
    message: 'machinery is above',
  },
  {
    file: 'services/billing/src/present/planted.ts',
    line: imports('../handlers/index.js'),
    message: 'present/ turns values into messages',
  },
  {
    file: 'services/billing/src/usecases/planted.ts',
    line: imports('@panel/identity'),
    message: 'No process imports the code of another one',
  },
  {
    file: 'services/billing/src/usecases/planted.ts',
    line: imports('../../../identity/src/context.js'),
    message: 'No process imports the code of another one',
  },
  {
    file: 'gateway/src/routes/servers/planted.ts',
    line: imports('../../../../services/servers/src/reasons.js'),
    message: 'No process imports the code of another one',
  },
  { file: 'packages/kit/src/planted.ts', line: imports('@panel/rpc'), message: 'kit imports no other package' },
  {
    file: 'packages/kit/src/planted.ts',
    line: imports('@panel/protos/common'),
    message: 'kit imports no other package',
  },
  { file: 'packages/rpc/src/planted.ts', line: imports('@panel/outbox'), message: 'rpc imports kit and protos only' },
  { file: 'packages/rpc/src/planted.ts', line: imports('@panel/identity'), message: 'No process imports the code' },
  {
    file: 'packages/runtime/src/planted.ts',
    line: imports('@panel/protos/servers'),
    message: 'runtime imports kit only',
  },
  { file: 'packages/runtime/src/planted.ts', line: imports('@panel/servers'), message: 'No process imports the code' },
  { file: 'packages/client/src/planted.ts', line: imports('@panel/kit'), message: 'client runs in browsers' },
  { file: 'packages/outbox/src/planted.ts', line: imports('@panel/rpc'), message: 'outbox imports kit only' },
  {
    file: 'packages/activity/src/planted.ts',
    line: imports('@panel/runtime'),
    message: 'activity imports kit, outbox',
  },
  { file: 'gateway/src/middleware/planted.ts', line: imports('../routes/index.js'), message: 'middleware/ is below' },
  { file: 'gateway/src/middleware/planted.ts', line: imports('../ws/attach.js'), message: 'middleware/ is below' },
  {
    file: 'gateway/src/routes/servers/planted.ts',
    line: imports('../../ws/attach.js'),
    message: 'routes/ is below ws/',
  },
  { file: 'gateway/src/http/planted.ts', line: imports('../middleware/compose.js'), message: 'this folder is below' },
  ...['services/admin/src/crypto', 'services/billing/src/documents', 'services/billing/src/payments/stripe'].map(
    (folder) => ({
      file: `${folder}/planted.ts`,
      line: imports('../../usecases/a/b.js'),
      message: 'is below usecases/ and knows no context',
    }),
  ),
  ...['jail', 'archives', 'quotas', 'trash', 'uploads', 'transfers', 'backups'].flatMap((room) =>
    ['../context', '../usecases/files/write-file', '../machinery'].map((target) => ({
      file: `services/files/src/${room}/planted.ts`,
      line: imports(`${target}.js`),
      message: `${room}/ is below usecases/ and knows no context`,
    })),
  ),
  ...[
    ['jail', 'volumes/volumes'],
    ['trash', 'uploads/upload-files'],
    ['workspace', 'backups/scan-tree'],
  ].map(([room, target]) => ({
    file: `services/files/src/${room}/planted.ts`,
    line: imports(`../${target}.js`),
    message: `${room}/ is below this`,
  })),
  ...[
    ['quotas', 'models/disk-project-store'],
    ['transfers', 'models/backup-store'],
  ].map(([room, target]) => ({
    file: `services/files/src/${room}/planted.ts`,
    line: imports(`../${target}.js`),
    message: `${room}/ has no store`,
  })),
  ...['../backup-deps', '../../models/backup-store', '../../quotas/disk-quotas'].map((target) => ({
    file: 'services/files/src/backups/restic/planted.ts',
    line: imports(`${target}.js`),
    message: 'backups/{storage,archive,restic}',
  })),
  {
    file: 'services/files/src/models/planted.ts',
    line: imports('../trash/trash.js'),
    message: 'models/ store records',
  },
  ...(
    [
      ['renewals', '../usecases/orders/checkout', 'is below usecases/ and knows no context'],
      ['dunning', '../context', 'is below usecases/ and knows no context'],
      ['invoicing', '../renewals/renew-subscriptions', 'is below this: pass the value in'],
      ['payments', '../models/order', 'has no store: pass the value in'],
      ['handlers/order', '../../invoicing/void-invoice', 'handlers/ see use cases only'],
      ['domain', '../metering/pay-charge', 'domain/ is pure'],
    ] as const
  ).map(([folder, target, message]) => ({
    file: `services/billing/src/${folder}/planted.ts`,
    line: imports(`${target}.js`),
    message,
  })),
  ...['direct', 'sftp'].map((name) => ({
    file: `services/files/src/${name}/planted.ts`,
    line: imports('../handlers/file/read-file.js'),
    message: 'a protocol calls use cases',
  })),
  {
    file: 'services/files/src/domain/planted.ts',
    line: imports('../jail/resolve.js'),
    message: 'domain/ is pure',
  },
  {
    file: 'services/billing/src/models/planted.ts',
    line: imports('../payments/gateways.js'),
    message: 'models/ store records',
  },
  ...['services/admin/src/planted.ts', 'services/admin/src/usecases/planted.ts', 'gateway/src/ws/planted.ts'].map(
    (file) => ({ file, line: imports('@panel/stack'), message: 'other packages are for development and browsers' }),
  ),
  {
    file: 'packages/embedded-mongodb/src/planted.ts',
    line: imports('@panel/rpc'),
    message: 'embedded-mongodb imports kit only',
  },
  { file: 'packages/stack/src/launch/planted.ts', line: imports('@panel/client'), message: 'stack starts processes' },
  { file: 'packages/programs/src/mongo/planted.ts', line: imports('@panel/stack'), message: 'programs imports kit' },
  { file: 'packages/testing/src/planted.ts', line: imports('@panel/stack'), message: 'testing imports programs' },
  {
    file: 'packages/stack/src/engine/planted.ts',
    line: imports('dockerode'),
    message: 'belongs into packages/runtime',
  },
  ...['kit', 'kit/text', 'protos/servers'].map((name) => ({
    file: 'packages/web/src/schedules/planted.ts',
    line: imports(`@panel/${name}`),
    message: 'web runs in browsers',
  })),
  ...['../process/index', '../errors/index'].map((target) => ({
    file: 'packages/kit/src/cron/planted.ts',
    line: imports(`${target}.js`),
    message: 'cron runs in browsers too',
  })),
  ...['server/context', 'files/paths', 'pages/servers', 'main'].map((target) => ({
    file: 'packages/web/src/ui/planted.ts',
    line: imports(`../${target}.js`),
    message: 'ui/ is below',
  })),
  ...['../../pages/staff', '../../store/store', '../../app/app'].map((target) => ({
    file: 'packages/web/src/staff/eggs/planted.ts',
    line: imports(`${target}.js`),
    message: 'features do not import each other',
  })),
  {
    file: 'packages/web/src/console/planted.ts',
    line: `import type { X } from '../consoles/pane.js';\nexport type Y = X;`,
    message: 'features do not import each other',
  },
  { file: 'packages/web/src/pages/planted.ts', line: imports('../app/app.js'), message: 'pages/ are below app/' },
  ...['../../api/queries.js', '../../api/use-data.js', '../../api/context.js', '@tanstack/react-query'].map((name) => ({
    file: 'packages/web/src/pages/server/planted.ts',
    line: imports(name),
    message: 'pages/ compose features',
  })),
  {
    file: 'packages/web/src/account/planted.ts',
    line: imports('../sign-in/sign-in.js'),
    message: 'features do not import each other',
  },
  {
    file: 'packages/web/src/ui/planted.tsx',
    line: `export const list = (\n  <ul>\n    {[1].map((one) => (\n      <li>{one}</li>\n    ))}\n  </ul>\n);`,
    message: 'key',
  },
  {
    file: 'packages/web/src/ui/planted.tsx',
    line: `export const picture = <img src="a.png" />;`,
    message: 'alt',
  },
  { file: 'examples/demo/planted.ts', line: imports('@panel/rpc'), message: 'examples are what a customer writes' },
  { file: 'protos/src/planted.ts', line: imports('@panel/kit'), message: 'protos import no other package' },
  ...['browser', 'settings', 'site'].map((name) => ({
    file: `gateway/src/${name}/planted.ts`,
    line: imports('../routes/index.js'),
    message: 'this folder is below',
  })),
  { file: 'services/identity/src/crypto/planted.ts', line: imports('speakeasy'), message: 'speakeasy is unmaintained' },
  { file: 'gateway/src/ws/planted.ts', line: imports('koa-websocket'), message: 'koa-websocket is unmaintained' },
  {
    file: 'services/servers/src/usecases/planted.ts',
    line: imports('dockerode'),
    message: 'belongs into packages/runtime',
  },
  {
    file: 'services/servers/src/usecases/planted.ts',
    line: 'export const path = process.env.PATH;',
    message: 'process.env',
  },
  { file: 'gateway/src/http/planted.ts', line: 'export const path = process.env.PATH;', message: 'process.env' },
];

const allowed: readonly Pick<Violation, 'file' | 'line'>[] = [
  { file: 'services/servers/src/operations/planted.ts', line: imports('../games/dependencies.js') },
  { file: 'services/servers/src/usecases/power/planted.ts', line: imports('../../domain/power/transitions.js') },
  { file: 'services/servers/src/handlers/server/planted.ts', line: imports('../../present/server.js') },
  { file: 'services/servers/src/models/servers/planted.ts', line: imports('mongoose') },
  { file: 'services/servers/src/domain/planted.ts', line: imports('@panel/protos/permissions') },
  { file: 'gateway/src/ws/planted.ts', line: imports('../routes/servers/resource.js') },
  { file: 'packages/runtime/src/docker/planted.ts', line: imports('dockerode') },
  { file: 'services/identity/src/crypto/totp.ts', line: imports('speakeasy') },
  { file: 'gateway/src/ws/upgrade.ts', line: imports('koa-websocket') },
  { file: 'services/files/src/sftp/planted.ts', line: imports('../usecases/files/delete-files.js') },
  { file: 'services/files/src/backups/planted.ts', line: imports('../models/backup-store.js') },
  { file: 'packages/web/src/consoles/planted.ts', line: imports('../console/line-view.js') },
  { file: 'packages/web/src/pages/planted.ts', line: imports('../files/files-page.js') },
  { file: 'packages/web/src/schedules/planted.ts', line: imports('@panel/kit/cron') },
  { file: 'packages/programs/test/mongo/planted.ts', line: imports('mongoose') },
  { file: 'services/servers/src/config.ts', line: 'export const path = process.env.PATH;' },
];

interface Diagnostic {
  readonly message: string;
  readonly code: string;
  readonly help?: string;
  readonly filename: string;
}

/** Lints files at their places under the configuration of the repository; returns what is said of each. */
function lint(files: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'panel-lint-'));
  try {
    copyFileSync(path.join(root, 'oxlint.config.ts'), path.join(directory, 'oxlint.config.ts'));
    for (const [name, content] of files) {
      mkdirSync(path.join(directory, path.dirname(name)), { recursive: true });
      writeFileSync(path.join(directory, name), `${content}\n`);
    }
    const program = path.join(root, 'node_modules', '.bin', 'oxlint');
    const options = ['--deny-warnings', '--format', 'json', '.'];
    const { stdout } = spawnSync(program, options, { cwd: directory, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 });
    const { diagnostics, number_of_files: count } = JSON.parse(stdout) as {
      readonly diagnostics: readonly Diagnostic[];
      readonly number_of_files: number;
    };
    expect(count).to.be.at.least(files.size);
    const said = new Map<string, string>();
    for (const { filename, code, message, help } of diagnostics)
      said.set(filename, `${said.get(filename) ?? ''}${code}: ${message} ${help}\n`);
    return said;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Each planted file has a name of its own, so that one run lints them all. */
const numbered = (file: string, number: number): string =>
  file.replace(/planted(?=\.tsx?$)/, () => `planted-${number}`);

const cycles = ['services/identity/src/policy', 'services/servers/src/domain/servers'];

const longFunction = 'packages/web/src/files/long-function.ts';

describe('lint', function () {
  this.timeout(60_000);
  let said: ReadonlyMap<string, string>;
  before(() => {
    const files = new Map<string, string>();
    for (const folder of cycles) {
      files.set(
        `${folder}/cycle.ts`,
        "import type { Other } from './other.js';\nexport interface One {\n  readonly other: Other;\n}",
      );
      files.set(
        `${folder}/other.ts`,
        "import type { One } from './cycle.js';\nexport interface Other {\n  readonly one: One;\n}",
      );
    }
    for (const [number, { file, line }] of [...violations, ...allowed].entries()) {
      expect(files.has(numbered(file, number)), file).to.equal(false);
      files.set(numbered(file, number), line);
    }
    files.set(longFunction, `export function long(): number {\n${'\n  Math.random();'.repeat(120)}\n  return 1;\n}`);
    said = lint(files);
  });

  for (const folder of cycles) {
    it(`refuses a cycle of types in ${folder}`, () => {
      expect(said.get(`${folder}/cycle.ts`)).to.include('import(no-cycle)');
    });
  }

  it('refuses a function of the web console with more than 120 lines', () => {
    expect(said.get(longFunction)).to.include('max-lines-per-function');
  });

  for (const [number, { file, line, message }] of violations.entries()) {
    it(`refuses ${line.split('\n')[0]} in ${file}`, () => {
      expect(said.get(numbered(file, number))?.replaceAll(/\s+/g, ' ')).to.include(message);
    });
  }

  for (const [at, { file, line }] of allowed.entries()) {
    it(`allows ${line.split('\n')[0]} in ${file}`, () => {
      expect(said.get(numbered(file, violations.length + at))).to.equal(undefined);
    });
  }
});

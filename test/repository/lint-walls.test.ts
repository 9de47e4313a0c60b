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
    message: 'handlers/ call a use case',
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
      message: 'machinery is below usecases/',
    }),
  ),
  {
    file: 'services/servers/src/console/planted.ts',
    line: imports('../games/deps.js'),
    message: 'rooms import in one direction',
  },
  {
    file: 'services/servers/src/scheduling/planted.ts',
    line: imports('../operations/worker.js'),
    message: 'rooms import in one direction',
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
  { file: 'gateway/src/middleware/planted.ts', line: imports('../routes/index.js'), message: 'middleware/ is below' },
  { file: 'gateway/src/middleware/planted.ts', line: imports('../ws/attach.js'), message: 'middleware/ is below' },
  {
    file: 'gateway/src/routes/servers/planted.ts',
    line: imports('../../ws/attach.js'),
    message: 'routes/ is below ws/',
  },
  { file: 'gateway/src/http/planted.ts', line: imports('../middleware/compose.js'), message: 'this folder is below' },
  ...[
    'services/admin/src/crypto',
    'services/billing/src/documents',
    'services/billing/src/payments/stripe',
    ...['archives', 'backups', 'config-files', 'jail', 'pull'].map((name) => `services/files/src/${name}`),
  ].map((folder) => ({
    file: `${folder}/planted.ts`,
    line: imports('../../usecases/a/b.js'),
    message: 'this folder is below usecases/',
  })),
  ...['direct', 'sftp', 'tus'].map((name) => ({
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
  { file: 'packages/stack/src/mongo/planted.ts', line: imports('@panel/client'), message: 'stack starts processes' },
  {
    file: 'packages/stack/src/engine/planted.ts',
    line: imports('dockerode'),
    message: 'belongs into packages/runtime',
  },
  { file: 'packages/web/src/app/planted.ts', line: imports('@panel/kit'), message: 'web runs in browsers' },
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
  { file: 'services/servers/src/operations/planted.ts', line: imports('../games/deps.js') },
  { file: 'services/servers/src/usecases/power/planted.ts', line: imports('../../domain/power/transitions.js') },
  { file: 'services/servers/src/handlers/server/planted.ts', line: imports('../../present/server.js') },
  { file: 'services/servers/src/models/servers/planted.ts', line: imports('mongoose') },
  { file: 'services/servers/src/domain/planted.ts', line: imports('@panel/protos/permissions') },
  { file: 'gateway/src/ws/planted.ts', line: imports('../routes/servers/present.js') },
  { file: 'packages/runtime/src/docker/planted.ts', line: imports('dockerode') },
  { file: 'services/identity/src/crypto/totp.ts', line: imports('speakeasy') },
  { file: 'gateway/src/ws/upgrade.ts', line: imports('koa-websocket') },
  { file: 'services/files/src/tus/planted.ts', line: imports('../usecases/uploads/append-upload.js') },
  { file: 'packages/stack/test/mongo/planted.ts', line: imports('mongoose') },
  { file: 'services/servers/src/config.ts', line: 'export const path = process.env.PATH;' },
];

/** Lint one planted file under the configuration of the repository, in a directory of its own. */
function lint(file: string, text: string): { readonly status: number | null; readonly output: string } {
  const directory = mkdtempSync(path.join(tmpdir(), 'panel-lint-'));
  try {
    copyFileSync(path.join(root, '.oxlintrc.json'), path.join(directory, '.oxlintrc.json'));
    mkdirSync(path.join(directory, path.dirname(file)), { recursive: true });
    writeFileSync(path.join(directory, file), `${text}\n`);
    const program = path.join(root, 'node_modules', '.bin', 'oxlint');
    const { status, stdout } = spawnSync(program, ['--deny-warnings', '.'], { cwd: directory, encoding: 'utf8' });
    return { status, output: stdout };
  } finally {
    rmSync(directory, { recursive: true });
  }
}

describe('lint', () => {
  for (const { file, line, message } of violations) {
    it(`refuses ${line.split('\n')[0]} in ${file}`, () => {
      const { status, output } = lint(file, line);
      expect(status, output).to.equal(1);
      expect(output.replaceAll(/\s+/g, ' ')).to.include(message);
    });
  }

  for (const { file, line } of allowed) {
    it(`allows ${line.split('\n')[0]} in ${file}`, () => {
      const { status, output } = lint(file, line);
      expect(status, output).to.equal(0);
    });
  }
});

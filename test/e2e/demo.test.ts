import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { adminPassword, bootStack, type TestStack } from './support/stack.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('npm run demo', function () {
  this.timeout(180_000);
  let test: TestStack;

  before(async () => {
    // A fresh installation's limits: the demo must fit.
    test = await bootStack({
      RATE_LIMIT_GENERAL: '60',
      RATE_LIMIT_AUTH: '10',
      RATE_LIMIT_CONSOLE: '30',
      RATE_LIMIT_UPLOAD: '10',
      RATE_LIMIT_BACKUP: '5',
      INVITATION_LIMIT: '20',
    });
  });

  after(async () => test?.stop());

  it('walks the product from sign-in to sign-out within the default limits', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: test.stack.dataDir, ADMIN_PASSWORD: adminPassword };
    const { stdout } = await run(process.execPath, ['scripts/demo.mjs'], { cwd: root, env });
    expect(stdout).to.contain('All of it worked.');
    expect(stdout).to.contain('The caverns are open');
    expect(stdout).to.match(/credits: 2000 before, 1701 now/);
    expect(stdout).to.contain('12. play on it');
  });

  it('reports a failure in one line', async () => {
    const env = { PATH: process.env.PATH, DATA_DIR: test.stack.dataDir, ADMIN_PASSWORD: 'wrong password' };
    const failed = await run(process.execPath, ['scripts/demo.mjs'], { cwd: root, env }).catch(
      (error: unknown) => error,
    );
    expect(failed).to.have.property('code', 1);
    expect(failed)
      .to.have.property('stderr')
      .that.matches(/^demo: 401 unauthorized: .*\n$/);
  });
});

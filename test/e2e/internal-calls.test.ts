import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { bootStack, type TestStack } from './support/stack.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));

describe('internal tool on gRPC', function () {
  this.timeout(60_000);
  let test: TestStack;

  before(async () => {
    test = await bootStack();
  });

  after(async () => test?.stop());

  async function tool(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
    const env = { PATH: process.env.PATH, DATA_DIR: test.stack.dataDir };
    return run(process.execPath, ['scripts/grpc.mjs', ...args], { cwd: root, env }).then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      (error: { code: number; stdout: string; stderr: string }) => error,
    );
  }

  it('finds every service and method by reflection', async () => {
    const { stdout } = await tool('list');
    for (const name of [
      'identity.v1.AuthService/Login',
      'servers.v1.ConsoleService/WatchServer',
      'files.v1.FileService/ListDirectory',
    ]) {
      expect(stdout).to.contain(`panel.${name}`);
    }
    expect(stdout).to.contain('grpc.health.v1.Health');
  });

  it('is accepted with its own actor token', async () => {
    const { code, stdout } = await tool('call', 'servers', 'panel.servers.v1.NodeService/ListNodes');
    expect(code).to.equal(0);
    const answer = JSON.parse(stdout) as { nodes: { name: string }[] };
    expect(answer.nodes.map(({ name }) => name)).to.deep.equal(['local']);
  });

  it('is refused without a token, with a forged one and with a token of a user', async () => {
    const method = 'panel.servers.v1.NodeService/ListNodes';
    const userToken = test.admin.token() ?? '';
    for (const args of [['--anonymous'], ['--token', 'forged'], ['--token', userToken]]) {
      const { code, stderr } = await tool('call', 'servers', method, '{}', ...args);
      expect(code).to.equal(1);
      expect(stderr).to.contain('UNAUTHENTICATED ACTOR_INVALID');
    }
  });

  it('reads the health of every service', async () => {
    for (const service of ['identity', 'servers', 'files', 'billing', 'admin']) {
      const { stdout } = await tool('call', service, 'grpc.health.v1.Health/Check', '{}', '--anonymous');
      expect(JSON.parse(stdout)).to.deep.equal({ status: 'SERVING' });
    }
  });
});

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../../', import.meta.url));

describe('internal tool on gRPC', function () {
  this.timeout(180_000);
  let test: SharedStack;

  before(async () => {
    test = await sharedStack();
  });

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

  it('accepts an internal tool with its own actor token', async () => {
    const { code, stdout } = await tool('call', 'servers', 'panel.servers.v1.NodeService/ListNodes');
    expect(code).to.equal(0);
    const answer = JSON.parse(stdout) as { nodes: { name: string }[] };
    expect(answer.nodes.map(({ name }) => name)).to.deep.equal(['local']);
  });

  it('refuses an internal tool without a token, with a forged one and with a token of a user', async () => {
    const method = 'panel.servers.v1.NodeService/ListNodes';
    const userToken = test.admin.token() ?? '';
    for (const args of [['--anonymous'], ['--token', 'forged'], ['--token', userToken]]) {
      const { code, stderr } = await tool('call', 'servers', method, '{}', ...args);
      expect(code).to.equal(1);
      expect(stderr).to.contain('UNAUTHENTICATED ACTOR_INVALID');
    }
  });

  it('says what is wrong in a line or two, never with a stack', async () => {
    const listServers = 'panel.servers.v1.ServerService/ListServers';
    const missing = 'INVALID_ARGUMENT INVALID_FIELDS: the given data was invalid\n  scope must be SCOPE_OWN';
    const wrong: [string[], string][] = [
      [['call', 'servers', listServers], missing],
      [['call', 'servers', listServers, '{'], 'the request is not JSON'],
      [['call', 'servers', 'panel.servers.v1.ServerService/Nope'], 'has no method Nope: ListServers'],
      [['call', 'servers', 'panel.servers.v1.Nope/Nope'], 'panel.servers.v1.Nope'],
      [['call', 'nowhere', listServers], 'there is no service nowhere: '],
      [['call', '127.0.0.1:1', listServers], 'UNAVAILABLE'],
      [['list', '--nope'], "Unknown option '--nope'"],
    ];
    for (const [args, expected] of wrong) {
      const { code, stderr } = await tool(...args);
      expect(code, args.join(' ')).to.equal(1);
      expect(stderr, args.join(' '))
        .to.include(expected)
        .and.to.match(/^grpc: /);
      expect(stderr, args.join(' ')).not.to.match(/\n {4}at |node:internal/);
    }
  });

  it('signs the actor that the documentation describes', async () => {
    const { stdout } = await tool('token');
    const [, payload = ''] = stdout.trim().split('.');
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8')) as Record<string, unknown>;
    expect(claims).to.deep.include({
      typ: 'actor',
      aud: 'panel-internal',
      actor: { kind: 'service', service: 'operator', ip: '127.0.0.1' },
    });
    expect(Number(claims['exp']) - Number(claims['iat'])).to.equal(60);
  });

  it('reads the health of every service', async () => {
    for (const service of ['identity', 'servers', 'files', 'billing', 'admin']) {
      const { stdout } = await tool('call', service, 'grpc.health.v1.Health/Check', '{}', '--anonymous');
      expect(JSON.parse(stdout)).to.deep.equal({ status: 'SERVING' });
    }
  });
});

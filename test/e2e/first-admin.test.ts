import { execFile, fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { testMongoUrl } from '@panel/testing';
import { client, server, testCa } from '@panel/testing/engine';
import { expect } from 'chai';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const main = path.join(root, 'services/identity/dist/main.js');
const secret = 'a secret of the tests 0123456789 abcdefghij';

describe('the first administrator', function () {
  this.timeout(120_000);
  const directory = mkdtempSync(path.join(tmpdir(), 'panel-first-admin-'));
  const file = (name: string, content: string) => {
    writeFileSync(path.join(directory, name), content);
    return path.join(directory, name);
  };
  const ca = file('ca.pem', testCa);
  const filesOf = (name: string, { cert, key }: { cert: string; key: string }) => ({
    GRPC_TLS_CA: ca,
    GRPC_TLS_CERT: file(`${name}.pem`, cert),
    GRPC_TLS_KEY: file(`${name}.key`, key),
  });
  let identity: ChildProcess;
  let address: string;
  before(async () => {
    identity = fork(main, {
      env: {
        PATH: process.env.PATH,
        SERVICE_SECRET: secret,
        JWT_SECRET: `${secret} of tokens`,
        MONGO_URL: testMongoUrl('identity'),
        SERVERS_ADDRESS: '127.0.0.1:1',
        LISTEN: '127.0.0.1:0',
        LOG_LEVEL: 'silent',
        ...filesOf('server', server),
      },
    });
    const [ready] = (await once(identity, 'message')) as [{ listen: string }];
    address = ready.listen;
  });
  after(async () => {
    identity.kill('SIGKILL');
    await once(identity, 'exit');
    rmSync(directory, { recursive: true, force: true });
  });

  const tool = async (environment: Record<string, string>, ...args: string[]) => {
    const env = { PATH: process.env.PATH, SERVICE_SECRET: secret, IDENTITY_ADDRESS: address, ...environment };
    return run(process.execPath, ['scripts/grpc.mjs', ...args], { cwd: root, env }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ code, said: stderr }),
    );
  };
  const trusted = () => filesOf('client', client);
  const emails = async (): Promise<string[]> => {
    const { said } = await tool(trusted(), 'call', 'identity', 'panel.identity.v1.UserService/ListUsers');
    return (JSON.parse(said) as { users: { email: string }[] }).users.map(({ email }) => email);
  };

  it('makes no administrator without the certificates of the installation', async () => {
    const lacking: Record<string, string>[] = [{}, { GRPC_TLS_CA: ca }];
    for (const environment of lacking) {
      const { code, said } = await tool(environment, 'first-admin', 'a@example.com');
      expect(code).to.equal(1);
      expect(said).to.match(/^grpc: /);
    }
    expect(await emails()).to.deep.equal([]);
  });

  it('makes the administrator by one command behind mutual TLS, prints the password, and does it only once', async () => {
    const { code, said } = await tool(trusted(), 'first-admin', 'you@example.com');
    expect(said).to.match(/^you@example\.com is the administrator, with the password [\w-]{20}\n$/);
    expect(code).to.equal(0);
    const again = await tool({ ...trusted(), ADMIN_PASSWORD: 'another long password' }, 'first-admin', 'b@example.com');
    expect(again.code).to.equal(1);
    expect(again.said).to.include('there is an administrator already (you@example.com): nothing was changed');
    expect(await emails()).to.deep.equal(['you@example.com']);
  });
});

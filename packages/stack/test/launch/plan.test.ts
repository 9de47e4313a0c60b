import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { readStackConfig } from '../../src/config.js';
import { planProcesses } from '../../src/launch/plan.js';

const secrets = { jwtSecret: 'j', serviceSecret: 's', mongoPassword: 'm', redisPassword: 'r' };

async function plan(env: Record<string, string> = {}) {
  return planProcesses({
    config: readStackConfig(env),
    engine: { kind: 'process' },
    dataDir: { run: '/run', node: '/node' },
    secrets,
    mongoUrl: 'mongodb://127.0.0.1:27017/',
    redisUrl: null,
    gateways: 2,
    files: 2,
    overrides: {},
    programOf: (kind: string) => kind,
  } as unknown as Parameters<typeof planProcesses>[0]);
}

describe('plan of an installation', () => {
  it('takes another SFTP port where the usual one is taken, unless one is configured', async () => {
    const host = '127.0.33.7';
    const taken = createServer().listen(2022, host);
    await once(taken, 'listening');
    try {
      const { sftp } = await plan({ HOST: host });
      expect(sftp)
        .to.match(/^127\.0\.33\.7:\d+$/)
        .and.not.equal(`${host}:2022`);
      expect((await plan({ HOST: host, SFTP_LISTEN: `${host}:2022` })).sftp).to.equal(`${host}:2022`);
    } finally {
      taken.close();
      await once(taken, 'close');
    }
    expect((await plan({ HOST: host })).sftp).to.equal(`${host}:2022`);
  });

  it('lets every process that connects to nodes reach those of this machine', async () => {
    const { services, moreFiles, gateways } = await plan();
    const allowed = [...services, ...moreFiles, ...gateways]
      .filter(({ env }) => env['NODE_LOCAL_ADDRESSES'] === 'loopback')
      .map(({ name }) => name);
    expect(allowed).to.have.members(['files', 'servers', 'files-2', 'gateway', 'gateway-2']);
  });
});

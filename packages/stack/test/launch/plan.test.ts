import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect } from 'chai';
import { readStackConfig } from '../../src/config.js';
import { planProcesses } from '../../src/launch/plan.js';

const secrets = { jwtSecret: 'j', serviceSecret: 's', mongoPassword: 'm', redisPassword: 'r' };

async function plan(env: Record<string, string> = {}, more: object = {}) {
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
    ...more,
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

  it('names to every process the address at which a service is reached, and listens where it is', async () => {
    const asked = new Map<string, string>();
    const reachedAt = async (name: string, listen: string) => {
      asked.set(name, listen);
      return `${name}.test:1`;
    };
    const { services, gateways, addresses } = await plan({}, { reachedAt });
    for (const { name, listen, env } of services)
      expect([env['LISTEN'], asked.get(name)]).to.deep.equal([listen, listen]);
    expect(addresses.files).to.equal('files.test:1');
    for (const { env } of gateways) expect(env['IDENTITY_ADDRESS']).to.equal('identity.test:1');
    expect(services.find(({ name }) => name === 'billing')?.env['SERVERS_ADDRESS']).to.equal('servers.test:1');
  });
});

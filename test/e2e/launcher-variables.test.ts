import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

type Environment = Readonly<Record<string, string>>;

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The launcher's own settings: addresses, secrets, databases, and those of a single machine. */
const decided = [
  'HOST',
  'PORT',
  'LISTEN',
  'METRICS_LISTEN',
  'SFTP_LISTEN',
  'ADVERTISE_ADDRESS',
  'IDENTITY_ADDRESS',
  'SERVERS_ADDRESS',
  'BILLING_ADDRESS',
  'ADMIN_ADDRESS',
  'FILES_ADDRESS',
  'PANEL_URL',
  'SERVICE_SECRET',
  'JWT_SECRET',
  'MONGO_URL',
  'REDIS_URL',
  'DATA_ROOT',
  'RUN_DIR',
  'MAIL_SHOW',
  'NODE_LOCAL_ADDRESSES',
  'GAMES_ON_SHUTDOWN',
  'PROCESS_NODES',
  'GATEWAY_REPLICAS',
  'SERVERS_REPLICAS',
  'FAILPOINT',
];

async function load<T>(file: string): Promise<T> {
  return (await import(path.join(root, file))) as T;
}

describe('the variables of npm start', () => {
  for (const kind of ['gateway', 'identity', 'servers', 'files', 'billing', 'admin']) {
    it(`reach ${kind} where the launcher decides nothing itself`, async () => {
      const folder = kind === 'gateway' ? kind : `services/${kind}`;
      const { variables } = await load<{ variables: object }>(`${folder}/dist/src/config.js`);
      const { forwardedEnv } = await load<{ forwardedEnv: (kind: string, env: Environment) => Environment }>(
        'packages/stack/dist/src/config.js',
      );
      const given = Object.fromEntries(Object.keys(variables).map((name) => [name, 'given']));
      const missing = Object.keys(given).filter((name) => !(name in forwardedEnv(kind, given)));
      expect(missing.filter((name) => !decided.includes(name))).to.deep.equal([]);
    });
  }
});

import { expect } from 'chai';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment } from '@panel/kit/process';
import { findProgram, OperatorError } from '@panel/programs';
import { startStack, type Stack, type StackOptions } from '../src/stack.js';
import { testMongoUrl } from '@panel/testing';
import { waitUntil } from '@panel/kit/testing';

const service = fileURLToPath(new URL('./fakes/service.js', import.meta.url));
const hasRedis = findProgram('redis-server', process.env['PATH'] ?? '') !== undefined;

describe('startStack', function () {
  this.timeout(180_000);
  let root: string;
  let lines: string[];
  let running: Stack[];

  beforeEach(() => {
    root = mkdtempSync(path.join(tmpdir(), 'panel-stack-'));
    chmodSync(root, 0o755);
    lines = [];
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((stack) => stack.stop()));
    rmSync(root, { recursive: true, force: true });
  });

  it('starts everything, returns its addresses, and leaves nothing when it stops', async () => {
    const stack = await start();
    const pids = stack.pids();
    const services = ['admin', 'billing', 'files', 'gateway', 'identity', 'servers'];
    expect(Object.keys(pids).sort()).to.deep.equal([...services, ...(hasRedis ? ['redis'] : [])].sort());
    const file = path.join(root, 'data', 'stack.json');
    expect(statSync(file).mode & 0o777).to.equal(0o600);
    const written = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    expect(written).to.include({ base_url: stack.baseUrl, ws_url: stack.wsUrl, runtime: 'process' });
    expect(written['grpc']).to.deep.equal(stack.grpc);
    expect(written['sftp']).to.equal(stack.sftp);
    expect(written['pids']).to.deep.equal(pids);

    const before = Date.now();
    await stack.stop();
    expect(Date.now() - before).to.be.below(10_000);
    for (const [name, pid] of Object.entries(pids)) expect(isAlive(pid), name).to.equal(false);
    expect(readdirSync(path.join(root, 'data'))).to.not.include('stack.json');
  });

  it('passes each process its own database and only the addresses it needs', async () => {
    await start({ env: { CORS_ORIGINS: 'https://panel.example', RATE_LIMIT_AUTH: '7', SECRET_OF_THE_OPERATOR: 'x' } });
    const identity = environmentOf('identity');
    const files = environmentOf('files');
    const gateway = environmentOf('gateway');
    expect(identity['MONGO_URL']).to.match(/_identity\?/);
    expect(files['MONGO_URL']).to.match(/_files\?/);
    expect(identity['JWT_SECRET']).to.have.length.of.at.least(32);
    expect(gateway['JWT_SECRET']).to.equal(identity['JWT_SECRET']);
    expect(gateway).to.include({ CORS_ORIGINS: 'https://panel.example', RATE_LIMIT_AUTH: '7' });
    expect(gateway['MONGO_URL']).to.equal(undefined);
    expect(files['JWT_SECRET']).to.equal(undefined);
    expect(files['DATA_ROOT']).to.equal(path.join(root, 'data', 'node'));
    for (const env of [identity, files, gateway]) expect(env['SECRET_OF_THE_OPERATOR']).to.equal(undefined);
  });

  it('creates the administrator once and prints the password only then', async () => {
    const first = await start();
    expect(first).to.include({
      isFirstStart: true,
      isPasswordGenerated: true,
      adminEmail: 'admin@localhost.localdomain',
    });
    expect(first.adminPassword).to.have.length.of.at.least(16);
    expect(state().admin?.password).to.equal(first.adminPassword);
    await first.stop();
    const second = await start();
    expect(second).to.include({ isFirstStart: false, isPasswordGenerated: false });
    expect(second.adminPassword).to.equal(undefined);
    expect(secretsOf('identity')).to.equal(secretsOf('gateway'));
  });

  it('prints the password again when the first start died before printing it', async () => {
    await (await start()).stop();
    const pending = { email: 'admin@localhost.localdomain', password: 'the-one-of-the-killed-start' };
    writeFileSync(path.join(root, 'data', 'first-admin.json'), JSON.stringify(pending));
    expect((await start()).adminPassword).to.equal(pending.password);
  });

  it('seeds the demo once and completes an interrupted seed', async () => {
    const failing = { servers: { FAKE_FAIL_EGG: 'Terraria' } };
    expect(await failureOf(start({ env: { SEED: 'demo' }, overrides: failing }))).to.include('not now');
    expect(state().eggs).to.have.length(3);

    await (await start({ env: { SEED: 'demo' } })).stop();
    const seeded = state();
    expect(seeded.nodes).to.have.length(1);
    expect(seeded.nodes[0]).to.include({ name: 'local', dataRoot: path.join(root, 'data', 'node') });
    expect(seeded.ports).to.deep.equal(['25565-25590']);
    expect(seeded.eggs).to.have.length(6);
    expect(new Set(seeded.eggs.map(({ name }) => name)).size).to.equal(6);
    expect(seeded.products).to.deep.equal(['lantern-caverns']);
    expect(Object.values(seeded.credits ?? {})).to.deep.equal([2000]);

    const stack = await start({ env: { SEED: 'demo' } });
    const again = state();
    expect(again.eggs).to.deep.equal(seeded.eggs);
    expect(again.nodes).to.have.length(1);
    expect(again.nodes[0]).to.include({ filesAddress: stack.grpc.files });
  });

  it('does not restore what the operator removed', async () => {
    await (await start({ env: { SEED: 'demo' } })).stop();
    const kept = state();
    kept.eggs = [];
    writeFileSync(path.join(root, 'state.json'), JSON.stringify(kept));
    await start({ env: { SEED: 'demo' } });
    expect(state().eggs).to.deep.equal([]);
  });

  it('restarts a killed service at its address', async () => {
    const stack = await start();
    const pid = stack.pids()['servers'];
    await stack.kill('servers', 'SIGKILL');
    await stack.whenReady('servers');
    expect(stack.pids()['servers']).to.not.equal(pid);
    expect(environmentOf('servers')['LISTEN']).to.equal(stack.grpc.servers);
    expect(lines.some((line) => line.includes('servers ended by SIGKILL'))).to.equal(true);
  });

  (hasRedis ? it : it.skip)('starts several gateways on one Redis', async () => {
    const stack = await start({ gateways: 2 });
    expect(stack.gateways).to.have.length(2);
    expect(new Set(stack.gateways.map(({ baseUrl }) => baseUrl)).size).to.equal(2);
    expect(environmentOf('gateway')['REDIS_URL']).to.equal(stack.redisUrl);
    expect(environmentOf('gateway-2')['REDIS_URL']).to.equal(stack.redisUrl);
  });

  it('stops processes of a killed launcher', async () => {
    const left = await start();
    const pids = Object.values(left.pids());
    // For a second launcher after the first one's lock is gone.
    const noted = readFileSync(path.join(root, 'data', 'run', 'processes.json'), 'utf8');
    await left.stop();
    const other = await start({}, 'other');
    const survivor = other.pids()['files'] ?? 0;
    writeFileSync(
      path.join(root, 'data', 'run', 'processes.json'),
      noted.replaceAll(/"pid": \d+/g, `"pid": ${survivor}`),
    );
    await start();
    expect(isAlive(survivor), 'a process whose start time is not the noted one').to.equal(true);
    for (const pid of pids) expect(isAlive(pid)).to.equal(false);
  });

  describe('refusal with one line that says what to do', () => {
    it('reports a directory that is in use', async () => {
      await start();
      expect(await failureOf(start()))
        .to.include('in use by another npm start')
        .and.include('DATA_DIR');
    });

    it('reports a directory that cannot be written', async () => {
      writeFileSync(path.join(root, 'file'), '');
      const failure = await failureOf(start({ env: { DATA_DIR: path.join(root, 'file', 'data') } }));
      expect(failure).to.include('cannot write to DATA_DIR').and.include('ENOTDIR');
    });

    it('reports a port that is in use', async () => {
      const server = createServer().listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as { port: number };
      expect(await failureOf(start({ env: { PORT: `${port}` } })))
        .to.include(`port ${port}`)
        .and.include('set PORT');
      server.close();
    });

    it('reports an address that is not of this machine', async () => {
      expect(await failureOf(start({ env: { HOST: '203.0.113.7', PORT: '8080' } }))).to.include('HOST 203.0.113.7');
    });

    for (const [name, value] of [
      ['JWT_SECRET', 'too short'],
      ['PORT', '99999'],
      ['PORT', 'http'],
      ['RUNTIME', 'podman'],
      ['SEED', 'all'],
      ['ADMIN_EMAIL', 'nobody'],
      ['ADMIN_PASSWORD', '123'],
      ['MONGO_URL', 'localhost:27017'],
      ['REDIS_URL', 'localhost'],
      ['JWT_ACCESS_EXPIRY', 'soon'],
      ['KEY_PREFIX', 'a_b'],
    ] as const) {
      it(`reports ${name}=${value}`, async () => {
        expect(await failureOf(start({ env: { [name]: value } }))).to.match(new RegExp(`^${name} is not valid: .+`));
      });
    }

    it('reports programs that are not built before it starts anything', async () => {
      expect(await failureOf(start({ programOf: (kind) => (kind === 'files' ? '/missing' : service) }))).to.equal(
        'not built: files; run npm run build',
      );
      expect(lines).to.deep.equal([]);
    });

    it('reports a process that does not start with its output and stops the others', async () => {
      const failure = await failureOf(start({ overrides: { billing: { SERVICE_SECRET: '', LISTEN: 'nonsense:x' } } }));
      expect(failure).to.match(/^billing did not start: ended with code 1: fake: .*LISTEN/s);
      expect(lines.some((line) => line.includes('admin is ready'))).to.equal(true);
      await waitUntil('the state file to be gone', () => !readdirSync(path.join(root, 'data')).includes('stack.json'));
      await start();
    });
  });

  it('stops started processes when it is aborted', async () => {
    const giveUp = new AbortController();
    const starting = start({ signal: giveUp.signal });
    await waitUntil('the first process to start', () => lines.some((line) => line.startsWith('starting ')));
    giveUp.abort();
    expect(await failureOf(starting)).to.include('stopped while starting');
    await start();
  });

  async function start(options: Partial<StackOptions> = {}, data = 'data'): Promise<Stack> {
    const env = {
      PATH: process.env['PATH'],
      DATA_DIR: path.join(root, data),
      PORT: '0',
      SEED: 'none',
      RUNTIME: 'process',
      MONGO_URL: testMongoUrl('stack'),
      ...options.env,
    };
    const names = ['admin', 'files', 'identity', 'servers', 'billing', 'gateway'];
    const overrides = Object.fromEntries(
      names.map((name) => [name, { FAKE_STATE: root, ...options.overrides?.[name] }]),
    );
    const log = (line: string): void => void lines.push(line);
    const stack = await startStack({ programOf: () => service, ...options, env, overrides, log });
    running.push(stack);
    return stack;
  }

  function environmentOf(name: string): Environment {
    const stack = running.at(-1);
    const environ = readFileSync(`/proc/${stack?.pids()[name]}/environ`, 'utf8').split('\0').filter(Boolean);
    return Object.fromEntries(
      environ.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
  }

  function secretsOf(name: string): string | undefined {
    return environmentOf(name)['JWT_SECRET'];
  }

  function state(): State {
    return JSON.parse(readFileSync(path.join(root, 'state.json'), 'utf8')) as State;
  }
});

interface State {
  admin?: { password: string };
  nodes: Record<string, unknown>[];
  ports: string[];
  eggs: { name: string }[];
  products?: string[];
  credits?: Record<string, number>;
}

async function failureOf(starting: Promise<Stack>): Promise<string> {
  try {
    await starting;
  } catch (error) {
    if (error instanceof OperatorError || error instanceof ConfigError) return error.message;
    if (error instanceof Error) return error.message;
    throw error;
  }
  throw new Error('it started');
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

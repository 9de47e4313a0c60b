import { expect } from 'chai';
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigError, type Environment } from '@panel/kit/process';
import { findProgram, OperatorError } from '@panel/programs';
import { recordProcesses } from '../src/launch/stale-processes.js';
import { startStack, type Stack, type StackOptions } from '../src/stack.js';
import { testMongoUrl } from '@panel/testing';
import { waitUntil } from '@panel/kit/testing';

const service = fileURLToPath(new URL('./fakes/service.js', import.meta.url));
const hasRedis = findProgram('redis-server', process.env['PATH'] ?? '') !== undefined;

describe('startStack', function () {
  this.timeout(180_000);
  let root: string;
  let lines: string[];
  let running: Stack | undefined;

  before(() => {
    root = mkdtempSync(path.join(tmpdir(), 'panel-stack-'));
    chmodSync(root, 0o755);
  });
  beforeEach(() => {
    lines = [];
  });
  after(async () => {
    await running?.stop();
    rmSync(root, { recursive: true, force: true });
  });

  describe('refusal with one line that says what to do', () => {
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
      expect(readdirSync(path.join(root, 'data'))).to.not.include('stack.json');
    });
  });

  it('stops started processes when it is aborted', async () => {
    const giveUp = new AbortController();
    const starting = start({ signal: giveUp.signal });
    await waitUntil('the first process to start', () => lines.some((line) => line.startsWith('starting ')));
    giveUp.abort();
    expect(await failureOf(starting)).to.include('stopped while starting');
  });

  /* One directory: what could not start above leaves it ready for these starts, each on the data of the one before. */
  describe('a first start', () => {
    let stack: Stack;
    before(async () => {
      stack = await start({
        env: { CORS_ORIGINS: 'https://panel.example', RATE_LIMIT_AUTH: '7', SECRET_OF_THE_OPERATOR: 'x' },
      });
    });

    it('starts everything and returns its addresses', () => {
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
    });

    it('passes each process its own database and only the addresses it needs', () => {
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

    it('creates the administrator and prints the password', () => {
      expect(stack).to.include({
        isFirstStart: true,
        isPasswordGenerated: true,
        adminEmail: 'admin@localhost.localdomain',
      });
      expect(stack.adminPassword).to.have.length.of.at.least(16);
      expect(state().admin?.password).to.equal(stack.adminPassword);
    });

    it('refuses a directory that is in use', async () => {
      const second = startStack({ programOf: () => service, env: environment(), log: (line) => void lines.push(line) });
      expect(await failureOf(second))
        .to.include('in use by another npm start')
        .and.include('DATA_DIR');
      expect(lines).to.deep.equal([]);
    });

    it('restarts a killed service at its address', async () => {
      const pid = stack.pids()['servers'];
      await stack.kill('servers', 'SIGKILL');
      await stack.whenReady('servers');
      expect(stack.pids()['servers']).to.not.equal(pid);
      expect(environmentOf('servers')['LISTEN']).to.equal(stack.grpc.servers);
      expect(lines.some((line) => line.includes('servers ended by SIGKILL'))).to.equal(true);
    });

    it('leaves nothing when it stops', async () => {
      const pids = stack.pids();
      const before = Date.now();
      await stack.stop();
      expect(Date.now() - before).to.be.below(10_000);
      for (const [name, pid] of Object.entries(pids)) expect(isAlive(pid), name).to.equal(false);
      expect(readdirSync(path.join(root, 'data'))).to.not.include('stack.json');
    });
  });

  describe('a later start', () => {
    it('reports a seed that fails', async () => {
      const failing = { servers: { FAKE_FAIL_EGG: 'Terraria' } };
      expect(await failureOf(start({ env: { SEED: 'demo' }, overrides: failing }))).to.include('not now');
      expect(state().eggs).to.have.length(3);
    });

    it('completes an interrupted seed, with the same secrets and no password', async () => {
      const stack = await start({ env: { SEED: 'demo' } });
      expect(stack).to.include({ isFirstStart: false, isPasswordGenerated: false });
      expect(stack.adminPassword).to.equal(undefined);
      expect(secretOf('identity')).to.equal(secretOf('gateway'));
      const seeded = state();
      expect(seeded.nodes).to.have.length(1);
      expect(seeded.nodes[0]).to.include({ name: 'local', dataRoot: path.join(root, 'data', 'node') });
      expect(seeded.ports).to.deep.equal(['25565-25590']);
      expect(seeded.eggs).to.have.length(6);
      expect(new Set(seeded.eggs.map(({ name }) => name)).size).to.equal(6);
      expect(seeded.products).to.deep.equal(['lantern-caverns']);
      expect(Object.values(seeded.credits ?? {})).to.deep.equal([2000]);
    });

    describe('after a killed one', () => {
      const pending = { email: 'admin@localhost.localdomain', password: 'the-one-of-the-killed-start' };
      let left: ChildProcess;
      let other: ChildProcess;
      let retained: State;
      let stack: Stack;
      before(async () => {
        await running?.stop();
        [left, other] = [startSleeper(), startSleeper()];
        const noted = path.join(root, 'data', 'run', 'processes.json');
        recordProcesses(noted, [left.pid ?? 0]);
        const [record] = JSON.parse(readFileSync(noted, 'utf8')) as object[];
        writeFileSync(noted, JSON.stringify([record, { ...record, pid: other.pid, started: '1' }]));
        writeFileSync(path.join(root, 'data', 'first-admin.json'), JSON.stringify(pending));
        retained = state();
        retained.eggs.pop();
        writeFileSync(path.join(root, 'state.json'), JSON.stringify(retained));
        stack = await start({ env: { SEED: 'demo' }, gateways: hasRedis ? 2 : 1 });
      });
      after(() => {
        for (const child of [left, other]) child.kill('SIGKILL');
      });

      it('stops its processes, and none whose start time is not the noted one', () => {
        expect(isAlive(left.pid ?? 0)).to.equal(false);
        expect(isAlive(other.pid ?? 0)).to.equal(true);
      });

      it('prints the password again that it died before printing', () => {
        expect(stack.adminPassword).to.equal(pending.password);
      });

      it('restores nothing that the operator removed, and tells the node its new address', () => {
        const again = state();
        expect(again.eggs).to.have.length(5).and.deep.equal(retained.eggs);
        expect(again.nodes).to.have.length(1);
        expect(again.nodes[0]).to.include({ filesAddress: stack.grpc.files });
      });

      (hasRedis ? it : it.skip)('starts several gateways on one Redis', () => {
        expect(stack.gateways).to.have.length(2);
        expect(new Set(stack.gateways.map(({ baseUrl }) => baseUrl)).size).to.equal(2);
        expect(environmentOf('gateway')['REDIS_URL']).to.equal(stack.redisUrl);
        expect(environmentOf('gateway-2')['REDIS_URL']).to.equal(stack.redisUrl);
      });
    });
  });

  function environment(more: Environment = {}): Environment {
    return {
      PATH: process.env['PATH'],
      DATA_DIR: path.join(root, 'data'),
      PORT: '0',
      SEED: 'none',
      RUNTIME: 'process',
      MONGO_URL: testMongoUrl('stack'),
      ...more,
    };
  }

  async function start(options: Partial<StackOptions> = {}): Promise<Stack> {
    await running?.stop();
    const names = ['admin', 'files', 'identity', 'servers', 'billing', 'gateway'];
    const overrides = Object.fromEntries(
      names.map((name) => [name, { FAKE_STATE: root, ...options.overrides?.[name] }]),
    );
    const log = (line: string): void => void lines.push(line);
    const env = environment(options.env);
    running = await startStack({ programOf: () => service, ...options, env, overrides, log });
    return running;
  }

  function environmentOf(name: string): Environment {
    const environ = readFileSync(`/proc/${running?.pids()[name]}/environ`, 'utf8').split('\0').filter(Boolean);
    return Object.fromEntries(
      environ.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]),
    );
  }

  function secretOf(name: string): string | undefined {
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

/** A group leader, as a started process is. */
function startSleeper(): ChildProcess {
  return spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

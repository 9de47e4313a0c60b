import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError, createLogger } from '@panel/kit/process';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { lockDataRoot } from '../../src/volumes/data-root-lock.js';
import { startTestFiles } from '../harness.js';

const log = createLogger({ service: 'test', level: 'silent' });
const soon = 300;
const here = new URL('../../src/volumes/data-root-lock.js', import.meta.url).href;

describe('the lock of a data root', () => {
  let dataRoot: string;
  beforeEach(async () => (dataRoot = await mkdtemp(path.join(tmpdir(), 'panel-lock-'))));
  afterEach(async () => rm(dataRoot, { recursive: true, force: true }));

  const failure = async () =>
    lockDataRoot(dataRoot, log, soon).then(
      async (lock) => lock.close(),
      (error: unknown) => error,
    );

  it('refuses a second process with a message that names the data root', async () => {
    const lock = await lockDataRoot(dataRoot, log);
    const error = await failure();
    await lock.close();
    expect(error).to.be.instanceOf(ConfigError);
    expect(error).to.have.property(
      'message',
      `DATA_ROOT ${dataRoot} is in use by another files process: each needs one of its own`,
    );
    expect(await failure()).to.equal(undefined);
  });

  it('lets one of 20 processes in at a time, which wait for each other', async () => {
    let inside = 0;
    let most = 0;
    let haveWaited = false;
    const noting = Object.assign(createLogger({ service: 'test', level: 'silent' }), {
      warn: () => (haveWaited = true),
    });
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const lock = await lockDataRoot(dataRoot, noting, 30_000);
        inside += 1;
        most = Math.max(most, inside);
        await waitUntil('another one to wait', () => haveWaited || inside > 1);
        inside -= 1;
        await lock.close();
      }),
    );
    expect(most).to.equal(1);
  });

  it('frees it when the process that has it is killed', async () => {
    const script = `
      import { lockDataRoot } from ${JSON.stringify(here)};
      globalThis.lock = await lockDataRoot(${JSON.stringify(dataRoot)}, { warn: () => undefined });
      console.log('locked');
      setInterval(() => undefined, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    expect(await failure()).to.be.instanceOf(ConfigError);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await failure()).to.equal(undefined);
  });

  it('holds it while the service runs, which waits for the one before', async () => {
    const before = await lockDataRoot(dataRoot, log);
    let isUp = false;
    let logged = '';
    const stream = { write: (line: string) => void (logged += line) };
    const starting = startTestFiles({
      env: { DATA_ROOT: dataRoot },
      log: createLogger({ service: 'test', level: 'warn', stream }),
    }).then((running) => {
      isUp = true;
      return running;
    });
    await waitUntil('it to wait', () => logged.includes('waiting for another files process'));
    // another one starts and stops in the time
    await (await startTestFiles()).stop();
    expect(isUp).to.equal(false);
    await before.close();
    const running = await starting;
    expect(await failure()).to.be.instanceOf(ConfigError);
    await running.stop();
    expect(await failure()).to.equal(undefined);
  });

  it('frees it when the service does not start', async () => {
    await writeFile(path.join(dataRoot, 'servers'), 'a file in the place of the volumes');
    const error = await startTestFiles({ env: { DATA_ROOT: dataRoot } }).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(ConfigError);
    expect(await failure()).to.equal(undefined);
  });

  it('refuses a data root that is no directory', async () => {
    await rm(dataRoot, { recursive: true });
    await writeFile(dataRoot, '');
    expect(await failure()).to.be.instanceOf(ConfigError);
  });
});

import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { waitUntil } from '@panel/kit/testing';
import { expect } from 'chai';
import { outputOf, startProgram } from '../../../src/backups/storage/backup-program.js';
import { createGate } from '../../../src/backups/restic/gate.js';
import { reasonOf } from '../../harness.js';

const never = new AbortController().signal;

describe('the gate of a program', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'panel-gate-'));
  });
  afterEach(async () => rm(directory, { recursive: true, force: true }));

  const read = async (file: string, signal = never): Promise<string> => {
    const program = startProgram(['cat', file], { signal });
    program.stdin.end();
    let text = '';
    for await (const chunk of outputOf(program)) text += String(chunk);
    return text;
  };

  /** Sleeping with the pipe open: the kernel holds up their read. */
  const untilHeldUp = async (file: string, count: number) =>
    waitUntil(`${count} readers at the gate`, async () => {
      const waiting = (await readdir('/proc'))
        .filter((pid) => /^\d+$/.test(pid) && Number(pid) !== process.pid)
        .map(async (pid) => (await readsFrom(pid, file)) && /\) S/.test(await readFile(`/proc/${pid}/stat`, 'utf8')));
      return (await Promise.all(waiting.map(async (one) => one.catch(() => false)))).filter(Boolean).length === count;
    });
  const readsFrom = async (pid: string, file: string) => {
    const open = (await readdir(`/proc/${pid}/fd`)).map(async (fd) => readlink(`/proc/${pid}/fd/${fd}`));
    return (await Promise.all(open)).includes(file);
  };

  it('holds up those who read it before it is opened, and none who come later', async () => {
    const gate = await createGate(directory, never);
    let passed = 0;
    const readers = [1, 2].map(async () => {
      expect(await read(gate.path)).to.equal('');
      passed += 1;
    });
    await untilHeldUp(gate.path, 2);
    expect(passed).to.equal(0);
    await gate.open();
    await Promise.all(readers);
    expect(await read(gate.path)).to.equal('');
    await gate.close();
  });

  it('lets a reader be ended that waits at a gate nobody opens', async () => {
    const gate = await createGate(directory, never);
    const ending = new AbortController();
    const reader = read(gate.path, ending.signal);
    await untilHeldUp(gate.path, 1);
    ending.abort(new Error('ended'));
    expect(await reader.catch((error: unknown) => error)).to.have.property('message', 'ended');
    await gate.close();
  });

  it('replaces nothing of its name', async () => {
    const gate = await createGate(directory, never);
    expect(await reasonOf(createGate(directory, never))).to.equal('BACKUP_TOOL_FAILED');
    await gate.close();
  });
});

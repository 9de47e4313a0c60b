import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
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

  it('holds up those who read it before it is opened, and none who come later', async () => {
    const gate = await createGate(directory, never);
    let passed = 0;
    const readers = [1, 2].map(async () => {
      expect(await read(gate.path)).to.equal('');
      passed += 1;
    });
    await wait(300);
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
    await wait(100);
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

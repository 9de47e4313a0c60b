import { expect } from 'chai';
import { reasonOf } from '@panel/kit/testing';
import { type Program, readProgram } from '../../../src/database-engines/dumps/run-program.js';

describe('programs of database dumps', () => {
  const program = (command: string, ...args: string[]): Program => ({ command, args, env: {} });
  const read = async (given: Program) => {
    const chunks: Buffer[] = [];
    for await (const chunk of readProgram(given, new AbortController().signal)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it('limits memory, processor time and core files, without a word in the output', async () => {
    expect(await read(program('sh', '-c', 'ulimit -v; ulimit -t; ulimit -c 2>&1'))).to.equal('2097152\n3600\n0\n');
  });

  it('ends a program above its memory', async () => {
    expect(await read(program('perl', '-e', '$x = "a" x 1_000_000; print length $x'))).to.equal('1000000');
    expect(await reasonOf(read(program('perl', '-e', '$x = "a" x 3_000_000_000; print length $x')))).to.equal(
      'DATABASE_DUMP_FAILED',
    );
  });
});

import { statSync } from 'node:fs';
import { realTime } from '@panel/kit/testing';
import { expect } from 'chai';

/** Of a process that writes every 50 ms: it has ended. */
export async function expectNoBeat(file: string): Promise<void> {
  const { size } = statSync(file);
  await realTime(300, 'a game that is not killed beats on');
  expect(statSync(file).size).to.equal(size);
}

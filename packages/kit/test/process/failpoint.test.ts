import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { createFailpoint } from '../../src/process/failpoint.js';

describe('createFailpoint', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'failpoint-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('ignores every point without a specification', () => {
    const failpoint = createFailpoint(undefined);
    expect(() => failpoint('start.claimed')).not.to.throw();
  });

  it('throws at its point only', () => {
    const failpoint = createFailpoint('start.claimed:fail');
    expect(() => failpoint('start.created')).not.to.throw();
    expect(() => failpoint('start.claimed')).to.throw('failpoint at start.claimed');
  });

  it('throws at each of several points', () => {
    const failpoint = createFailpoint(`start.claimed:fail:${path.join(directory, 'once')},start.created:fail`);
    for (const point of ['start.claimed', 'start.created'])
      expect(() => failpoint(point)).to.throw(`failpoint at ${point}`);
    expect(() => failpoint('start.claimed')).not.to.throw();
  });

  it('throws once when it has a file', () => {
    const once = path.join(directory, 'once');
    const failpoint = createFailpoint(`start.claimed:fail:${once}`);
    expect(() => failpoint('start.claimed')).to.throw('failpoint at start.claimed');
    expect(existsSync(once)).to.equal(true);
    expect(() => failpoint('start.claimed')).not.to.throw();
  });
});

import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { nodeRoot } from '../../src/launch/node-root.js';

describe('data root of the local node', () => {
  let base: string;

  beforeEach(() => {
    base = mkdtempSync(path.join(tmpdir(), 'panel-node-root-'));
    chmodSync(base, 0o755);
  });

  afterEach(() => rmSync(base, { recursive: true, force: true }));

  it('puts the data root into DATA_DIR, which others can pass but not list', () => {
    const dataDir = path.join(base, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    expect(nodeRoot(dataDir, { isRoot: true })).to.equal(path.join(dataDir, 'node'));
    expect(statSync(dataDir).mode & 0o777).to.equal(0o711);
  });

  it('puts the data root elsewhere when only root may enter DATA_DIR', () => {
    const dataDir = path.join(base, 'private', 'data');
    mkdirSync(dataDir, { recursive: true });
    chmodSync(path.join(base, 'private'), 0o700);
    const fallback = path.join(base, 'fallback');
    const found = nodeRoot(dataDir, { isRoot: true, fallback });
    expect(path.dirname(found)).to.equal(fallback);
    expect(nodeRoot(dataDir, { isRoot: true, fallback })).to.equal(found);
    expect(statSync(path.join(base, 'private')).mode & 0o777, 'what is not ours stays as it is').to.equal(0o700);
  });

  it('puts the data root into DATA_DIR for users other than root', () => {
    const dataDir = path.join(base, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    expect(nodeRoot(dataDir, { isRoot: false })).to.equal(path.join(dataDir, 'node'));
    expect(statSync(dataDir).mode & 0o777).to.equal(0o700);
  });
});

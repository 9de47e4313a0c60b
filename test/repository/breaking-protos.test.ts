import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { root } from './root.js';

/** A field that is moved to another number, which every older reader takes for another field. */
const file = 'protos/panel/common/v1/page.proto';

describe('the breaking check of the protos', () => {
  let clone: string;
  const git = (...args: string[]) => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.org'];
    const { status, stderr } = spawnSync('git', [...identity, ...args], { cwd: clone, encoding: 'utf8' });
    expect(status, stderr).to.equal(0);
  };
  const check = () => {
    const programs = path.join(root, 'node_modules', '.bin');
    const env = { ...process.env, PATH: `${programs}${path.delimiter}${process.env['PATH'] ?? ''}` };
    const script = path.join(clone, 'protos', 'scripts', 'breaking.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { cwd: clone, encoding: 'utf8', env });
    return { status, output: stdout + stderr };
  };

  before(() => {
    clone = mkdtempSync(path.join(tmpdir(), 'panel-protos-'));
    for (const name of ['buf.yaml', 'panel', 'scripts'])
      cpSync(path.join(root, 'protos', name), path.join(clone, 'protos', name), { recursive: true });
    git('init', '--quiet');
    git('add', '.');
    git('commit', '--quiet', '--message', 'protos');
  });
  after(() => rmSync(clone, { recursive: true, force: true }));

  it('says in one line that there is no release, and passes', () => {
    const { status, output } = check();
    expect([status, output.trim().split('\n').length]).to.deep.equal([0, 1]);
    expect(output).to.include('no release tag');
  });

  it('accepts a new field, and refuses a change of the number of a field, against the last release', () => {
    git('tag', 'v0.1.0');
    const proto = path.join(clone, file);
    const released = readFileSync(proto, 'utf8');
    writeFileSync(proto, released.replace(/^(message \w+ \{)$/m, '$1\n  string planted = 99;'));
    expect(check()).to.have.property('status', 0);
    writeFileSync(proto, released.replace(/ = 1;/, ' = 98;'));
    git('commit', '--quiet', '--all', '--message', 'break');
    const { status, output } = check();
    expect(status, output).to.be.greaterThan(0);
    expect(output).to.include('not compatible with release v0.1.0');
  });
});

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { readJson, writePrivateJson } from '../../src/launch/private-file.js';
import { loadSecrets } from '../../src/launch/secrets.js';
import { OperatorError, silent } from '@panel/programs';
import { readMarker } from '../../src/seed/marker.js';

const damages = [
  ['empty', ''],
  ['cut short', '{"node_id": "12'],
  ['of another shape', '[1]'],
] as const;

describe('private files', () => {
  let directory: string;
  const file = () => path.join(directory, 'file.json');
  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'panel-files-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('writes private files whole, for their owner only, without a draft left behind', () => {
    writePrivateJson(file(), { a: 1 });
    writePrivateJson(file(), { a: 2 });
    expect(readJson(file())).to.deep.equal({ a: 2 });
    expect(statSync(file()).mode & 0o777).to.equal(0o600);
    expect(readdirSync(directory)).to.deep.equal(['file.json']);
    expect(readJson(path.join(directory, 'other.json'))).to.equal(undefined);
  });

  for (const [name, content] of damages) {
    it(`keeps a secrets file that is ${name} as it is, and says what is lost and what to do`, () => {
      writeFileSync(file(), content);
      let error: unknown;
      try {
        loadSecrets(file());
      } catch (thrown) {
        error = thrown;
      }
      expect(error).to.be.instanceOf(OperatorError);
      expect(String(error))
        .to.match(/put it back from a backup/)
        .and.match(/sessions end/)
        .and.match(/engine keys/);
      expect(readFileSync(file(), 'utf8')).to.equal(content);
    });

    it(`writes the file of the seeded node again when it is ${name}`, async () => {
      writeFileSync(file(), content);
      const listNodes = async () => ({
        nodes: [
          { id: 'other', name: 'local 2' },
          { id: 'node-1', name: 'local' },
        ],
      });
      const clients = { nodes: { listNodes } } as never;
      expect(await readMarker(clients, file(), silent)).to.equal('node-1');
      expect(readJson(file())).to.deep.equal({ node_id: 'node-1' });
    });
  }

  it('seeds nothing again for a seeded node that was deleted', async () => {
    writeFileSync(file(), '');
    const clients = { nodes: { listNodes: async () => ({ nodes: [] }) } } as never;
    expect(await readMarker(clients, file(), silent)).to.equal(null);
    rmSync(file());
    expect(await readMarker(clients, file(), silent)).to.equal(undefined);
    expect(existsSync(file())).to.equal(false);
  });
});

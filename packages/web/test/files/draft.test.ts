import { expect } from 'chai';
import { Draft } from '../../src/files/draft.js';

class Memory {
  readonly items = new Map<string, string>();
  getItem = (key: string): string | null => this.items.get(key) ?? null;
  setItem = (key: string, value: string): void => void this.items.set(key, value);
  removeItem = (key: string): void => void this.items.delete(key);
}

const typed = { text: 'motd: typed', sha256: 'of the file it was made from' };

describe('a draft of a file', () => {
  it('keeps at once what was typed a moment ago', () => {
    const memory = new Memory();
    const draft = new Draft('server', '/a.yml', memory);
    draft.keep(() => typed);
    expect(draft.read()).to.equal(null);
    draft.flush();
    expect(new Draft('server', '/a.yml', memory).read()).to.deep.equal(typed);
    expect(new Draft('server', '/b.yml', memory).read()).to.equal(null);
    expect(new Draft('other', '/a.yml', memory).read()).to.equal(null);
  });

  it('ignores what another version of the page has kept', () => {
    for (const retained of ['motd: typed', '"motd: typed"', '{"text":1}', 'null']) {
      const memory = new Memory();
      memory.setItem('panel-draft-server-/a.yml', retained);
      expect(new Draft('server', '/a.yml', memory).read(), retained).to.equal(null);
    }
  });

  it('does not come back after it was discarded', () => {
    const memory = new Memory();
    const draft = new Draft('server', '/a.yml', memory);
    draft.keep(() => typed);
    draft.discard();
    draft.flush();
    expect([...memory.items]).to.deep.equal([]);
  });

  it('stays in the editor when the browser has no room for it', () => {
    const memory = new Memory();
    memory.setItem = () => {
      throw new DOMException('full', 'QuotaExceededError');
    };
    const draft = new Draft('server', '/a.yml', memory);
    draft.keep(() => typed);
    expect(() => draft.flush()).not.to.throw();
    expect(draft.read()).to.equal(null);
  });
});

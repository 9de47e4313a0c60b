import { expect } from 'chai';
import { maxFilePathBytes, splitFilePath, withoutControlCharacters, withoutRefusedCharacters } from '@panel/kit/text';
import { pathRuleProblem } from '@panel/rpc';

const refused = ['\0', '\n', '\u001b', '\u007f', '\u009b', '\\', '\u2028', '\u202e', '\u2066', '\u2069'];

describe('file paths of servers', () => {
  it('splits paths below the root, with or without a slash in front', () => {
    expect(splitFilePath('/')).to.deep.equal({ names: [] });
    expect(splitFilePath('//a/./b/')).to.deep.equal({ names: ['a', 'b'] });
    expect(splitFilePath('a/..b/ c ')).to.deep.equal({ names: ['a', '..b', ' c '] });
  });

  it('refuses the same characters in paths as in rules for paths', () => {
    for (const character of refused) {
      const problem = 'must not contain control characters or backslashes';
      expect(splitFilePath(`/a${character}b`), JSON.stringify(character)).to.deep.equal({ problem });
      expect(pathRuleProblem(`/a${character}b`), JSON.stringify(character)).to.equal(problem);
    }
  });

  it('refuses paths that are too long or leave the root', () => {
    for (const path of ['', '..', '/a/../b', '/d'.repeat(65), `/${'ü'.repeat(128)}`, '/a/'.repeat(maxFilePathBytes)]) {
      expect(splitFilePath(path), path.slice(0, 20)).to.have.property('problem');
    }
  });

  it('replaces the refused characters', () => {
    expect(withoutRefusedCharacters(`a${refused.join('')}b`, '?')).to.equal(`a${'?'.repeat(refused.length)}b`);
    expect(withoutControlCharacters('a\\\u202eb', '?')).to.equal('a\\?b');
  });
});

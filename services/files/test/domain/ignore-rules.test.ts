import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { createIgnoreRules } from '../../src/domain/ignore-rules.js';

/** From git 2.39, `git check-ignore --no-index`: pattern, ignored paths, other paths; directories end with a slash. */
const cases: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['*.log', ['a.log', 'w/.log'], ['a.log.gz']],
  ['a ', ['a', 'w/a'], ['a ']],
  ['a\\ ', ['a '], ['a']],
  ['logs/ ', ['logs/', 'w/logs/z'], ['logs']],
  ['a\t', ['a\t'], ['a']],
  ['# a', [], ['# a', 'a']],
  ['\\#h', ['#h'], ['h']],
  ['\\!n', ['!n'], ['n']],
  ['logs/', ['logs/', 'w/logs/', 'logs/x'], ['logs']],
  ['/logs', ['logs', 'logs/'], ['w/logs']],
  ['w/logs', ['w/logs'], ['x/w/logs']],
  ['**/logs/x', ['logs/x', 'a/b/logs/x'], ['logs/y']],
  ['logs/**', ['logs/x', 'logs/a/b'], ['logs/', 'logs']],
  ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/xb', 'ab']],
  ['a/***/b', ['a/b', 'a/x/b'], ['ab']],
  ['w/b/**/', ['w/b/c/'], ['w/b/e', 'w/b/']],
  ['foo**bar', ['fooxbar', 'w/foobar'], ['foo/bar']],
  ['w/*', ['w/a', 'w/a/b'], ['w/', 'v/w/a']],
  ['[!a]', ['b', '0'], ['a', 'bc']],
  ['[^a]', ['b'], ['a']],
  ['[]-]', [']', '-'], ['a']],
  ['[a-c]', ['b'], ['d', '-']],
  ['[a-]', ['a', '-'], ['b']],
  ['[[:digit:]]x', ['0x'], ['ax']],
  ['[[:none:]]', [], ['n', ':']],
  ['[\\]]', [']'], ['\\']],
  ['[a', [], ['[a', 'a']],
  ['a\\', [], ['a\\', 'a']],
  ['a\\b', ['ab'], ['a\\b']],
  ['\\*', ['*'], ['a']],
  ['a?b', ['axb'], ['ab', 'a/b', 'a\u00c3\u00bcb']],
  ['/', [], ['a', 'a/']],
  ['\u00fc*', ['\u00c3\u00bc.log'], ['u']],
];

const isIgnored = (patterns: readonly string[], path: string) =>
  createIgnoreRules(patterns).ignores(path.replace(/\/$/, ''), path.endsWith('/'));

describe('ignore patterns', () => {
  for (const [pattern, ignored, others] of cases) {
    it(`compares ${JSON.stringify(pattern)} as git does`, () => {
      expect(ignored.filter((path) => !isIgnored([pattern], path))).to.deep.equal([]);
      expect(others.filter((path) => isIgnored([pattern], path))).to.deep.equal([]);
    });
  }

  it('lets later patterns win, and nothing back from an ignored directory', () => {
    const patterns = ['*.log', '!keep.log', 'cache/', '!cache/a', '/w/*', '!/w/x'];
    const ignored = ['a.log', 'keep.log', 'cache/a', 'w/a', 'w/x', 'w/x/y'].filter((path) => isIgnored(patterns, path));
    expect(ignored).to.deep.equal(['a.log', 'cache/a', 'w/a']);
  });

  it('takes no longer for patterns made to be slow', () => {
    const start = processorMs();
    const name = 'a'.repeat(255);
    expect(isIgnored(['a*'.repeat(40) + 'b'], name)).to.equal(false);
    expect(isIgnored(['**/a/'.repeat(20) + 'b'], Array(1_000).fill('a').join('/'))).to.equal(false);
    expect(processorMs() - start).to.be.below(5_000);
  });
});

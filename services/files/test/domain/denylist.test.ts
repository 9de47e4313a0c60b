import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { createDenylist } from '../../src/domain/denylist.js';

describe('denylist', () => {
  const denies = (patterns: readonly string[], path: string, isDirectory = false) => {
    try {
      createDenylist(patterns).check(path, isDirectory);
      return false;
    } catch (error) {
      if (isAppError(error, 'FILE_DENIED')) return true;
      throw error;
    }
  };

  for (const [pattern, path, isDirectory, isDenied] of [
    ['*.jar', 'server.jar', false, true],
    ['*.jar', 'plugins/a.jar', false, true],
    ['*.jar', 'SERVER.JAR', false, false],
    ['/server.jar', 'old/server.jar', false, false],
    ['config/', 'config', true, true],
    ['config/', 'config', false, false],
    ['config/', 'config/a/b', false, true],
    ['secrets/**', 'secrets/deep/er', false, true],
    ['# note', '# note', false, false],
    ['*', '', true, false],
    ['..', '...', false, false],
  ] as const) {
    it(`${isDenied ? 'denies' : 'allows'} ${path || 'the root'}${isDirectory ? '/' : ''} by the denylist ${pattern}`, () => {
      expect(denies([pattern], path, isDirectory)).to.equal(isDenied);
    });
  }

  it('allows a path that a later pattern negates', () => {
    expect(denies(['*.cfg', '!open.cfg'], 'open.cfg')).to.equal(false);
    expect(denies(['*.cfg', '!open.cfg'], 'other.cfg')).to.equal(true);
  });

  it('allows everything when it is empty', () => {
    expect(denies([], 'anything')).to.equal(false);
  });
});

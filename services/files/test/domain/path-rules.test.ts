import type { PathRule } from '@panel/rpc';
import { processorMs } from '@panel/kit/testing';
import { expect } from 'chai';
import { createPathRules } from '../../src/domain/path-rules.js';

describe('path rules', () => {
  const rule = (text: string): PathRule => {
    const [access = '', path = ''] = text.split(' ');
    return { path, access: access as PathRule['access'] };
  };
  const rulesOf = (...lists: string[][]) => createPathRules(lists.map((rules) => rules.map(rule)));

  for (const [rules, path, access] of [
    [[], 'a', 'allow'],
    [['deny /'], '', 'deny'],
    [['deny /'], 'a/b', 'deny'],
    [['deny /a'], 'a', 'deny'],
    [['deny /a'], 'a/b/c', 'deny'],
    [['deny /a'], 'ab', 'allow'],
    [['deny /a'], 'b/a', 'allow'],
    [['deny /a'], 'A', 'allow'],
    [['deny /a/'], 'a', 'deny'],
    [['read_only /', 'allow /plugins'], 'plugins/x.jar', 'allow'],
    [['read_only /', 'allow /plugins'], 'server.properties', 'read_only'],
    [['allow /plugins', 'read_only /'], 'plugins/x.jar', 'read_only'],
    [['deny /*.jar'], 'server.jar', 'deny'],
    [['deny /*.jar'], 'plugins/server.jar', 'allow'],
    [['deny /**/*.jar'], 'plugins/deep/server.jar', 'deny'],
    [['deny /**/*.jar'], 'server.jar', 'deny'],
    [['deny /a/**/z'], 'a/z', 'deny'],
    [['deny /a/**/z'], 'a/b/c/z/below', 'deny'],
    [['deny /a/**/z'], 'a/b', 'allow'],
    [['deny /wor?d'], 'world', 'deny'],
    [['deny /wor?d'], 'word', 'allow'],
    [['deny /world [old]'], 'world o', 'allow'],
    [['deny /*a*b*c'], 'xxaxxbxxc', 'deny'],
    [['deny /*a*b*c'], 'xxaxxcxxb', 'allow'],
  ] as const) {
    it(`answers ${access} for /${path} with ${rules.join(', ') || 'none'}`, () => {
      expect(rulesOf([...rules]).accessTo(path)).to.equal(access);
    });
  }

  it('gives the least access of several lists', () => {
    const rules = rulesOf(['allow /'], ['read_only /a'], ['deny /a/b']);
    expect(['x', 'a/x', 'a/b/x'].map((path) => rules.accessTo(path))).to.deep.equal(['allow', 'read_only', 'deny']);
  });

  it('recognises directories that lead to something readable', () => {
    const rules = rulesOf(['deny /', 'read_only /a/b', 'allow /x/**/y']);
    const leading = ['', 'a', 'a/b', 'x', 'x/1', 'x/1/2'];
    const hidden = ['b', 'a/c', 'y'];
    expect(leading.filter((path) => !rules.leadsToReadable(path))).to.deep.equal([]);
    expect(hidden.filter((path) => rules.leadsToReadable(path))).to.deep.equal([]);
    expect(rulesOf(['deny /', 'allow /a'], ['deny /a']).leadsToReadable('a')).to.equal(false);
  });

  it('recognises directories with other rules below', () => {
    const rules = rulesOf(['allow /', 'deny /a/b']);
    expect(['', 'a'].every((path) => rules.mayDifferBelow(path))).to.equal(true);
    expect(['a/b', 'a/b/c', 'x'].some((path) => rules.mayDifferBelow(path))).to.equal(false);
  });

  it('matches malicious patterns against a long path within 250 ms', () => {
    const malicious = [`deny /${'**/*a'.repeat(5)}b`, `deny /${'*a'.repeat(10)}b`, `deny /${'?*'.repeat(5)}b`];
    const rules = rulesOf(Array.from({ length: 20 }, (_, i) => malicious[i % malicious.length] ?? ''));
    const startedAt = processorMs();
    rules.accessTo(Array.from({ length: 64 }, () => 'a'.repeat(60)).join('/'));
    expect(processorMs() - startedAt).to.be.below(250);
  });
});

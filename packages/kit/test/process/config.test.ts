import { expect } from 'chai';
import { z } from 'zod';
import {
  ConfigError,
  duration,
  integer,
  listenAddress,
  parseEnvironment,
  secret,
  wordList,
} from '../../src/process/index.js';

function problemsOf(run: () => unknown): readonly string[] {
  try {
    run();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('configuration', () => {
  const shape = {
    LISTEN: listenAddress.default('127.0.0.1:0'),
    JWT_SECRET: secret.describe('make one with: openssl rand -base64 48'),
    TTL: duration.default(900_000),
    COUNT: integer(1, 10).default(3),
    NAMES: wordList.default([]),
    MODE: z.enum(['a', 'b']).default('a'),
  };
  const good = 'x9K2mQ7vB4nL8pR1tY6wZ3cF5hJ0dG2s';

  it('applies defaults and treats an empty value as unset', () => {
    expect(parseEnvironment({ JWT_SECRET: good, LISTEN: '', COUNT: '' }, shape)).to.deep.equal({
      LISTEN: '127.0.0.1:0',
      JWT_SECRET: good,
      TTL: 900_000,
      COUNT: 3,
      NAMES: [],
      MODE: 'a',
    });
  });

  it('reports every problem at once with its variable', () => {
    const problems = problemsOf(() =>
      parseEnvironment({ LISTEN: 'nowhere', COUNT: '11', TTL: '5 min', MODE: 'c' }, shape),
    );
    expect(problems.map((problem) => problem.split(' ')[0])).to.have.members([
      'COUNT',
      'JWT_SECRET',
      'LISTEN',
      'MODE',
      'TTL',
    ]);
    expect(problems.find((problem) => problem.startsWith('JWT_SECRET'))).to.equal(
      'JWT_SECRET is not set: make one with: openssl rand -base64 48',
    );
  });

  for (const weak of ['short', 'a'.repeat(31), 'a'.repeat(64), 'changeme'.repeat(4).slice(0, 31)]) {
    it(`refuses the secret "${weak.slice(0, 12)}…" of ${weak.length} characters`, () => {
      expect(problemsOf(() => parseEnvironment({ JWT_SECRET: weak }, shape))).to.have.length(1);
    });
  }

  for (const [text, ms] of Object.entries({
    '15m': 900_000,
    '7d': 604_800_000,
    '30s': 30_000,
    '12h': 43_200_000,
    '500ms': 500,
  })) {
    it(`reads the duration ${text}`, () => {
      expect(parseEnvironment({ JWT_SECRET: good, TTL: text }, shape).TTL).to.equal(ms);
    });
  }
});

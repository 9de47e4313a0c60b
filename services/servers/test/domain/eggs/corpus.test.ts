import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { writeEggFile } from '../../../src/domain/eggs/write-egg-file.js';
import { readEggFile } from '../../../src/domain/eggs/import/read-egg-file.js';
import { compileRules, splitRules } from '../../../src/domain/eggs/rules.js';

/** Public egg files; third-party work, outside of this repository. */
const beside = findUpwards(import.meta.dirname, 'shared');
const corpus = process.env['EGG_CORPUS'] ?? path.join(beside, 'data/eggs');
/** A count, a tab and a rule string per line. */
const ruleFile = process.env['EGG_RULE_STRINGS'] ?? path.join(beside, 'reference/egg-rule-strings.txt');

/** In this or a parent directory. */
function findUpwards(from: string, name: string): string {
  const candidate = path.join(from, name);
  const parent = path.dirname(from);
  return existsSync(candidate) || parent === from ? candidate : findUpwards(parent, name);
}

describe('public eggs (EGG_CORPUS)', () => {
  if (!existsSync(corpus)) {
    it('skips the public eggs: EGG_CORPUS is not set');
    return;
  }
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(json|ya?ml)$/.test(file),
  );
  for (const file of files) {
    it(`imports ${file} and exports it with the same meaning`, () => {
      const { spec } = readEggFile(readFileSync(path.join(corpus, file)), file.endsWith('.json') ? 'json' : 'yaml');
      const again = readEggFile(Buffer.from(writeEggFile(spec, new Date())), 'json');
      expect(again.spec).to.deep.equal(spec);
      expect(again.warnings).to.deep.equal([]);
    });
  }
});

describe('public rule strings (EGG_RULE_STRINGS)', () => {
  if (!existsSync(ruleFile)) {
    it('skips the public rule strings: EGG_RULE_STRINGS is not set');
    return;
  }
  it('parses every rule string', () => {
    const lines = readFileSync(ruleFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes('\t'));
    const failures = lines.flatMap((line) => {
      const text = line.slice(line.indexOf('\t') + 1);
      const { unknown, broken } = compileRules(splitRules(text));
      const problems = [...unknown, ...broken.map(({ problem }) => problem)];
      return problems.map((problem) => `${text}: ${problem}`);
    });
    // Two public eggs have an empty object, ignored with a warning.
    expect(failures).to.deep.equal(['{}: {}']);
    expect(lines.length).to.be.greaterThan(400);
  });
});

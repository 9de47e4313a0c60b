import { readFileSync } from 'node:fs';
import { expect } from 'chai';

const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

describe('README of the client', () => {
  it('shows an example that compiles', () => {
    expect(read('README.md')).to.contain(`\`\`\`ts\n${read('test/example.ts')}\`\`\`\n`);
  });
});

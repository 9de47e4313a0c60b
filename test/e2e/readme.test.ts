import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('README.md', () => {
  it('names only commands that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const commands = [...read('README.md').matchAll(/npm (?:run )?(start|test|demo|verify|build|lint|gen|format)\b/g)];
    for (const [, name] of commands) expect(scripts).to.have.property(name ?? '');
    for (const [file] of read('README.md').matchAll(/scripts\/[\w-]+\.mjs/g)) expect(() => read(file)).not.to.throw();
  });
});

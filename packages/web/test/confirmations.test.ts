import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const source = fileURLToPath(new URL('../../src', import.meta.url));
/** What is taken out of the cart can be put into it again at once. */
const withoutQuestion = ['store/store.tsx: remove', 'store/store.tsx: takeOff'];

/** Changes that delete something and are started by a click alone: `mutate` is for those, `mutateAsync` for dialogs. */
function deletionsByClick(file: string): string[] {
  const code = readFileSync(path.join(source, file), 'utf8');
  const changes = [
    ...code.matchAll(/const (\w+) = use(?:Change|Create)\(((?:(?!\n {2}(?:const|return|if|\);))[^])*)/g),
  ];
  return changes
    .filter(([, name = '', body = '']) => body.includes('client.delete(') && code.includes(`${name}.mutate(`))
    .map(([, name]) => `${file}: ${name}`);
}

describe('deletions in the web console', () => {
  it('ask first, wherever something is gone afterwards', () => {
    const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
    expect(files.flatMap(deletionsByClick)).to.have.members(withoutQuestion);
  });
});

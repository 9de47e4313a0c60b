import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const source = fileURLToPath(new URL('../../src', import.meta.url));
/** Items removed from the cart can be added again. */
const withoutQuestion = ['store/store.tsx: remove', 'store/store.tsx: takeOff'];

/** Started by a click alone: `mutate`, as dialogs use `mutateAsync`. */
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

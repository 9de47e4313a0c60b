import { readFileSync } from 'node:fs';
import { printApi } from '@panel/client/generate';
import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import { documentedRoutes } from '../../src/routes/index.js';

const checkedIn = new URL('../../../../packages/client/src/generated/api.ts', import.meta.url);

function linesOnlyIn(text: string, other: string): string[] {
  const known = new Set(other.split('\n'));
  return text.split('\n').filter((line) => !known.has(line));
}

describe('types of the client', () => {
  it('generates the types of the route table (npm run gen:client)', () => {
    const made = printApi(createDocument(documentedRoutes));
    const found = readFileSync(checkedIn, 'utf8');
    expect(linesOnlyIn(made, found), 'lines that are missing').to.deep.equal([]);
    expect(linesOnlyIn(found, made), 'lines that are no longer right').to.deep.equal([]);
    expect(made === found, 'the order').to.equal(true);
  });

  it('generates the same types of the client each time', () => {
    expect(printApi(createDocument(documentedRoutes))).to.equal(printApi(createDocument(documentedRoutes)));
  });
});

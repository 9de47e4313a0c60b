import { readFileSync } from 'node:fs';
import { printApi } from '@panel/client/generate';
import { expect } from 'chai';
import { createDocument } from '../../src/openapi/document.js';
import { documentedRoutes } from '../../src/routes/index.js';

const checkedIn = new URL('../../../../packages/client/src/generated/api.ts', import.meta.url);

describe('the types of the client', () => {
  it('are those of the route table: run `npm run gen:client` after changing routes', () => {
    const lines = (text: string) => text.split('\n');
    expect(lines(printApi(createDocument(documentedRoutes)))).to.deep.equal(lines(readFileSync(checkedIn, 'utf8')));
  });

  it('are the same text whenever they are made from the same table', () => {
    expect(printApi(createDocument(documentedRoutes))).to.equal(printApi(createDocument(documentedRoutes)));
  });
});

import { expect } from 'chai';
import { createClientIpFinder } from '@panel/kit';
import { requestId } from '../../src/middleware/request-id.js';
import { serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

describe('request ids', () => {
  it('generates a request id, or keeps a well-formed one', async () => {
    const { url, stop } = await serveMiddleware(requestId(createClientIpFinder([])), showState);
    const idOf = async (given?: string) =>
      (await send(url, '/', given === undefined ? {} : { headers: { 'x-request-id': given } })).headers['x-request-id'];
    expect(await idOf('my-request.1')).to.equal('my-request.1');
    for (const bad of [undefined, 'short', 'has blanks in it', '{"a":1}aaaa', 'x'.repeat(65)]) {
      expect(await idOf(bad), bad).to.match(/^[0-9a-f-]{36}$/);
    }
    await stop();
  });
});

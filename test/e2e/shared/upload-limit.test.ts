import { expect } from 'chai';
import { type Answer, send } from '../security/support/requests.js';
import { createGame } from '../support/game.js';
import { sharedStack } from '../support/shared-stack.js';
import { type SharedStack } from '../support/stack.js';

const mebibyte = 1024 * 1024;
const defaultMb = 1024;

describe('upload limit of a node', function () {
  this.timeout(180_000);
  let test: SharedStack;
  let path: string;
  let nodeId: string;

  before(async () => {
    test = await sharedStack();
    const { id } = await createGame(test);
    path = `/api/v1/servers/${id}/files`;
    const { data } = await test.admin.get('/admin/nodes');
    nodeId = data[0]?.id ?? expect.fail('no node');
    await limitTo(1);
  });
  after(async () => limitTo(defaultMb));

  const limitTo = async (upload_limit_mb: number) =>
    test.admin.put('/admin/nodes/{id}', { params: { id: nodeId }, body: { upload_limit_mb } });

  const token = () => test.admin.token() ?? '';
  const put = async (name: string, body: Buffer, headers = {}) =>
    send(test.stack.baseUrl, `${path}/write?path=/${name}`, {
      method: 'PUT',
      token: token(),
      body,
      headers: { 'content-type': 'application/octet-stream', ...headers },
    });
  const names = async () => {
    const { body } = await send(test.stack.baseUrl, `${path}/list?directory=/`, { token: token() });
    return (body.data as { name: string }[]).map(({ name }) => name);
  };
  const expectTooLarge = ({ status, body }: Answer) => {
    expect([status, body.error?.code]).to.deep.equal([400, 'bad_request']);
    expect(body.error?.details).to.deep.equal({ reason: 'upload_too_large', limit_bytes: mebibyte });
  };

  it('accepts a file of exactly that size', async () => {
    expect((await put('fits', Buffer.alloc(mebibyte))).status).to.equal(200);
    expect(await names()).to.include('fits');
  });

  it('refuses one byte more, as bytes and as JSON, names the limit and stores nothing', async () => {
    expectTooLarge(await put('bytes', Buffer.alloc(mebibyte + 1)));
    const json = { path: '/json', content: 'x'.repeat(mebibyte + 1) };
    expectTooLarge(await send(test.stack.baseUrl, `${path}/write`, { method: 'PUT', token: token(), json }));
    expect(await names()).to.not.include.oneOf(['bytes', 'json']);
  });

  it('refuses a much larger file and keeps the old one', async () => {
    await put('kept', Buffer.from('old'));
    expectTooLarge(await put('kept', Buffer.alloc(20 * mebibyte)));
    const { body } = await send(test.stack.baseUrl, `${path}/contents?path=/kept`, { token: token() });
    expect(body.data).to.deep.include({ content: 'old' });
  });

  it('applies a changed value to the next upload', async () => {
    await limitTo(2);
    expect((await put('larger', Buffer.alloc(2 * mebibyte))).status).to.equal(200);
  });
});

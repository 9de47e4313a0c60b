import { expect } from 'chai';
import { createPanelClient, type ListedServer, type OptionsOf, type PanelClient, type Server } from '../src/node.js';

/*
 * What must not compile, and what must. The compiler is the test: an expected error that does not come is an error. The
 * calls are never made.
 */
const id = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';

async function right(client: PanelClient): Promise<void> {
  const one: { data: Server } = await client.get('/servers/{id}', { params: { id } });
  const page = await client.get('/servers', { query: { page: 2, status: 'running', include: 'resources' } });
  const listed: ListedServer[] = page.data;
  const total: number = page.meta.total;
  await client.get('/servers');
  const isCut: boolean = (await client.get('/servers/{id}/files/list', { params: { id } })).meta.truncated;
  const power = await client.request('POST /servers/{id}/power', { params: { id }, body: { action: 'start' } });
  const operationId: string = power.data.operation_id;
  await client.delete('/account/api-keys/{key-id}', { params: { key_id: id } });
  await client.post('/account/api-keys', { body: { description: 'a' }, idempotencyKey: 'k' });
  await client.post('/auth/logout');
  await client.put('/servers/{id}/files/write', { params: { id }, query: { path: '/a' }, bytes: 'text' });
  await client.put('/servers/{id}/files/write', { params: { id }, body: { path: '/a', content: 'text' } });
  await client.post('/admin/eggs/import', { bytes: '{}', type: 'application/json' });
  for await (const { email } of client.pages('/admin/users', { query: { search: 'a' } })) email.toLowerCase();
  const file: Response = await client.download('/servers/{id}/files/contents', {
    params: { id },
    query: { path: '/a' },
  });
  const console = await client.openConsole(id);
  const cpu: number = (await console.next('stats')).cpu;
  expect([one, listed, total, isCut, operationId, file, cpu]).to.have.lengthOf(7);
}

async function wrong(client: PanelClient): Promise<void> {
  // @ts-expect-error there is no such path
  await client.get('/serverz');
  // @ts-expect-error the path knows no POST
  await client.post('/servers', { body: {} });
  // @ts-expect-error the id is missing
  await client.get('/servers/{id}');
  // @ts-expect-error the id has another name
  await client.get('/servers/{id}', { params: { server: id } });
  // @ts-expect-error one id of two is missing
  await client.delete('/servers/{id}/allocations/{allocation-id}', { params: { id } });
  // @ts-expect-error the path has no id
  await client.get('/servers', { params: { id } });
  // @ts-expect-error no such parameter
  await client.get('/servers', { query: { colour: 'red' } });
  // @ts-expect-error no such status
  await client.get('/servers', { query: { status: 'asleep' } });
  // @ts-expect-error one server has no pages
  await client.get('/servers/{id}', { params: { id }, query: { page: 1 } });
  // @ts-expect-error no such action
  await client.post('/servers/{id}/power', { params: { id }, body: { action: 'explode' } });
  // @ts-expect-error the body is missing
  await client.post('/servers/{id}/power', { params: { id } });
  // @ts-expect-error a required field is missing
  await client.post('/admin/nests', { body: { author: 'me' } });
  // @ts-expect-error no such field
  await client.post('/admin/nests', { body: { name: 'a', author: 'me', colour: 'red' } });
  // @ts-expect-error a GET has no body
  await client.get('/account', { body: {} });
  // @ts-expect-error nothing is created
  await client.post('/servers/{id}/power', { params: { id }, body: { action: 'start' }, idempotencyKey: 'k' });
  // @ts-expect-error the file may be JSON or YAML: one has to say which
  await client.post('/admin/eggs/import', { bytes: '{}' });
  // @ts-expect-error no such content type
  await client.post('/admin/eggs/import', { bytes: '{}', type: 'text/html' });
  // @ts-expect-error a body, or bytes, but not both
  await client.put('/servers/{id}/files/write', { params: { id }, bytes: 'a', body: { path: '/a', content: 'a' } });
  // @ts-expect-error not a list
  client.pages('/servers/{id}', { params: { id } });
  // @ts-expect-error not in bytes
  await client.download('/servers/{id}', { params: { id } });
  // @ts-expect-error only in bytes
  await client.get('/admin/eggs/{id}/export', { params: { id } });
  // @ts-expect-error one thing has no pages
  (await client.get('/account')).meta.total.toFixed();
  // @ts-expect-error this list notes nothing
  (await client.get('/servers')).meta.truncated.valueOf();
  // @ts-expect-error a user has no such field
  (await client.get('/account')).data.colour.toUpperCase();
  // @ts-expect-error it answers nothing
  (await client.delete('/admin/users/{id}', { params: { id } })).data.id.toUpperCase();
  const console = await client.openConsole(id);
  // @ts-expect-error no such message
  await console.next('weather');
  // @ts-expect-error a status has no cpu
  (await console.next('status')).cpu.toFixed();
  // @ts-expect-error no such action
  console.power('explode');
}

describe('the types of the client', () => {
  it('accepts correct calls and refuse wrong ones', () => {
    const action: OptionsOf<'POST /servers/{id}/power'>['body']['action'] = 'kill';
    expect([right, wrong, createPanelClient, action]).to.have.lengthOf(4);
  });
});

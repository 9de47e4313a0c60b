import { AccountServiceService } from '@panel/protos/identity';
import { NodeServiceService } from '@panel/protos/servers';
import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Caller } from '../../src/auth/identity.js';
import { authorise } from '../../src/middleware/access.js';
import { errorEnvelope } from '../../src/middleware/error-envelope.js';
import { type Access, account, admin, empty, route } from '../../src/declaration/route.js';
import { silent } from '../support/fake-service.js';
import { given, serveMiddleware, showState } from '../support/koa.js';
import { send } from '../support/request.js';

function callerWith(...permissions: string[]): Caller {
  const identity = { permissions } as unknown as Caller['identity'];
  return { identity, actorToken: '' };
}

function routeAt(path: `/${string}`, access: Access) {
  return route({
    method: 'GET',
    path,
    summary: 'x',
    access,
    rate: 'general',
    response: empty,
    handler: async () => undefined,
  });
}

describe('authorisation by role', () => {
  const nodes = routeAt('/api/v1/admin/nodes/{id}', admin(NodeServiceService.getNode));
  const statusFor = async (caller: Caller | null, id: string = randomUUID(), which = nodes) => {
    const middleware = [given({ caller, params: { id } }), errorEnvelope(silent), authorise(which), showState];
    const { url, stop } = await serveMiddleware(...middleware);
    const { status } = await send(url, '/');
    await stop();
    return status;
  };

  it('allows the permission, its area and the wildcard', async () => {
    for (const permission of ['nodes.view', 'nodes.*', '*']) {
      expect(await statusFor(callerWith(permission)), permission).to.equal(200);
    }
  });

  it('refuses all others before the id is read', async () => {
    for (const permission of ['nodes.create', 'nodes', 'node.*', 'servers.*', '']) {
      expect(await statusFor(callerWith(permission)), permission).to.equal(403);
      expect(await statusFor(callerWith(permission), 'no-id'), permission).to.equal(403);
    }
    expect(await statusFor(null)).to.equal(401);
  });

  it('leaves names to the handler', async () => {
    const named = routeAt('/api/v1/x/{name}', account(AccountServiceService.getAccount));
    const params = { name: 'service.ended' };
    const middleware = [given({ caller: callerWith(), params }), errorEnvelope(silent), authorise(named), showState];
    const { url, stop } = await serveMiddleware(...middleware);
    expect((await send(url, '/')).status).to.equal(200);
    await stop();
  });

  it('answers 404 to a malformed id', async () => {
    for (const id of ['1', 'null', '$ne', '../x', `${randomUUID()} `, randomUUID().replaceAll('-', '')]) {
      expect(await statusFor(callerWith('*'), id), id).to.equal(404);
    }
    expect(
      await statusFor(callerWith(), 'x', routeAt('/api/v1/x/{id}', account(AccountServiceService.getAccount))),
    ).to.equal(404);
  });
});

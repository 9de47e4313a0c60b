import type { UserActor } from '@panel/rpc';
import { isAppError } from '@panel/kit/errors';
import { expect } from 'chai';
import { requireGrantable } from '../../src/domain/authorization.js';

const administrator: UserActor = {
  kind: 'user',
  userId: 'u',
  permissions: ['*'],
  method: 'session',
  credentialId: 'c',
  ip: '192.0.2.1',
};
const mayGrant = (actor: UserActor, permission: string) => {
  try {
    requireGrantable(actor, [permission], 'too much');
    return true;
  } catch (error) {
    if (isAppError(error, 'PERMISSION_EXCEEDS_OWN')) return false;
    throw error;
  }
};

describe('what an actor may grant', () => {
  it('allows to grant what the role and the list of the key both have', () => {
    const byKey: UserActor = { ...administrator, method: 'api_key', keyPermissions: ['roles.*', 'servers.view'] };
    expect(mayGrant(administrator, 'nodes.delete')).to.equal(true);
    expect(mayGrant(byKey, 'servers.view')).to.equal(true);
    expect(mayGrant(byKey, 'roles.create')).to.equal(true);
    for (const permission of ['servers.delete', 'nodes.view', '*', 'servers.*']) {
      expect(mayGrant(byKey, permission), permission).to.equal(false);
    }
  });
});

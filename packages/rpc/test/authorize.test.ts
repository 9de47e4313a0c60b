import { isAppError } from '@panel/kit/errors';
import type { RpcPermission } from '@panel/protos/permissions';
import { expect } from 'chai';
import { authorizeCall } from '../src/auth/actor.js';
import { type Actor, serviceActor, type UserActor } from '../src/index.js';

const visitor: Actor = { kind: 'anonymous', ip: '192.0.2.1' };
const user = (permissions: string[], keyPermissions?: string[]): UserActor => ({
  kind: 'user',
  userId: 'u',
  permissions,
  keyPermissions,
  method: keyPermissions ? 'api_key' : 'session',
  credentialId: 'c',
  ip: '192.0.2.1',
});

function outcome(row: RpcPermission, actor: Actor): string {
  try {
    authorizeCall(row, actor);
    return 'allowed';
  } catch (error) {
    if (isAppError(error)) return error.reason;
    throw error;
  }
}

const rows: Record<string, RpcPermission> = {
  public: { isPublic: true },
  service: {},
  account: { account: 'account.update' },
  admin: { admin: 'nodes.view' },
  server: { server: ['control.start'] },
  either: { account: 'account.activity', admin: 'settings.view' },
};

const cases: readonly (readonly [keyof typeof rows, string, Actor, string])[] = [
  ['public', 'a visitor', visitor, 'allowed'],
  ['service', 'a service', serviceActor('files'), 'allowed'],
  ['service', 'an administrator', user(['*']), 'SERVICE_REQUIRED'],
  ['service', 'a visitor', visitor, 'SERVICE_REQUIRED'],
  ['account', 'a visitor', visitor, 'USER_REQUIRED'],
  ['account', 'a user', user([]), 'allowed'],
  ['account', 'a key without a list', user([]), 'allowed'],
  ['account', 'a key with an empty list', user([], []), 'PERMISSION_MISSING'],
  ['account', 'a key with another account permission', user([], ['account.read']), 'PERMISSION_MISSING'],
  ['account', 'a key with the permission', user([], ['account.update']), 'allowed'],
  ['account', 'a key with the area', user([], ['account.*']), 'allowed'],
  ['admin', 'a visitor', visitor, 'USER_REQUIRED'],
  ['admin', 'a user without a role', user([]), 'PERMISSION_MISSING'],
  ['admin', 'staff of another area', user(['users.*']), 'PERMISSION_MISSING'],
  ['admin', 'staff with the permission', user(['nodes.view']), 'allowed'],
  ['admin', 'a service', serviceActor('files'), 'allowed'],
  ['admin', 'an administrator by a key without the permission', user(['*'], ['account.read']), 'PERMISSION_MISSING'],
  ['admin', 'an administrator by a key with an empty list', user(['*'], []), 'PERMISSION_MISSING'],
  ['admin', 'an administrator by a key with the permission', user(['*'], ['nodes.view']), 'allowed'],
  ['server', 'a visitor', visitor, 'USER_REQUIRED'],
  ['server', 'a user, whose access the use case checks', user([]), 'allowed'],
  [
    'either',
    'staff by a key whose list names the admin permission',
    user(['settings.view'], ['settings.view']),
    'allowed',
  ],
];

describe('authorizeCall', () => {
  for (const [row, who, actor, expected] of cases) {
    it(`answers ${expected} to ${who} at an RPC of kind ${row}`, () => {
      expect(outcome(rows[row] ?? {}, actor)).to.equal(expected);
    });
  }
});

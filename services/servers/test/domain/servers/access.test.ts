import { type Actor, serviceActor } from '@panel/rpc';
import { AppError } from '@panel/kit/errors';
import { type RpcPermission, type ServerPermission, serverPermissions } from '@panel/protos/permissions';
import { expect } from 'chai';
import { accessTo, requireAccess } from '../../../src/domain/servers/access.js';
import { aServer } from '../../support/server-fixture.js';
import { userActor } from '../../support/harness.js';

const server = aServer();
const stranger = '99999999-9999-4999-8999-999999999999';

function reason(actor: Actor, permission?: ServerPermission, row: RpcPermission = { server: [] }): string {
  try {
    requireAccess(server, { actor, permission: row }, permission);
    return 'ok';
  } catch (error) {
    return error instanceof AppError ? error.reason : String(error);
  }
}

/** The owner's API key. */
function withKey(...keyPermissions: string[]): Actor {
  const ip = '127.0.0.1';
  return {
    kind: 'user',
    userId: server.userId,
    permissions: [],
    keyPermissions,
    method: 'api_key',
    credentialId: 'k',
    ip,
  };
}

describe('access to a server', () => {
  const readable = ['websocket.connect', 'file.read', 'file.read-content', 'backup.read', 'startup.read'] as const;
  const writable = serverPermissions.filter(
    (name) => !name.endsWith('.read') && !readable.some((other) => other === name),
  );

  it('grants the owner every permission', () => {
    for (const permission of serverPermissions) expect(reason(userActor(server.userId), permission)).to.equal('ok');
    expect(accessTo(server, userActor(server.userId))).to.deep.equal({
      isOwner: true,
      isStaff: false,
      permissions: ['*'],
      pathRules: [],
    });
  });

  it('grants staff with servers.update every permission', () => {
    for (const rights of [['servers.update'], ['servers.*'], ['*']]) {
      for (const permission of serverPermissions)
        expect(reason(userActor(stranger, rights), permission)).to.equal('ok');
    }
  });

  it('grants staff with servers.view read permissions only', () => {
    const viewer = userActor(stranger, ['servers.view']);
    for (const permission of readable) expect(reason(viewer, permission), permission).to.equal('ok');
    for (const permission of writable) expect(reason(viewer, permission), permission).to.equal('SERVER_FORBIDDEN');
  });

  it('grants internal services every permission', () => {
    expect(reason(serviceActor('billing'), 'control.start')).to.equal('ok');
  });

  it('hides a server from all other users, whatever their other permissions', () => {
    const others: Actor[] = [
      userActor(stranger),
      userActor(stranger, ['nodes.*', 'users.*', 'servers', 'servers.create', 'servers.suspend']),
      { kind: 'anonymous', ip: '127.0.0.1' },
    ];
    for (const actor of others) {
      expect(reason(actor)).to.equal('SERVER_NOT_FOUND');
      for (const permission of serverPermissions) expect(reason(actor, permission)).to.equal('SERVER_NOT_FOUND');
    }
  });

  it('grants staff exactly the RPCs whose row names their admin permission', () => {
    const row: RpcPermission = { server: ['settings.reinstall'], admin: 'servers.reinstall' };
    const installer = userActor(stranger, ['servers.reinstall']);
    expect(reason(installer, undefined, row)).to.equal('ok');
    expect(reason(installer, undefined, { server: ['control.start'] })).to.equal('SERVER_NOT_FOUND');
    expect(reason(installer, 'settings.reinstall', row)).to.equal('SERVER_FORBIDDEN');
  });

  it('accepts any one of the permissions in a row', () => {
    const row: RpcPermission = { server: ['startup.update', 'startup.docker-image'] };
    expect(reason(withKey('startup.docker-image'), undefined, row)).to.equal('ok');
    expect(reason(withKey('startup.read'), undefined, row)).to.equal('SERVER_FORBIDDEN');
  });

  it('limits the owner to the permissions of the API key', () => {
    for (const permission of serverPermissions) {
      expect(reason(withKey(permission), permission), permission).to.equal('ok');
      expect(reason(withKey(), permission), permission).to.equal('SERVER_FORBIDDEN');
    }
    expect(reason(withKey('file.*'), 'file.delete')).to.equal('ok');
    expect(reason(withKey('file.*'), 'control.start')).to.equal('SERVER_FORBIDDEN');
  });

  it('answers for a missing server as for a hidden one', () => {
    const ask = (found: typeof server | null) => {
      try {
        requireAccess(found, { actor: userActor(stranger), permission: { server: ['control.start'] } });
        return null;
      } catch (error) {
        const { kind, reason: why, message, metadata } = error as AppError;
        return { kind, why, message, metadata };
      }
    };
    expect(ask(null)).to.deep.equal(ask(server));
  });
});

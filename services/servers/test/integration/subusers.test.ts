import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import {
  type CreateSubuserRequest,
  ListServersRequest,
  ListServersRequest_Scope,
  PathRule_Access,
  PowerAction,
  Subuser_Status,
  UpdateServerRequest,
} from '@panel/protos/servers';
import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import { createStores } from '../../src/models/stores.js';
import { type Clients, testSeal, userActor } from '../support/harness.js';
import { type FakeAccount, newAccount } from '../support/fake-services.js';
import { createFixture, fieldsOf, reasonOf, type Fixture } from '../support/fixture.js';

describe('subusers of a server', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let owner: Clients;
  let serverId: string;
  let moved = 0;
  const clock = () => new Date(Date.now() + moved);
  before(async () => {
    const environment = { INVITATION_LIMIT: '1000', INVITATION_CHECK_INTERVAL: '100ms' };
    fixture = await createFixture({ environment, overrides: { clock } });
    ({ owner } = fixture);
  });
  after(() => fixture.stop());
  beforeEach(async () => {
    moved = 0;
    ({ id: serverId } = await fixture.installed({ skipScripts: true }));
  });

  let number = 0;
  const account = (changes: Partial<FakeAccount> = {}) => {
    number += 1;
    return newAccount(fixture.harness.fakes, `user${number}`, changes);
  };
  const as = (userId: string, keyPermissions?: string[]) => {
    const actor = { ...userActor(userId), ...(keyPermissions && { keyPermissions }) };
    return fixture.harness.clients(actor, fixture.harness.address);
  };
  const request = (email: string, changes: Partial<CreateSubuserRequest> = {}): CreateSubuserRequest => ({
    serverId,
    email,
    permissions: ['file.read'],
    roleId: '',
    pathRules: [],
    expireTime: undefined,
    ...changes,
  });
  const invite = async (email: string, changes: Partial<CreateSubuserRequest> = {}, by = owner) => {
    const { subuser } = await by.subusers.createSubuser(request(email, changes));
    if (!subuser) throw new Error('no subuser in the answer');
    return subuser;
  };
  const subuserWith = async (permissions: string[], changes: Partial<CreateSubuserRequest> = {}) => {
    const user = account();
    const { id } = await invite(user.email, { permissions, ...changes });
    return { ...user, subuserId: id, clients: as(user.id) };
  };
  const listed = async () => (await owner.subusers.listSubusers({ serverId })).subusers;
  const set = (subuserId: string, permissions: string[], by = owner) =>
    by.subusers.updateSubuser({
      serverId,
      subuserId,
      grant: { $case: 'permissions', value: { permissions } },
      pathRules: undefined,
      expiry: undefined,
    });
  const own = async (clients: Clients) =>
    (await clients.servers.listServers(ListServersRequest.create({ scope: ListServersRequest_Scope.OWN }))).servers;

  it('gives a user with an account access at once, and shows the server in their list', async () => {
    const user = account();
    expect(await own(as(user.id))).to.deep.equal([]);
    const subuser = await invite(` ${user.email.toUpperCase()} `, { permissions: ['file.read', 'control.start'] });
    expect(subuser).to.deep.include({ userId: user.id, username: user.username, status: Subuser_Status.ACTIVE });
    const [server] = await own(as(user.id));
    expect(server).to.deep.include({ id: serverId, isOwner: false, permissions: ['file.read', 'control.start'] });
    expect((await own(owner)).find(({ id }) => id === serverId)).to.deep.include({ isOwner: true, permissions: ['*'] });
    const { server: one } = await as(user.id).servers.getServer({ serverId, asStaff: false });
    expect(one).to.deep.include({ isOwner: false, permissions: ['file.read', 'control.start'] });
  });

  it('refuses what was not granted, and everything to users without access', async () => {
    const { clients } = await subuserWith(['control.start']);
    const { console: games, servers } = clients;
    expect(await reasonOf(games.sendPowerAction({ serverId, action: PowerAction.STOP }))).to.equal('SERVER_FORBIDDEN');
    expect(await reasonOf(servers.renameServer({ serverId, name: 'x' }))).to.equal('SERVER_FORBIDDEN');
    expect(await reasonOf(clients.subusers.listSubusers({ serverId }))).to.equal('SERVER_FORBIDDEN');
    const stranger = as(account().id);
    expect(await reasonOf(stranger.subusers.listSubusers({ serverId }))).to.equal('SERVER_NOT_FOUND');
    expect(await reasonOf(stranger.subusers.leaveServer({ serverId }))).to.equal('SERVER_NOT_FOUND');
  });

  it('holds a change and a removal on the next call', async () => {
    const { clients, subuserId } = await subuserWith(['settings.rename']);
    await clients.servers.renameServer({ serverId, name: 'renamed' });
    await set(subuserId, ['file.read']);
    expect(await reasonOf(clients.servers.renameServer({ serverId, name: 'x' }))).to.equal('SERVER_FORBIDDEN');
    await owner.subusers.deleteSubuser({ serverId, subuserId, withInvited: false });
    expect(await reasonOf(clients.servers.getServer({ serverId, asStaff: false }))).to.equal('SERVER_NOT_FOUND');
    expect(await own(clients)).to.deep.equal([]);
  });

  it('invites an address without an account by mail, and gives the account access when there is one', async () => {
    const email = `later${number}@example.com`;
    newAccount(fixture.harness.fakes, 'the-owner', { id: fixture.ownerId });
    const invited = await invite(email);
    expect(invited).to.deep.include({ userId: '', email, username: '', status: Subuser_Status.INVITED });
    const { mails } = fixture.harness.fakes;
    await waitUntil('the mail', () => [...mails.values()].some(({ to }) => to === email));
    const sent = [...mails.values()].filter(({ to }) => to === email);
    expect(sent.map(({ mail }) => mail)).to.deep.equal([
      { $case: 'invitation', value: { inviter: 'the-owner', serverName: 'a game' } },
    ]);
    const user = account({ email });
    fixture.harness.fakes.accounts.set(email, user);
    await waitUntil('access', async () => (await own(as(user.id))).length === 1);
    expect(await listed()).to.have.lengthOf(1);
    expect((await listed())[0]).to.deep.include({ id: invited.id, userId: user.id, status: Subuser_Status.ACTIVE });
  });

  it('waits for proof of an address that a user has given themselves', async () => {
    const user = account({ emailUnproven: true });
    expect(await invite(user.email)).to.deep.include({ userId: '', status: Subuser_Status.INVITED });
    expect(await own(as(user.id))).to.deep.equal([]);
    fixture.harness.fakes.accounts.set(user.email, { ...user, emailUnproven: false });
    await waitUntil('access', async () => (await own(as(user.id))).length === 1);
  });

  it('delivers the mail of an invitation when the admin service is back', async () => {
    const { fakes } = fixture.harness;
    fakes.adminIsDown = true;
    const email = `outage${number}@example.com`;
    await invite(email);
    fakes.adminIsDown = false;
    await waitUntil('the mail', () => [...fakes.mails.values()].some(({ to }) => to === email));
  });

  it('refuses fields that are wrong, and stores none of them', async () => {
    const { email } = account();
    const fields = (changes: Partial<CreateSubuserRequest>) =>
      fieldsOf(owner.subusers.createSubuser(request(email, changes)));
    for (const permissions of [
      [],
      ['*'],
      ['admin.*'],
      ['file.*'],
      ['file.read', 'file.read'],
      Array(10_000).fill('file.read'),
    ]) {
      expect(await fields({ permissions })).to.deep.equal(['permissions']);
    }
    for (const bad of ['', 'nobody', 'a b@example.com', 'a@b\r\nBcc: c@d', '<a@b>', `${'a'.repeat(260)}@example.com`]) {
      expect(await fields({ email: bad }), bad).to.deep.equal(['email']);
    }
    expect(await fields({ expireTime: clock() })).to.deep.equal(['expires_at']);
    expect(await fields({ roleId: 'unknown', permissions: [] })).to.deep.equal(['role']);
    expect(await fields({ roleId: 'viewer' })).to.deep.equal(['permissions']);
    for (const path of ['', 'plugins', '/a/../b', '/a\\b', '/a**', '/*?*?*?*?*?*?*', `/${'a'.repeat(200)}`]) {
      const pathRules = [{ path, access: PathRule_Access.DENY }];
      expect(await fields({ pathRules }), path).to.deep.equal(['path_rules.0.path']);
    }
    expect(await listed()).to.deep.equal([]);
  });

  it('refuses the owner, and whoever is there already', async () => {
    const owned = newAccount(fixture.harness.fakes, `owner${number}`, { id: fixture.ownerId });
    expect(await reasonOf(invite(owned.email))).to.equal('SUBUSER_IS_OWNER');
    const user = account();
    await invite(user.email);
    expect(await reasonOf(invite(user.email))).to.equal('SUBUSER_EXISTS');
    await invite('pending@example.com');
    expect(await reasonOf(invite('pending@example.com'))).to.equal('SUBUSER_EXISTS');
  });

  it('grants nothing that the caller lacks, neither at creation nor at change', async () => {
    const manager = await subuserWith(['user.create', 'user.update', 'user.delete', 'user.read', 'file.read']);
    const { email } = account();
    const more = { permissions: ['file.read', 'file.delete'] };
    expect(await reasonOf(invite(email, more, manager.clients))).to.equal('SUBUSER_EXCEEDS_OWN');
    expect(await reasonOf(invite(email, { permissions: [], roleId: 'developer' }, manager.clients))).to.equal(
      'SUBUSER_EXCEEDS_OWN',
    );
    const { id } = await invite(email, { permissions: ['file.read'] }, manager.clients);
    expect(await reasonOf(set(id, ['file.delete'], manager.clients))).to.equal('SUBUSER_EXCEEDS_OWN');
    expect(await reasonOf(set(manager.subuserId, ['file.read'], manager.clients))).to.equal('SUBUSER_IS_CALLER');
    expect(await reasonOf(set(manager.subuserId, ['file.delete'], manager.clients))).to.equal('SUBUSER_IS_CALLER');
    const self = { serverId, subuserId: manager.subuserId, withInvited: false };
    expect(await reasonOf(manager.clients.subusers.deleteSubuser(self))).to.equal('SUBUSER_IS_CALLER');
    const stronger = await subuserWith(['file.delete']);
    expect(await reasonOf(set(stronger.subuserId, ['file.read'], manager.clients))).to.equal('SUBUSER_EXCEEDS_OWN');
    const other = { serverId, subuserId: stronger.subuserId, withInvited: false };
    expect(await reasonOf(manager.clients.subusers.deleteSubuser(other))).to.equal('SUBUSER_EXCEEDS_OWN');
    await manager.clients.subusers.deleteSubuser({ serverId, subuserId: id, withInvited: false });
  });

  it('binds whom a subuser invites to their own path rules and to the end of their own access', async () => {
    const pathRules = [{ path: '/plugins', access: PathRule_Access.ALLOW }];
    const expireTime = new Date(clock().getTime() + 3_600_000);
    const permissions = ['user.create', 'user.update', 'file.read', 'file.update'];
    const manager = await subuserWith(permissions, { pathRules, expireTime });
    const { email } = account();
    expect(await reasonOf(invite(email, {}, manager.clients))).to.equal('SUBUSER_EXCEEDS_OWN');
    const mine = [{ path: '/world', access: PathRule_Access.DENY }];
    const friend = await invite(email, { pathRules: mine, expireTime }, manager.clients);
    expect(friend.pathRules).to.deep.equal(mine);
    expect(friend.inheritedPathRules).to.deep.equal([{ rules: pathRules }]);
    const free = await subuserWith(['file.read']);
    expect(await reasonOf(set(free.subuserId, ['file.update'], manager.clients))).to.equal('SUBUSER_EXCEEDS_OWN');
  });

  it('narrows a subuser to the list of their API key', async () => {
    const user = await subuserWith(['file.read', 'settings.rename', 'user.create']);
    const withKey = as(user.id, ['file.read', 'file.delete', 'user.create']);
    const { server } = await withKey.servers.getServer({ serverId, asStaff: false });
    expect(server?.permissions).to.deep.equal(['file.read', 'user.create']);
    expect(await reasonOf(withKey.servers.renameServer({ serverId, name: 'x' }))).to.equal('SERVER_FORBIDDEN');
    const grant = { permissions: ['settings.rename'] };
    expect(await reasonOf(invite(account().email, grant, withKey))).to.equal('SUBUSER_EXCEEDS_OWN');
    expect(await reasonOf(withKey.subusers.leaveServer({ serverId }))).to.equal('SERVER_FORBIDDEN');
  });

  it('lets a subuser leave, and neither the owner nor staff', async () => {
    const { clients } = await subuserWith(['file.read']);
    await clients.subusers.leaveServer({ serverId });
    expect(await listed()).to.deep.equal([]);
    expect(await reasonOf(owner.subusers.leaveServer({ serverId }))).to.equal('SUBUSER_REQUIRED');
    expect(await reasonOf(fixture.admin.subusers.leaveServer({ serverId }))).to.equal('SUBUSER_REQUIRED');
  });

  it('ends access and invitations when they expire', async () => {
    const expireTime = new Date(clock().getTime() + 3_600_000);
    const { clients, id: userId } = await subuserWith(['file.read'], { expireTime });
    await invite('waiting@example.com');
    moved = 3_600_001;
    expect(await reasonOf(clients.servers.getServer({ serverId, asStaff: false }))).to.equal('SERVER_NOT_FOUND');
    expect(await own(clients)).to.deep.equal([]);
    expect((await listed()).map(({ email }) => email)).to.deep.equal(['waiting@example.com']);
    moved = 8 * 24 * 3_600_000;
    expect(await listed()).to.deep.equal([]);
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      await createStores(mongo, testSeal).servers.subusers.removeEnded(clock());
      const document = await mongo.collection('servers').findOne({ _id: serverId as never });
      expect(document?.['subusers']).to.deep.equal([]);
      expect(document?.['viewerIds']).to.deep.equal([fixture.ownerId]);
    } finally {
      await mongo.close();
    }
    expect(userId).to.be.a('string');
  });

  it('gives the permissions of a role, and changes them for everybody who has it', async () => {
    const { roles } = await owner.subusers.listSubuserRoles({ serverId });
    expect(roles.map(({ id, builtIn }) => [id, builtIn])).to.deep.equal([
      ['viewer', true],
      ['operator', true],
      ['developer', true],
    ]);
    const { role } = await owner.subusers.createSubuserRole({ serverId, name: 'Builders', permissions: ['file.read'] });
    const roleId = role?.id ?? '';
    const builder = await subuserWith([], { roleId });
    const viewer = await subuserWith([], { roleId: 'viewer' });
    const permissionsOf = async (clients: Clients) =>
      (await clients.servers.getServer({ serverId, asStaff: false })).server?.permissions;
    expect(await permissionsOf(builder.clients)).to.deep.equal(['file.read']);
    expect(await permissionsOf(viewer.clients))
      .to.include('websocket.connect')
      .and.not.include('control.start');
    const permissions = { permissions: ['file.read', 'file.update'] };
    await owner.subusers.updateSubuserRole({ serverId, roleId, name: 'Master builders', permissions });
    expect(await permissionsOf(builder.clients)).to.deep.equal(['file.read', 'file.update']);
    const remove = () => owner.subusers.deleteSubuserRole({ serverId, roleId });
    expect(await reasonOf(remove())).to.equal('SUBUSER_ROLE_IN_USE');
    await set(builder.subuserId, ['file.read']);
    await remove();
    expect(await reasonOf(remove())).to.equal('SUBUSER_ROLE_NOT_FOUND');
    const rename = { serverId, roleId: 'viewer', name: 'x', permissions: undefined };
    expect(await reasonOf(owner.subusers.updateSubuserRole(rename))).to.equal('SUBUSER_ROLE_NOT_FOUND');
  });

  it('lets nobody raise themselves by the role they have', async () => {
    const given = ['user.create', 'user.update', 'user.delete', 'file.read'];
    const { role } = await owner.subusers.createSubuserRole({ serverId, name: 'Helpers', permissions: given });
    const roleId = role?.id ?? '';
    const { clients } = await subuserWith([], { roleId });
    const update = (permissions: string[]) =>
      reasonOf(clients.subusers.updateSubuserRole({ serverId, roleId, name: undefined, permissions: { permissions } }));
    expect(await update([...given, 'file.delete'])).to.equal('SUBUSER_IS_CALLER');
    expect(await update(given)).to.equal('SUBUSER_IS_CALLER');
    const { subusers } = clients;
    expect(
      await reasonOf(subusers.createSubuserRole({ serverId, name: 'More', permissions: ['file.delete'] })),
    ).to.equal('SUBUSER_EXCEEDS_OWN');
    expect(
      await reasonOf(owner.subusers.createSubuserRole({ serverId, name: 'helpers', permissions: ['file.read'] })),
    ).to.equal('SUBUSER_ROLE_EXISTS');
  });

  it('takes backups as a whole away from whoever has path rules, also from a role', async () => {
    const pathRules = [{ path: '/', access: PathRule_Access.READ_ONLY }];
    const { clients } = await subuserWith([], { roleId: 'developer', pathRules });
    const { server } = await clients.servers.getServer({ serverId, asStaff: false });
    expect(server?.permissions).to.include('backup.create').and.not.include('backup.download');
    expect(await reasonOf(clients.servers.grantFileAccess({ serverId, permission: 'backup.restore' }))).to.equal(
      'SERVER_FORBIDDEN',
    );
  });

  it('finds subusers and roles under their own server only', async () => {
    const { subuserId } = await subuserWith(['file.read']);
    const { role } = await owner.subusers.createSubuserRole({ serverId, name: 'Mine', permissions: ['file.read'] });
    const { id: other } = await fixture.installed({ skipScripts: true });
    for (const id of [subuserId, randomUUID()]) {
      expect(
        await reasonOf(owner.subusers.deleteSubuser({ serverId: other, subuserId: id, withInvited: false })),
      ).to.equal('SUBUSER_NOT_FOUND');
    }
    const elsewhere = { serverId: other, roleId: role?.id ?? '' };
    expect(await reasonOf(owner.subusers.deleteSubuserRole(elsewhere))).to.equal('SUBUSER_ROLE_NOT_FOUND');
    expect(
      await fieldsOf(invite(account().email, { serverId: other, permissions: [], roleId: role?.id ?? '' })),
    ).to.deep.equal(['role']);
    expect(await reasonOf(set(fixture.ownerId, ['file.read']))).to.equal('SUBUSER_NOT_FOUND');
  });

  it('makes a new owner out of a subuser, and leaves the old one without access', async () => {
    const user = await subuserWith(['file.read']);
    const fellow = await subuserWith(['file.read']);
    await fixture.admin.servers.updateServer(UpdateServerRequest.create({ serverId, userId: user.id }));
    const [server] = await own(user.clients);
    expect(server).to.deep.include({ id: serverId, isOwner: true });
    expect(await reasonOf(owner.servers.getServer({ serverId, asStaff: false }))).to.equal('SERVER_NOT_FOUND');
    const { subusers } = await user.clients.subusers.listSubusers({ serverId });
    expect(subusers.map(({ userId }) => userId)).to.deep.equal([fellow.id]);
    expect(await own(fellow.clients)).to.have.lengthOf(1);
  });

  it('takes a deleted user off every server', async () => {
    const user = await subuserWith(['file.read']);
    const service = fixture.harness.clients(
      { kind: 'service', service: 'identity', ip: '127.0.0.1' },
      fixture.harness.address,
    );
    await service.ownership.removeUserFromServers({ userId: user.id });
    expect(await listed()).to.deep.equal([]);
    expect(await own(user.clients)).to.deep.equal([]);
    expect(await reasonOf(as(user.id).ownership.removeUserFromServers({ userId: user.id }))).to.equal(
      'SERVICE_REQUIRED',
    );
  });

  it('invites an address once when 50 ask at the same time', async () => {
    const user = account();
    const both = [user.email, `race${number}@example.com`];
    for (const email of both) {
      const outcomes = await Promise.all(Array.from({ length: 50 }, async () => reasonOf(invite(email))));
      expect(outcomes.filter((outcome) => outcome === 'none')).to.have.lengthOf(1);
      expect([...new Set(outcomes)]).to.have.members(['none', 'SUBUSER_EXISTS']);
    }
    expect(await listed()).to.have.lengthOf(2);
  });

  it('keeps the limit of subusers when more come at the same time', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, async (_, i) => reasonOf(invite(`crowd${i}@example.com`))),
    );
    expect(outcomes.filter((outcome) => outcome === 'none')).to.have.lengthOf(50);
    expect(await listed()).to.have.lengthOf(50);
    expect(outcomes.filter((outcome) => outcome === 'SUBUSER_LIMIT')).to.have.lengthOf(10);
  });

  it('lets nothing of a subuser pass after their access was taken away, when both happen at the same time', async () => {
    for (let round = 0; round < 5; round += 1) {
      const manager = await subuserWith(['user.create', 'file.read']);
      const before = (await listed()).length;
      const calls = Array.from({ length: 49 }, async (_, i) =>
        invite(`late${round}-${i}@example.com`, {}, manager.clients),
      );
      const removal = owner.subusers.deleteSubuser({ serverId, subuserId: manager.subuserId, withInvited: false });
      const outcomes = await Promise.all(calls.map(reasonOf));
      await removal;
      const made = outcomes.filter((outcome) => outcome === 'none').length;
      expect(await listed()).to.have.lengthOf(before - 1 + made);
      expect(
        outcomes.every((one) => ['none', 'SERVER_CHANGED', 'SERVER_NOT_FOUND', 'SUBUSER_LIMIT'].includes(one)),
      ).to.equal(true);
      expect(await reasonOf(invite('after@example.com', {}, manager.clients))).to.equal('SERVER_NOT_FOUND');
      for (const { id } of await listed())
        await owner.subusers.deleteSubuser({ serverId, subuserId: id, withInvited: false });
    }
  });

  it('answers one subuser to a creation that is repeated', async () => {
    const { email } = account();
    const idempotencyId = randomUUID();
    const ask = () => owner.subusers.createSubuser(request(email), { idempotencyId });
    const answers = await Promise.all([ask(), ask(), ask()]);
    expect(new Set(answers.map(({ subuser }) => subuser?.id)).size).to.equal(1);
    expect(await listed()).to.have.lengthOf(1);
  });
});

describe('the limit of invitations', function () {
  this.timeout(180_000);
  it('counts invitations per user over all servers', async () => {
    const fixture = await createFixture({ environment: { INVITATION_LIMIT: '3' } });
    try {
      const ids = await Promise.all([1, 2].map(async () => (await fixture.installed({ skipScripts: true })).id));
      const outcomes: string[] = [];
      for (let i = 0; i < 4; i += 1) {
        const serverId = ids[i % 2] ?? '';
        const permissions = ['file.read'];
        const request = {
          serverId,
          email: `n${i}@example.com`,
          permissions,
          roleId: '',
          pathRules: [],
          expireTime: undefined,
        };
        outcomes.push(await reasonOf(fixture.owner.subusers.createSubuser(request)));
      }
      expect(outcomes).to.deep.equal(['none', 'none', 'none', 'RATE_LIMIT_EXCEEDED']);
    } finally {
      await fixture.stop();
    }
  });
});

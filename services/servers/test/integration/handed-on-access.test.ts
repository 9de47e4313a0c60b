import { connectMongo } from '@panel/kit/mongo';
import { waitUntil } from '@panel/kit/testing';
import type { CreateSubuserRequest } from '@panel/protos/servers';
import { newAccount } from '../support/fake-services.js';
import { createFixture, expect, type Fixture, reasonOf } from '../support/fixture.js';
import { createStores } from '../../src/models/stores.js';
import { deleteSubuser } from '../../src/usecases/subusers/update-subuser.js';
import { type Clients, testSeal, userActor } from '../support/harness.js';
import { scheduleRequest } from '../support/schedules.js';

describe('removal of a subuser who has handed access on', function () {
  this.timeout(180_000);
  let fixture: Fixture;
  let owner: Clients;
  let serverId: string;
  before(async () => {
    fixture = await createFixture({ environment: { INVITATION_LIMIT: '1000' } });
    ({ owner } = fixture);
  });
  after(() => fixture.stop());
  beforeEach(async () => {
    ({ id: serverId } = await fixture.installed({ skipScripts: true }));
  });

  let number = 0;
  const account = () => {
    number += 1;
    return newAccount(fixture.harness.fakes, `user${number}`);
  };
  const as = (userId: string) => fixture.harness.clients(userActor(userId), fixture.harness.address);
  const invite = async (email: string, { permissions = ['file.read'] }: Partial<CreateSubuserRequest>, by = owner) => {
    const limits = { roleId: '', pathRules: [], expireTime: undefined };
    const { subuser } = await by.subusers.createSubuser({ serverId, email, permissions, ...limits });
    return subuser ?? expect.fail('no subuser in the answer');
  };
  const subuserWith = async (permissions: string[]) => {
    const user = account();
    const { id } = await invite(user.email, { permissions });
    return { ...user, subuserId: id, clients: as(user.id) };
  };
  const listed = async () => (await owner.subusers.listSubusers({ serverId })).subusers;

  const rights = ['user.create', 'user.delete', 'schedule.create', 'file.read'];
  const events = () =>
    [...fixture.harness.fakes.activity.values()].filter(
      (event) => event.event === 'server:subuser.delete' && event.serverId === serverId,
    );
  const family = async () => {
    const parent = await subuserWith(rights);
    const child = account();
    const { id: childId } = await invite(child.email, { permissions: rights }, parent.clients);
    const { id: grandchildId } = await invite(`waits${number}@example.com`, {}, as(child.id));
    const stranger = await subuserWith(['file.read']);
    return { parent, child, childId, grandchildId, stranger };
  };

  it('says who stays and which schedules do, and shows who gave whom access', async () => {
    const { parent, child, childId, grandchildId, stranger } = await family();
    await parent.clients.schedules.createSchedule(scheduleRequest(serverId));
    expect((await listed()).map(({ id, inviterId }) => [id, inviterId])).to.deep.equal([
      [parent.subuserId, fixture.ownerId],
      [childId, parent.id],
      [grandchildId, child.id],
      [stranger.subuserId, fixture.ownerId],
    ]);
    const request = { serverId, subuserId: parent.subuserId, withInvited: false };
    expect(await owner.subusers.deleteSubuser(request)).to.deep.equal({
      invitedIds: [childId, grandchildId],
      schedulesCount: 1,
    });
    expect((await listed()).map(({ id }) => id)).to.deep.equal([childId, grandchildId, stranger.subuserId]);
    await waitUntil('the event', () => events().length === 1);
    expect(events()[0]?.properties).to.deep.equal({
      id: parent.subuserId,
      left_invited: `${childId} ${grandchildId}`,
      left_schedules: '1',
    });
  });

  it('takes the access of everybody to whom it was handed on when asked to, of all or of none', async () => {
    const { parent, child, childId, stranger } = await family();
    const request = { serverId, subuserId: parent.subuserId, withInvited: true };
    // Who was given access by the removed would lose their own.
    expect(await reasonOf(as(child.id).subusers.deleteSubuser(request))).to.equal('SUBUSER_IS_CALLER');
    expect(await listed()).to.have.lengthOf(4);
    await owner.subusers.deleteSubuser(request);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([stranger.subuserId]);
    expect(await reasonOf(as(child.id).servers.getServer({ serverId, asStaff: false }))).to.equal('SERVER_NOT_FOUND');
    await waitUntil('the event', () => events().length === 1);
    expect(events()[0]?.properties['removed_invited']).to.include(childId);
  });

  it('removes nobody when the removed give somebody access at the same moment, and all at the next try', async () => {
    const { parent, stranger } = await family();
    const request = { serverId, subuserId: parent.subuserId, withInvited: true };
    const mongo = await connectMongo(fixture.harness.mongoUrl, { appName: 'test' });
    try {
      const stores = createStores(mongo, testSeal);
      const removeWith: typeof stores.servers.subusers.removeWith = async (...removal) => {
        await invite(account().email, {}, parent.clients);
        return stores.servers.subusers.removeWith(...removal);
      };
      const subusers = { ...stores.servers.subusers, removeWith };
      const raced = { ...stores, servers: { ...stores.servers, subusers } };
      const caller = { actor: userActor(fixture.ownerId), permission: { server: ['user.delete' as const] } };
      expect(await reasonOf(deleteSubuser({ stores: raced }, request, caller))).to.equal('SERVER_CHANGED');
    } finally {
      await mongo.close();
    }
    expect(await listed()).to.have.lengthOf(5);
    await owner.subusers.deleteSubuser(request);
    expect((await listed()).map(({ id }) => id)).to.deep.equal([stranger.subuserId]);
  });
});
